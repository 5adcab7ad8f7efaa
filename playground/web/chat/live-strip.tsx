import { Link } from 'wouter';
import { usePhaseTitle } from '../api/catalog.js';
import { useRun } from '../api/run-readers.js';
import { count, formatDuration } from '../components/format.js';
import { isNotable, markName, tellMark } from '../../fold/facts.js';
import { currentLane, bufferedChars, type GuardMark, type RunView } from '../../fold/run-view.js';
import { MarkBadge, StatusBadge } from '../components/badge.js';
import { Pills } from '../components/pills.js';
import { InertText } from '../components/inert-text.js';
import { strictestMarks } from '../run/inspect/judged.js';
import { runHref } from '../shell/hrefs.js';

const Facts = ({ view }: { readonly view: RunView }) => {
  const lane = currentLane(view);
  const buffered = lane ? lane.parts.reduce((sum, part) => sum + bufferedChars(part, lane), 0) : 0;
  return (
    <p className="cluster soft small">
      <StatusBadge status={view.status} />
      {lane && <span>step {lane.stepNumber + 1}</span>}
      {lane && <span>attempt {lane.attempt}</span>}
      {buffered > 0 && <span className="strip-held">{count(buffered, 'character')} buffered</span>}
    </p>
  );
};

/** The maximum number of listed marks. */
const mostMarks = 40;

/** Verdicts other than pass first, then the latest. */
const orderedMarks = ({ lanes }: RunView): readonly GuardMark[] =>
  lanes
    .flatMap(({ marks }) => strictestMarks(marks))
    .toReversed()
    .toSorted((a, b) => Number(isNotable(b)) - Number(isNotable(a)))
    .slice(0, mostMarks);

const MarkRow = ({ mark, phaseTitle }: { readonly mark: GuardMark; readonly phaseTitle: string }) => {
  const { note } = tellMark(mark);
  return (
    <li className="mark-row">
      <span className="ellipsis mark-name">
        <InertText text={markName(mark)} />
      </span>
      <span className="faint tiny mark-time">
        {'durationMs' in mark && mark.durationMs !== undefined ? formatDuration(mark.durationMs) : ''}
      </span>
      <MarkBadge mark={mark} />
      <span className="faint tiny mark-phase">
        <InertText text={note === undefined ? phaseTitle : `${phaseTitle}: ${note}`} />
      </span>
    </li>
  );
};

/** The panel next to the conversation: the state of the latest run, and the verdicts of its guards. */
export const LiveStrip = ({ runId }: { readonly runId: string | undefined }) => {
  const { fold, count: lines } = useRun(runId);
  const view = fold.at();
  const titleOf = usePhaseTitle();
  return (
    <aside className="strip" aria-label="Live run">
      <div className="spread small">
        <h2>Live run</h2>
        {runId !== undefined && <Link href={runHref(runId)}>Open run</Link>}
      </div>
      {runId === undefined || lines === 0 ? (
        <p className="soft small strip-empty">Send a message to see its run here.</p>
      ) : (
        <>
          <Facts view={view} />
          <h3 className="faint tiny">Verdicts</h3>
          <ul className="strip-guards">
            {orderedMarks(view).map((mark) => (
              <MarkRow key={`${mark.seq} ${mark.path}`} mark={mark} phaseTitle={titleOf(mark.phase)} />
            ))}
          </ul>
          {view.visits.length > 0 && <h3 className="faint tiny">States</h3>}
          <Pills visits={view.visits} />
        </>
      )}
    </aside>
  );
};
