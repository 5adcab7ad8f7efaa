import { Link } from 'wouter';
import { useCatalog } from '../api/catalog.js';
import { StatusBadge, VerdictBadge } from '../components/badge.js';
import { formatTime } from '../components/format.js';
import { InertText } from '../components/inert-text.js';
import type { ComparedVerdict, RunSummary } from '../../protocol/runs.js';
import { runHref } from '../shell/run-href.js';
import { RowReason } from '../workbench/row-head.js';
import type { ChangedVerdict } from './changed-verdicts.js';

const Verdict = ({ verdict }: { readonly verdict: ComparedVerdict | undefined }) =>
  verdict ? (
    <>
      <VerdictBadge verdict={verdict.verdict} />
      <RowReason text={verdict.reason} />
    </>
  ) : (
    <span className="faint">no verdict</span>
  );

const Ending = ({ comparison }: Pick<ChangedVerdict, 'comparison'>) => {
  const { before, after, endedAt } = comparison;
  if (endedAt !== undefined) return <span className="faint">not known: the model would have been asked something else</span>;
  if (before.status === after.status) return <span className="faint">the same</span>;
  return <StatusBadge status={after.status as RunSummary['status']} />; // of a run that was replayed to its end
};

/** The verdicts that change, run by run; each opens its run. */
export const ChangedTable = ({ changed }: { readonly changed: readonly ChangedVerdict[] }) => {
  const titles = new Map(useCatalog().phases.map(({ phase, title }) => [phase, title]));
  return (
    <table className="rows rows-flush rows-cards changed">
      <thead>
        <tr>
          <th scope="col">Run</th>
          <th scope="col">Guard</th>
          <th scope="col">Recorded</th>
          <th scope="col">Replayed</th>
          <th scope="col">The run ends</th>
        </tr>
      </thead>
      <tbody>
        {changed.map(({ run, row, comparison }, index) => (
          // oxlint-disable-next-line react/no-array-index-key -- a guard may be asked more than once at one place
          <tr key={index}>
            <th scope="row">
              <Link href={runHref(run.runId)}>
                <InertText text={run.said === '' ? run.runId : run.said} />
              </Link>
              <span className="row-reason">{formatTime(run.startedAt)}</span>
            </th>
            <td data-title="Guard">
              {row.processorId}
              <span className="row-reason">
                {titles.get(row.phase) ?? row.phase}, step {row.stepNumber + 1}
                {row.attempt > 1 && `, attempt ${row.attempt}`}
              </span>
            </td>
            <td data-title="Recorded">
              <Verdict verdict={row.before} />
            </td>
            <td data-title="Replayed">
              <Verdict verdict={row.after} />
            </td>
            <td data-title="The run ends">
              <Ending comparison={comparison} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
};
