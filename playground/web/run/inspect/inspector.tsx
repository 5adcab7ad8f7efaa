import type { ReactNode } from 'react';
import { Link } from 'wouter';
import type { RunTree } from '../../../fold/run-tree.js';
import type { RunView } from '../../../fold/run-view.js';
import { useRun } from '../../api/run-readers.js';
import { BlockNotice } from '../../components/block-notice.js';
import { ErrorNotice } from '../../components/notices.js';
import { FactList } from '../../components/fact-list.js';
import { formatDuration } from '../../components/format.js';
import { InertText } from '../../components/inert-text.js';
import type { SpineRow } from '../../fold/spine-row.js';
import { runHref } from '../../shell/hrefs.js';
import { CallDetails, ModelDetails } from './call-details.js';
import { GuardDetails } from './guard-details.js';
import { StepDetails } from './step-details.js';
import './inspect.css';
import type { Playhead } from '../use-playhead.js';

interface InspectorProps {
  readonly tree: RunTree;
  readonly row: SpineRow;
  /** The point in time; undefined at the end. */
  readonly seq: number | undefined;
  readonly playhead: Playhead;
}

export interface DetailProps {
  readonly runId: string;
  readonly row: SpineRow;
  /** The run of the row with all known lines, and at the point in time. */
  readonly whole: RunView;
  readonly view: RunView;
  readonly playhead: Playhead;
  readonly subRuns: RunTree['subRuns'];
}

const runIn = (tree: RunTree, runId: string): RunTree | undefined =>
  tree.run.runId === runId ? tree : tree.subRuns.map((sub) => runIn(sub, runId)).find((found) => found !== undefined);

/** The selected row in detail, with the actions at its cause. */
export const Inspector = ({ tree, row, seq, playhead }: InspectorProps) => {
  const { runId } = row;
  const { fold } = useRun(runId);
  const sub = runIn(tree, runId) ?? tree;
  const isOwn = runId === tree.run.runId;
  const Details = details[row.kind];
  const view = isOwn && seq !== undefined ? fold.at(seq) : sub.view;
  return (
    <div className="stack inspector">
      {!isOwn && (
        <p className="soft small">
          In the run of sub-agent <InertText text={sub.run.agentId} />. <Link href={runHref(runId)}>Open this run</Link>
        </p>
      )}
      <Details runId={runId} row={row} whole={sub.view} view={view} playhead={playhead} subRuns={sub.subRuns} />
    </div>
  );
};

/** The end of a run: its error or its tripwire, and the states it went through. */
const EndDetails = ({ whole: { status, error, tripwire, visits, retries, pauses } }: DetailProps) => (
  <>
    <h3>Result: {status}</h3>
    {error && <ErrorNotice error={error} />}
    {tripwire && <BlockNotice tripwire={tripwire} />}
    <FactList
      facts={{
        Retries: retries > 0 ? retries : undefined,
        'Last state': visits.at(-1)?.state,
        Paused: pauses.length > 0 ? pauses.map(({ from, to }) => formatDuration(to - from)).join(', ') : undefined,
      }}
    />
  </>
);

const details: Readonly<Record<SpineRow['kind'], (props: DetailProps) => ReactNode>> = {
  guard: GuardDetails,
  passes: GuardDetails,
  model: ModelDetails,
  tool: CallDetails,
  agent: CallDetails,
  step: StepDetails,
  retraction: StepDetails,
  end: EndDetails,
};
