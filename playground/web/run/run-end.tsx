import { runFile } from '../api/request.js';
import { Approval } from '../chat/approval.js';
import { ErrorNotice } from '../components/error-notice.js';
import { TripwireNotice } from '../components/tripwire-notice.js';
import type { RunView } from '../fold/run-view.js';

interface RunEndProps {
  readonly runId: string;
  /** The run as far as it is known, whatever point in time the page shows. */
  readonly view: RunView;
}

/** How the run ended, or what it waits for. */
export const RunEnd = ({ runId, view }: RunEndProps) => (
  <>
    {view.tripwire && <TripwireNotice tripwire={view.tripwire} />}
    {view.error && <ErrorNotice error={view.error} />}
    {view.status === 'suspended' &&
      !view.error &&
      !runFile && // else there is nothing left to answer
      view.waiting.map((call) => <Approval key={call.toolCallId} runId={runId} call={call} />)}
  </>
);
