import { useCatalog } from '../../api/catalog.js';
import type { ComparedRow, ComparedVerdict } from '../../../protocol/runs.js';
import { VerdictBadge } from '../../components/badge.js';
import { RowReason } from '../row-head.js';
import { changeOf, differingFirst, hasCalls, recordedAndReplayed, type Sides } from './order-rows.js';

interface ComparedTableProps {
  readonly rows: readonly (ComparedRow & { readonly agents?: readonly string[] })[];
  /** The names of the two sides. Default: a recording and its replay. */
  readonly sides?: Sides;
}

/** Verdicts of both sides, different ones first. */
export const ComparedTable = ({ rows, sides = recordedAndReplayed }: ComparedTableProps) => {
  const titles = new Map(useCatalog().phases.map(({ phase, title }) => [phase, title]));
  if (rows.length === 0) return <p className="faint compared-none">No guard ran.</p>;
  return (
    <table className="rows small rows-flush rows-cards compared">
      <thead>
        <tr>
          <th scope="col">{hasCalls(rows) ? 'Guard or tool' : 'Guard'}</th>
          <th scope="col">Phase</th>
          <th scope="col">{sides.before.title}</th>
          <th scope="col">{sides.after.title}</th>
          <th scope="col">Change</th>
        </tr>
      </thead>
      <tbody>
        {differingFirst(rows).map((row, index) => (
          // oxlint-disable-next-line react/no-array-index-key -- a guard may be asked more than once at one place
          <tr key={index} className={row.differs ? 'compared-differs' : ''}>
            <th scope="row" title={row.path}>
              {row.processorId}
              {row.agents !== undefined && row.agents.length > 0 && <RowReason text={`sub-agent ${row.agents.join(' › ')}`} />}
            </th>
            <td data-title="Phase">
              {titles.get(row.phase) ?? row.phase}, step {row.stepNumber + 1}
              {row.attempt > 1 && `, attempt ${row.attempt}`}
            </td>
            <td data-title={sides.before.title}>
              <Verdict verdict={row.before} />
            </td>
            <td data-title={sides.after.title}>
              <Verdict verdict={row.after} />
            </td>
            <td data-title="Change">{changeOf(row, sides)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
};

const Verdict = ({ verdict }: { readonly verdict: ComparedVerdict | undefined }) => {
  if (!verdict) return <span className="faint">not called</span>;
  return (
    <>
      <VerdictBadge verdict={verdict.verdict} />
      <RowReason text={verdict.reason} />
    </>
  );
};
