import { GitFork, Pencil } from 'lucide-react';
import { useMemo, useState } from 'react';
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
import { RealTools } from './real-tools.js';
import { useFork } from './use-fork.js';
import { crumbsOfRun, PageHead } from '../workbench/page-head.js';

/** Edits the input of a run, and runs it again from there. */
export const ForkPage = ({ runId = '' }: { readonly runId?: string }) => {
  useTitle('Edit and run again');
  const run = useRun(runId);
  const { entries, count, fold } = run;
  const { agentId } = fold.at();
  const agent = useCatalog().agents.find(({ id }) => id === agentId);
  const editable = useMemo(() => editableIn(entries.slice(0, count)), [entries, count]);
  return (
    <div className="page">
      <PageHead crumbs={crumbsOfRun(runId)} title="Edit and run again">
        <RealTools tools={agent?.tools ?? []} />
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
    {editable.results.map((result) => (
      <ResultField key={result.toolCallId} result={result} typed={typed} onType={onType} />
    ))}
  </>
);

interface ResultFieldProps extends Omit<FieldsProps, 'editable'> {
  readonly result: Editable['results'][number];
}

/** The result of a call. A run may have hundreds, so that each is a row until it is opened; the address may name one. */
const ResultField = ({ result: { toolCallId, toolName, stepNumber, json }, typed, onType }: ResultFieldProps) => {
  const isNamed = useQuery()[0].get('call') === toolCallId;
  const [isOpen, setIsOpen] = useState(isNamed);
  const title = `Result of ${toolName}, step ${stepNumber + 1}`;
  if (!isOpen)
    return (
      <Button look="quiet" className="fork-row" onClick={() => setIsOpen(true)}>
        <Pencil size={13} aria-hidden /> {title} <code>{json.replaceAll(/\s+/g, ' ').slice(0, 80)}</code>
      </Button>
    );
  return (
    <label className="field">
      <span className="field-title">{title} (JSON)</span>
      <textarea
        className="input input-code"
        rows={3}
        value={typed[toolCallId] ?? json}
        onChange={({ target }) => onType(toolCallId, target.value)}
      />
    </label>
  );
};

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
