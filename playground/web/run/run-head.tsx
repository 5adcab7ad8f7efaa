import { Download, RotateCcw } from 'lucide-react';
import { useState } from 'react';
import { Link } from 'wouter';
import { runPath } from '../../protocol/run-file.js';
import type { RunTree, TreeFact } from '../../fold/run-tree.js';
import { costOfTree, durationOf } from '../../fold/run-tree.js';
import { useAgent, useCanRepeat, usePhaseTitle } from '../api/catalog.js';
import type { RunLines } from '../api/run-readers.js';
import { getText, query, runFile } from '../api/request.js';
import { Badge, StatusBadge } from '../components/badge.js';
import { count, formatDuration, formatTime } from '../components/format.js';
import { InertText } from '../components/inert-text.js';
import { Menu } from '../components/menu.js';
import { StopButton } from '../components/stop-button.js';
import { storyOf } from '../fold/story.js';
import { runHref } from '../shell/hrefs.js';
import { useTitle } from '../shell/use-title.js';
import { fileName, saveFile } from '../workbench/take-away/save.js';
import { CopyButton, SaveButton } from '../workbench/take-away/take-button.js';

interface RunHeadProps {
  readonly tree: RunTree;
  readonly state: RunLines['state'];
  readonly now: number;
  /** Opens a guard or a call at its moment. */
  readonly onFact: (fact: TreeFact) => void;
}

/** The messages of the turn for memory. */
const given: Readonly<Record<NonNullable<RunTree['view']['memory']>['given'], string>> = {
  answer: 'the response',
  accepted: 'accepted steps',
  'user-only': 'user message only',
  placeholder: 'a placeholder',
  nothing: 'nothing',
};

/** Status, time and cost, and the ways to other runs. */
const RunFacts = ({ tree, state, now }: RunHeadProps) => {
  const { run, view } = tree;
  const agent = useAgent(run.agentId);
  const { inputTokens, outputTokens, discarded } = costOfTree(tree);
  return (
    <p className="cluster soft small run-facts">
      <StatusBadge status={view.status} />
      {state === 'waiting' && <Badge tone="edit">server not reachable</Badge>}
      <InertText text={agent?.name ?? run.agentId} />
      {view.startedAt !== undefined && <span>{formatTime(view.startedAt)}</span>}
      <span>{formatDuration(durationOf(view, now))}</span>
      {view.retries > 0 && <span>{count(view.retries, 'retry', 'retries')}</span>}
      {discarded > 0 && <span>{count(discarded, 'model call')} discarded</span>}
      {inputTokens + outputTokens > 0 && (
        <span>
          {inputTokens} tokens in, {outputTokens} out
        </span>
      )}
      {view.memory && <span>saved to memory: {given[view.memory.given]}</span>}
      {run.parent &&
        (!runFile || runPath(run.parent.runId) in runFile.answers) && ( // a document may lack it
          <Link href={`${runHref(run.parent.runId)}${query({ call: run.parent.toolCallId })}`}>Parent run</Link>
        )}
      {!run.parent && !runFile && run.threadId !== run.runId && (
        <Link href={`/${query({ agent: run.agentId, thread: run.threadId })}`}>Conversation</Link>
      )}
      <span className="cluster tiny">
        <code>{run.runId}</code>
        <CopyButton look="quiet" text={() => run.runId}>
          Copy id
        </CopyButton>
      </span>
    </p>
  );
};

/** The outcome in one sentence; each guard and call in it leads to its row. */
const Story = ({ tree, now, onFact }: RunHeadProps) => {
  const story = storyOf(tree, usePhaseTitle(), now);
  return (
    <p className={`run-story run-story-${tree.view.status}`}>
      {story.map(({ text, fact }, index) =>
        fact ? (
          // oxlint-disable-next-line react/no-array-index-key -- pieces of one sentence have no other name
          <button key={index} type="button" className="bare" data-fact={`${fact.runId} ${fact.seq}`} onClick={() => onFact(fact)}>
            <InertText text={text} />
          </button>
        ) : (
          // oxlint-disable-next-line react/no-array-index-key -- as above
          <InertText key={index} text={text} />
        ),
      )}
    </p>
  );
};

/** The title of the run, and its outcome. */
export const RunHead = (props: RunHeadProps) => {
  const { run, view } = props.tree;
  const userText = view.inputMessages.findLast(({ role }) => role === 'user')?.text ?? run.userText;
  useTitle(userText.slice(0, 60));
  const agent = useAgent(run.agentId);
  return (
    <header className="run-head">
      <div className="spread run-title">
        <h1>
          <InertText text={userText} />
        </h1>
        {!runFile && (
          <div className="cluster">
            {view.status === 'running' && <StopButton runId={run.runId} />}
            <Ways runId={run.runId} agentId={run.agentId} isRecorded={view.visits.length > 0} />
          </div>
        )}
      </div>
      <Story {...props} />
      <RunFacts {...props} />
      {agent?.note !== undefined && <p className="soft small run-note">{agent.note}</p>}
    </header>
  );
};

/** The ways to run it again, and to take it along. */
interface WaysProps {
  readonly runId: string;
  readonly agentId: string;
  readonly isRecorded: boolean;
}

const Ways = (props: WaysProps) => {
  const { runId, agentId } = props;
  const canRepeat = useCanRepeat(agentId);
  const path = `/runs/${encodeURIComponent(runId)}`;
  return (
    <>
      <Menu icon={RotateCcw} title="Again">
        {canRepeat && (
          <>
            <Link href={`${path}/edit`}>Edit and run again</Link>
            <Link href={`${path}/compare`}>Replay with other pipelines</Link>
          </>
        )}
        <Link href={`/runs${query({ compareWith: runId })}`}>Compare with another run</Link>
      </Menu>
      <Files {...props} />
    </>
  );
};

/** The run as files. Text that no reader has seen is included only on request. */
const Files = ({ runId, agentId, isRecorded }: WaysProps) => {
  const canRepeat = useCanRepeat(agentId);
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
    <Menu icon={Download} title="Export">
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
        </>
      )}
      {canRepeat && (
        <>
          <CopyButton text={copyTest}>Copy as a test</CopyButton>
          <p className="faint">Also downloads the full trace as {trace}. The test reads this file.</p>
        </>
      )}
    </Menu>
  );
};
