import { Link } from 'wouter';
import { Columns2, Download, GitCompareArrows, GitFork } from 'lucide-react';
import { useState } from 'react';
import '../workbench/take-away/run-take-away.css';
import { useCatalog } from '../api/catalog.js';
import { query, runFile, getText } from '../api/request.js';
import type { RunLines } from '../api/line-list.js';
import { Badge, StatusBadge } from '../components/badge.js';
import { count, formatDuration, formatTime } from '../components/format.js';
import { InertText } from '../components/inert-text.js';
import { runHref } from '../shell/run-href.js';
import { storyOf } from '../fold/run-story.js';
import type { GuardMark, RunView } from '../fold/run-view.js';
import { runPath } from '../../protocol/run-file.js';
import type { RunSummary } from '../../protocol/runs.js';
import { useTitle } from '../shell/use-title.js';
import { CopyButton, SaveButton } from '../workbench/take-away/take-button.js';
import { fileName } from '../workbench/take-away/file-name.js';
import { saveFile } from '../workbench/take-away/save.js';

interface RunHeadProps {
  readonly summary: RunSummary;
  /** The run at the point in time. */
  readonly view: RunView;
  /** The run with all known lines. */
  readonly whole: RunView;
  readonly state: RunLines['state'];
  /** Opens a guard at the moment of its mark. */
  readonly onMark: (mark: GuardMark) => void;
}

/** The messages of the turn for memory. */
const given: Readonly<Record<NonNullable<RunView['memory']>['given'], string>> = {
  answer: 'the response',
  accepted: 'accepted steps',
  'user-only': 'user message only',
  placeholder: 'a placeholder',
  nothing: 'nothing',
};

type FactsProps = RunHeadProps & { readonly agentName: string };

/** The run's status, start, duration, and its cost up to the selected point in time. */
const RunFacts = ({ summary, view, whole, state, agentName }: FactsProps) => {
  const { inputTokens, outputTokens, calls, wastedCalls } = view.usage;
  const { startedAt, at } = whole;
  return (
    <p className="run-facts">
      <StatusBadge status={whole.status} />
      {state === 'waiting' && <Badge tone="edit">server not reachable</Badge>}
      <span>
        <InertText text={agentName} />
      </span>
      {startedAt !== undefined && <span>{formatTime(startedAt)}</span>}
      {startedAt !== undefined && at !== undefined && <span>{formatDuration(at - startedAt)}</span>}
      {view.retries > 0 && <span>{count(view.retries, 'retry', 'retries')}</span>}
      {wastedCalls > 0 && <span>{count(wastedCalls, 'model call')} discarded</span>}
      {view.memory && <span>saved to memory: {given[view.memory.given]}</span>}
      {calls > 0 && (
        <span>
          {count(calls, 'model call')}, {inputTokens} tokens in, {outputTokens} out
        </span>
      )}
      {summary.parent && isThere(summary.parent.runId) && <Link href={callHref(summary.parent)}>Parent run</Link>}
      {!summary.parent && !runFile && summary.threadId !== summary.runId && <Link href={threadHref(summary)}>Conversation</Link>}
      <span className="run-id">
        Run <code>{summary.runId}</code>
        <CopyButton look="quiet" text={() => summary.runId}>
          Copy id
        </CopyButton>
      </span>
    </p>
  );
};

/** A document without a server may lack the parent of its run. */
const isThere = (runId: string): boolean => !runFile || runPath(runId) in runFile.answers;

/** The tool call in the parent run. */
const callHref = ({ runId, toolCallId }: NonNullable<RunSummary['parent']>): string =>
  `${runHref(runId)}${query({ call: toolCallId })}`;

const threadHref = ({ agentId, threadId }: RunSummary): string => `/${query({ agent: agentId, thread: threadId })}`;

/** The outcome in one sentence; each guard in it leads to its verdict. */
const Story = ({ whole, onMark }: Pick<RunHeadProps, 'whole' | 'onMark'>) => {
  const { phases } = useCatalog();
  const story = storyOf(whole, (name) => phases.find(({ phase }) => phase === name)?.title);
  return (
    <p className={`run-story run-story-${whole.status}`}>
      {story.map(({ text, mark }, index) =>
        mark ? (
          <button key={`${mark.seq} ${mark.path}`} type="button" onClick={() => onMark(mark)}>
            <InertText text={text} />
          </button>
        ) : (
          // oxlint-disable-next-line react/no-array-index-key -- pieces of one sentence have no other name
          <InertText key={index} text={text} />
        ),
      )}
    </p>
  );
};

/** The title and state of the run. */
export const RunHead = (props: RunHeadProps) => {
  const { summary, whole } = props;
  const { runId, agentId } = summary;
  const { agents } = useCatalog();
  const userText = whole.inputMessages.findLast(({ role }) => role === 'user')?.text ?? summary.userText;
  useTitle(userText.slice(0, 60));
  const agent = agents.find(({ id }) => id === agentId);
  return (
    <header className="run-head">
      <div className="run-title">
        <h1>
          <InertText text={userText} />
        </h1>
        {!runFile && <RunTakeAway runId={runId} isRecorded={whole.visits.length > 0} />}
      </div>
      <Story {...props} />
      <RunFacts {...props} agentName={agent?.name ?? agentId} />
      {agent?.note !== undefined && <p className="run-note">{agent.note}</p>}
    </header>
  );
};

/** The exports of a run, and the link to its replay. */
const RunTakeAway = ({ runId, isRecorded }: { readonly runId: string; readonly isRecorded: boolean }) => (
  <div className="panel-tools">
    <Files runId={runId} isRecorded={isRecorded} />
    {isRecorded && (
      <>
        <Link className="button button-plain" href={`/runs/${encodeURIComponent(runId)}/compare`}>
          <GitCompareArrows size={14} aria-hidden />
          Replay and compare
        </Link>
        <Link className="button button-plain" href={`/runs/${encodeURIComponent(runId)}/edit`}>
          <GitFork size={14} aria-hidden />
          Edit and run again
        </Link>
      </>
    )}
    <Link className="button button-plain" href={`/runs${query({ compareWith: runId })}`}>
      <Columns2 size={14} aria-hidden />
      Compare with another run
    </Link>
  </div>
);

/** The run as files. Text that no reader has seen is included only on request. */
const Files = ({ runId, isRecorded }: { readonly runId: string; readonly isRecorded: boolean }) => {
  const [hasAllWords, setHasAllWords] = useState(false);
  const path = runPath(runId);
  const words = query({ words: hasAllWords ? 'all' : undefined });
  const trace = fileName(runId, 'jsonl');
  const copyTest = async (): Promise<string> => {
    const [test, lines] = await Promise.all([getText(`${path}/fixture`), getText(`${path}/trace?words=all`)]);
    saveFile(trace, lines, 'application/x-ndjson');
    return test;
  };
  return (
    <details className="take-away">
      <summary className="button button-plain">
        <Download size={14} aria-hidden />
        Export
      </summary>
      <div className="take-away-menu">
        <SaveButton name={fileName(runId, 'html')} type="text/html" text={() => getText(`${path}/file${words}`)}>
          Save as one HTML file
        </SaveButton>
        {isRecorded && (
          <>
            <SaveButton name={trace} type="application/x-ndjson" text={() => getText(`${path}/trace${words}`)}>
              Download trace
            </SaveButton>
            <label>
              <input type="checkbox" checked={hasAllWords} onChange={({ target }) => setHasAllWords(target.checked)} />
              Include text that was not emitted
            </label>
            <CopyButton text={copyTest}>Copy as a test</CopyButton>
            <p className="faint">Also downloads the full trace as {trace}. The test reads this file.</p>
          </>
        )}
      </div>
    </details>
  );
};
