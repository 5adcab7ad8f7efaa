import { Check, CirclePause, X } from 'lucide-react';
import type { AnswerCall, StartedRun } from '../../protocol/runs.js';
import { runPath } from '../../protocol/run-file.js';
import { post } from '../api/request.js';
import { useAction } from '../api/use-loaded.js';
import { Button } from '../components/button.js';
import { ErrorNotice, Notice } from '../components/notices.js';
import { FactList } from '../components/fact-list.js';
import { InertText } from '../components/inert-text.js';
import type { WaitingCall } from '../../fold/run-view.js';

/** Asks a person whether a call may run. It has not started yet. */
export const Approval = ({ runId, call }: { readonly runId: string; readonly call: WaitingCall }) => {
  const [sent, act] = useAction<StartedRun>();
  const isSending = sent.state === 'busy' || sent.state === 'done'; // the run goes on without it
  const answer = (approved: boolean) => {
    const body: AnswerCall = { toolCallId: call.toolCallId, approved };
    void act(() => post<StartedRun>(`${runPath(runId)}/answer`, body));
  };
  return (
    <Notice tone="edit" icon={CirclePause} role="status">
      <h3>
        Approve the call of <InertText text={call.toolName} />?
      </h3>
      <FactList facts={{ Arguments: call.args }} />
      <div className="cluster">
        <Button icon={Check} look="primary" disabled={isSending} onClick={() => answer(true)}>
          Approve
        </Button>
        <Button icon={X} disabled={isSending} onClick={() => answer(false)}>
          Decline
        </Button>
      </div>
      {sent.error && <ErrorNotice error={sent.error} />}
    </Notice>
  );
};
