import { GitFork } from 'lucide-react';
import { useMemo, useState, useEffect, useRef } from 'react';
import { useLocation } from 'wouter';
import './again.css';
import { useCatalog } from '../api/catalog.js';
import { useRun } from '../api/run-readers.js';
import { Button } from '../components/button.js';
import { ErrorNotice } from '../components/error-notice.js';
import { Panel } from '../components/panel.js';
import { Waiting } from '../components/waiting.js';
import { useQuery } from '../shell/use-query.js';
import { useTitle } from '../shell/use-title.js';
import { editableIn, editsOf, type Editable, type Typed } from './fork-edits.js';
import { chosenGuard, readChoice } from './guard-choice.js';
import { GuardOptions, GuardSelect, PlaceSelect } from './guard-form.js';
import type { ForkRun } from '../../protocol/again.js';
import type { RunSummary, StartedRun } from '../../protocol/runs.js';
import { get, post } from '../api/request.js';
import { compareHref } from './compare-href.js';
import { crumbsOfRun, PageHead } from '../workbench/page-head.js';

/** Edits the input of a run, and runs it again from there. */
export const ForkPage = ({ runId = '' }: { readonly runId?: string }) => {
  useTitle('Edit and run again');
  const run = useRun(runId);
  const { entries, count } = run;
  const editable = useMemo(() => editableIn(entries.slice(0, count)), [entries, count]);
  return (
    <div className="page">
      <PageHead crumbs={crumbsOfRun(runId)} title="Edit and run again">
        <p className="faint">
          Calls that match the recording return the recorded result. From the first call that differs, models and tools run for
          real.
        </p>
      </PageHead>
      {run.state === 'failed' && run.error && <ErrorNotice error={run.error} />}
      {run.state === 'loading' && count === 0 && <Waiting noun="the run" />}
      {count > 0 && <ForkForm key={runId} runId={runId} editable={editable} />}
    </div>
  );
};

interface FieldsProps {
  readonly editable: Editable;
  readonly typed: Typed;
  readonly onType: (id: string, text: string) => void;
}

const Fields = ({ editable, typed, onType }: FieldsProps) => (
  <>
    {editable.messages.map(({ id, role, text }) => (
      <label key={id} className="field">
        <span className="field-title">Message: {role}</span>
        <textarea className="input" rows={2} value={typed[id] ?? text} onChange={({ target }) => onType(id, target.value)} />
      </label>
    ))}
    {editable.results.map(({ toolCallId, toolName, stepNumber, json }) => (
      <label key={toolCallId} className="field">
        <span className="field-title">
          Result of {toolName}, step {stepNumber + 1} (JSON)
        </span>
        <textarea
          className="input input-code"
          rows={3}
          value={typed[toolCallId] ?? json}
          onChange={({ target }) => onType(toolCallId, target.value)}
        />
      </label>
    ))}
  </>
);

const ForkForm = ({ runId, editable }: { readonly runId: string; readonly editable: Editable }) => {
  const { pipelines } = useCatalog();
  const [query, setQuery] = useQuery();
  const choice = useMemo(() => readChoice(query), [query]);
  const [typed, setTyped] = useState<Typed>({});
  const [fault, setFault] = useState<string>();
  const { fork, start } = useFork(runId);
  const submit = (): void => {
    try {
      const guard = chosenGuard(choice, pipelines);
      const edits = editsOf(editable, typed);
      setFault(undefined);
      void start({ ...edits, guard, ...(choice.instead !== '' && { instead: choice.instead }) });
    } catch (error) {
      setFault((error as SyntaxError).message); // from JSON.parse
    }
  };
  return (
    <form
      className="fork-form"
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <Panel title="Input">
        <div className="fork-fields">
          <Fields editable={editable} typed={typed} onType={(id, text) => setTyped((now) => ({ ...now, [id]: text }))} />
        </div>
      </Panel>
      <Panel title="Guard" note="optional: add or replace a guard">
        <div className="guard-form">
          <GuardSelect choice={choice} onChange={setQuery} />
          <PlaceSelect choice={choice} onChange={setQuery} />
          {choice.guard !== '' && <GuardOptions choice={choice} onChange={setQuery} fault={undefined} />}
        </div>
      </Panel>
      {fault !== undefined && <ErrorNotice error={{ message: fault }} />}
      {fork.state === 'failed' && <ErrorNotice error={fork.error} />}
      <Button look="primary" type="submit" disabled={fork.state === 'busy'}>
        <GitFork size={14} aria-hidden /> {fork.state === 'busy' ? 'Running …' : 'Run again'}
      </Button>
    </form>
  );
};

/** The state of a fork. */
type Fork = { readonly state: 'idle' | 'busy' } | { readonly state: 'failed'; readonly error: Error };

const pauseMs = 300;

/** Starts a fork of a run, waits until it has ended or is suspended, and opens a comparison of both. */
const useFork = (runId: string) => {
  const [fork, setFork] = useState<Fork>({ state: 'idle' });
  const [, navigate] = useLocation();
  const isDisposed = useRef(false);
  useEffect(() => {
    isDisposed.current = false;
    return () => void (isDisposed.current = true);
  }, []);
  const start = async (edits: ForkRun): Promise<void> => {
    setFork({ state: 'busy' });
    try {
      const started = await post<StartedRun>(`runs/${encodeURIComponent(runId)}/fork`, edits);
      const isRunning = async (): Promise<boolean> =>
        (await get<RunSummary>(`runs/${encodeURIComponent(started.runId)}`)).status === 'running';
      while (!isDisposed.current && (await isRunning())) await new Promise((resolve) => setTimeout(resolve, pauseMs));
      if (!isDisposed.current) navigate(compareHref(runId, started.runId));
    } catch (error) {
      setFork({ state: 'failed', error: error as Error }); // the client throws only this type
    }
  };
  return { fork, start };
};
