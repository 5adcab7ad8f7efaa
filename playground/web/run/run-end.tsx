import { Approval } from '../chat/approval.js';
import { ErrorNotice } from '../components/error-notice.js';
import { TripwireNotice } from '../components/tripwire-notice.js';
import type { RunView } from '../fold/run-view.js';

interface RunEndProps {
  readonly runId: string;
  /** The run at the point in time. */
  readonly view: RunView;
  /** Whether the run still waits: what was answered since is not asked again. */
  readonly isWaiting: boolean;
  readonly onAnswered: () => void;
}

/** How the run ended, as far as it has at the point in time. */
export const RunEnd = ({ runId, view, isWaiting, onAnswered }: RunEndProps) => (
  <>
    {view.tripwire && <TripwireNotice tripwire={view.tripwire} />}
    {view.error && <ErrorNotice error={view.error} />}
    {isWaiting &&
      view.status === 'suspended' &&
      !view.error && // else nobody can answer it
      view.waiting.map((call) => <Approval key={call.toolCallId} runId={runId} call={call} onAnswered={onAnswered} />)}
  </>
);
