import { useCatalog } from '../api/catalog.js';
import type { RunLines } from '../api/line-list.js';
import { Badge, StatusBadge } from '../components/badge.js';
import { count, formatDuration, formatTime } from '../components/format.js';
import { InertText } from '../components/inert-text.js';
import type { RunView } from '../fold/run-view.js';
import { useTitle } from '../shell/use-title.js';
import { RunTakeAway } from '../workbench/take-away/run-take-away.js';

interface RunHeadProps {
  readonly runId: string;
  /** The run at the point in time. */
  readonly view: RunView;
  /** The run as far as it is known. */
  readonly whole: RunView;
  readonly state: RunLines['state'];
}

/** What memory keeps of the turn. */
const given: Readonly<Record<NonNullable<RunView['memory']>['given'], string>> = {
  answer: 'the answer',
  'user-only': 'the question alone',
  placeholder: 'a placeholder',
  nothing: 'nothing',
};

/** Which run it is, and how it stands. */
export const RunHead = ({ runId, view, whole, state }: RunHeadProps) => {
  const { agents } = useCatalog();
  const said = whole.said.findLast(({ role }) => role === 'user')?.text ?? 'A run';
  useTitle(said.slice(0, 60));
  const agent = agents.find(({ id }) => id === whole.agentId);
  const { inputTokens, outputTokens, calls, wastedCalls } = view.usage;
  return (
    <header className="run-head">
      <div className="run-title">
        <h1>
          <InertText text={said} />
        </h1>
        <RunTakeAway runId={runId} />
      </div>
      <p className="run-facts">
        <StatusBadge status={view.status} />
        {state === 'waiting' && <Badge tone="edit">the server is away</Badge>}
        <span>
          <InertText text={agent?.name ?? whole.agentId ?? 'an agent'} />
        </span>
        {whole.startedAt !== undefined && <span>{formatTime(whole.startedAt)}</span>}
        {whole.startedAt !== undefined && whole.at !== undefined && <span>{formatDuration(whole.at - whole.startedAt)}</span>}
        {view.retries > 0 && <span>{count(view.retries, 'retry', 'retries')}</span>}
        {wastedCalls > 0 && <span>{count(wastedCalls, 'call')} for nothing</span>}
        {view.memory && <span>memory was given {given[view.memory.given]}</span>}
        {calls > 0 && (
          <span>
            {count(calls, 'model call')}, {inputTokens} tokens in, {outputTokens} out
          </span>
        )}
      </p>
      {agent?.note !== undefined && <p className="run-note">{agent.note}</p>}
    </header>
  );
};
