import { useCatalog } from '../../api/catalog.js';
import type { ComparedRow, ComparedVerdict } from '../../../protocol/runs.js';
import { VerdictBadge } from '../../components/badge.js';
import { RowReason } from '../row-head.js';
import { changeOf, differingFirst } from './order-rows.js';

/** Verdicts beside each other, those that differ first. */
export const ComparedTable = ({ rows }: { readonly rows: readonly ComparedRow[] }) => {
  const titles = new Map(useCatalog().phases.map(({ phase, title }) => [phase, title]));
  if (rows.length === 0) return <p className="faint compared-none">No guard was asked.</p>;
  return (
    <table className="rows rows-flush rows-cards compared">
      <thead>
        <tr>
          <th scope="col">Guard</th>
          <th scope="col">Where</th>
          <th scope="col">Recorded</th>
          <th scope="col">Replayed</th>
          <th scope="col">Change</th>
        </tr>
      </thead>
      <tbody>
        {differingFirst(rows).map((row, index) => (
          // oxlint-disable-next-line react/no-array-index-key -- a guard may be asked more than once at one place
          <tr key={index} className={row.differs ? 'compared-differs' : ''}>
            <th scope="row" title={row.path}>
              {row.processorId}
            </th>
            <td data-title="Where">
              {titles.get(row.phase) ?? row.phase}, step {row.stepNumber + 1}
              {row.attempt > 1 && `, attempt ${row.attempt}`}
            </td>
            <td data-title="Recorded">
              <Verdict verdict={row.before} />
            </td>
            <td data-title="Replayed">
              <Verdict verdict={row.after} />
            </td>
            <td data-title="Change">{changeOf(row)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
};

const Verdict = ({ verdict }: { readonly verdict: ComparedVerdict | undefined }) => {
  if (!verdict) return <span className="faint">was not asked</span>;
  return (
    <>
      <VerdictBadge verdict={verdict.verdict} />
      <RowReason text={verdict.reason} />
    </>
  );
};
