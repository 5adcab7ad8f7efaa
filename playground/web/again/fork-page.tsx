import { GitFork, Pencil } from 'lucide-react';
import { useMemo, useState } from 'react';
import './again.css';
import type { RunView } from '../../fold/run-view.js';
import { runPath } from '../../protocol/run-file.js';
import type { PromptView } from '../../protocol/trace-entry.js';
import { useAgent, useCatalog } from '../api/catalog.js';
import { useRun } from '../api/run-readers.js';
import { useGet } from '../api/use-loaded.js';
import { Button } from '../components/button.js';
import { ErrorNotice, Waiting } from '../components/notices.js';
import { Field, Form } from '../components/fields.js';
import { Panel } from '../components/panel.js';
import { VirtualList } from '../components/virtual-list.js';
import { useQuery } from '../shell/use-query.js';
import { crumbsOfRun, PageHead } from '../workbench/page-head.js';
import { editableIn, editsOf, type Editable, type Typed } from './fork-edits.js';
import { chosenGuard, readChoice } from './guard-choice.js';
import { GuardFields } from './guard-form.js';
import { RealTools } from './real-tools.js';
import { useFork } from './use-fork.js';

/** Edits any part of a run, and runs it again from there. */
export const ForkPage = ({ runId = '' }: { readonly runId?: string }) => {
  const run = useRun(runId);
  const { entries, count, fold } = run;
  const view = fold.at();
  const agent = useAgent(view.agentId);
  const prompts = useGet<PromptView[]>(`${runPath(runId)}/prompts`);
  const calls = useGet<Readonly<Record<string, unknown>>>(`${runPath(runId)}/rejected`);
  const rejected = calls.state === 'loaded' ? calls.value : undefined;
  const parts = useMemo(
    () => editableIn(entries.slice(0, count), responsesOf(fold.at()), rejected),
    [entries, count, fold, rejected],
  );
  return (
    <div className="page">
      <PageHead crumbs={crumbsOfRun(runId)} title="Edit and run again">
        <RealTools tools={agent?.tools ?? []} />
      </PageHead>
      {run.state === 'failed' && run.error && <ErrorNotice error={run.error} />}
      {count === 0 || prompts.state === 'loading' || calls.state === 'loading' ? (
        run.state !== 'failed' && <Waiting noun="the run" />
      ) : (
        <ForkForm
          key={runId}
          runId={runId}
          parts={parts}
          setup={setupOf(view, prompts.state === 'loaded' ? prompts.value : [])}
        />
      )}
    </div>
  );
};

/** The responses with text, as sent. */
const responsesOf = ({ lanes }: RunView) =>
  lanes.flatMap(({ stepNumber, attempt, parts }) => {
    const texts = parts.filter(({ kind }) => kind === 'text');
    return texts.length === 0 ? [] : [{ stepNumber, attempt, text: texts.map(({ text }) => text).join('') }];
  });

/** The instructions and the model of the first call. */
const setupOf = ({ lanes }: RunView, [first]: readonly PromptView[]): readonly Editable[] => {
  const system = (first?.messages ?? []).filter(({ role }) => role === 'system').map(({ text }) => text);
  const model = lanes[0]?.models[0];
  return [
    { id: 'instructions', title: 'Instructions', text: system.join('\n') },
    { id: 'model', title: 'Model', text: model ? `${model.provider}/${model.modelId}` : '' },
  ];
};

interface PartFieldProps {
  readonly part: Editable;
  readonly typed: Typed;
  readonly onType: (id: string, text: string) => void;
}

const PartField = ({ part: { id, title, text, isJson = false }, typed, onType }: PartFieldProps) => (
  <Field title={isJson ? `${title} (JSON)` : title}>
    <textarea
      className={`input ${isJson ? 'input-code' : ''}`}
      rows={Math.min(6, (typed[id] ?? text).split('\n').length)}
      placeholder={text === '' ? 'unchanged' : ''}
      value={typed[id] ?? text}
      onChange={({ target }) => onType(id, target.value)}
    />
  </Field>
);

/** The parts of all steps as rows; a click opens one below. */
const PartList = ({ parts, onOpen }: { readonly parts: readonly Editable[]; readonly onOpen: (id: string) => void }) => (
  <VirtualList label="Parts of the steps" className="fork-parts" count={parts.length} size={30}>
    {(index) => {
      const { id = '', title, text = '' } = parts[index] ?? {};
      return (
        <Button icon={Pencil} look="quiet" className="fork-row" onClick={() => onOpen(id)}>
          {title} <code className="ellipsis soft">{text.replaceAll(/\s+/g, ' ').slice(0, 80)}</code>
        </Button>
      );
    }}
  </VirtualList>
);

interface ForkFormProps {
  readonly runId: string;
  readonly parts: readonly [messages: readonly Editable[], ofSteps: readonly Editable[]];
  readonly setup: readonly Editable[];
}

const ForkForm = ({ runId, parts: [messages, ofSteps], setup }: ForkFormProps) => {
  const { pipelines } = useCatalog();
  const [query, setQuery] = useQuery();
  const choice = useMemo(() => readChoice(query), [query]);
  const [typed, setTyped] = useState<Typed>({});
  const [opened, setOpened] = useState<readonly string[]>([query.get('part') ?? '']);
  const [fault, setFault] = useState<string>();
  const { fork, start } = useFork(runId);
  const submit = (): void => {
    try {
      const edits = editsOf([...messages, ...ofSteps, ...setup], typed);
      const guard = chosenGuard(choice, pipelines);
      void start({ ...edits, guard, ...(choice.instead !== '' && { instead: choice.instead }) });
    } catch (error) {
      setFault((error as SyntaxError).message); // of a text that is no JSON
    }
  };
  const onType = (id: string, text: string): void => {
    setFault(undefined);
    setTyped((now) => ({ ...now, [id]: text }));
  };
  const guardPanel = (
    <Panel title="Guard" note="optional: add or replace a guard">
      <div className="columns guard-form">
        <GuardFields choice={choice} onChange={setQuery} onFault={setFault} />
      </div>
    </Panel>
  );
  const fieldOf = (part: Editable) => <PartField key={part.id} part={part} typed={typed} onType={onType} />;
  return (
    <Form className="stack fork-form" onSubmit={() => fault === undefined && submit()}>
      {choice.guard !== '' && guardPanel}
      <Panel title="Run" note="edit the input, or any part of a step">
        <div className="stack">
          {messages.map(fieldOf)}
          {ofSteps.length > 0 && <PartList parts={ofSteps} onOpen={(id) => setOpened((now) => [...now, id])} />}
          {ofSteps.filter(({ id }) => opened.includes(id)).map(fieldOf)}
          {setup.map(fieldOf)}
        </div>
      </Panel>
      {choice.guard === '' && guardPanel}
      {fault !== undefined && <ErrorNotice error={{ message: fault }} />}
      {fork.error && <ErrorNotice error={fork.error} />}
      <Button icon={GitFork} look="primary" type="submit" className="fork-run" disabled={fork.state === 'busy'}>
        {fork.state === 'busy' ? 'Running …' : 'Run again'}
      </Button>
    </Form>
  );
};
