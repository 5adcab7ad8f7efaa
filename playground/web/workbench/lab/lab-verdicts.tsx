import type { RunEvent } from '../../../../schemas/index.js';
import { VerdictBadge } from '../../components/badge.js';
import { count, formatDuration } from '../../components/format.js';
import { RowHead, RowTable } from '../row-head.js';

type GuardEvent = Extract<RunEvent, { type: 'guard' }>;

/** How often each guard was asked, and what it said. */
export const LabVerdicts = ({ events }: { readonly events: readonly RunEvent[] }) => {
  const verdicts = events.filter((event): event is GuardEvent => event.type === 'guard');
  if (verdicts.length === 0) return null;
  return (
    <RowTable caption="Guards" columns={['Guard', 'Verdict', 'Asked']}>
      {verdicts.map(({ seq, path, processorId, verdict, calls, edits, durationMs, reason }) => (
        <tr key={seq}>
          <RowHead id={processorId} path={path} reason={reason} />
          <td>
            <VerdictBadge verdict={verdict} />
          </td>
          <td>
            {count(calls, 'time')}
            {edits > 0 && `, ${count(edits, 'edit')}`}, {formatDuration(durationMs)}
          </td>
        </tr>
      ))}
    </RowTable>
  );
};
