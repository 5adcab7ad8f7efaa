import { Check, CirclePause, X } from 'lucide-react';
import { useLocation } from 'wouter';
import type { AnswerCall, StartedRun } from '../../protocol/runs.js';
import { runPath } from '../../protocol/run-file.js';
import { post, runFile } from '../api/request.js';
import { useAction } from '../api/use-loaded.js';
import { Button } from '../components/button.js';
import { ErrorNotice, Notice } from '../components/notices.js';
import { FactList } from '../components/fact-list.js';
import { InertText } from '../components/inert-text.js';
import { runHref } from '../shell/hrefs.js';
import type { RunView, WaitingCall } from '../../fold/run-view.js';

interface ApprovalsProps {
  readonly runId: string;
  readonly view: RunView;
  /** Gets the run that continues: another one for a loop of the AI SDK. Default: its page is opened. */
  readonly onAnswer?: (run: StartedRun) => void;
}

/** The calls of a run that wait for a person. Nothing is left to answer in a file, and after an error. */
export const Approvals = ({ view, ...props }: ApprovalsProps) =>
  view.status === 'suspended' &&
  !runFile &&
  !view.error &&
  view.waiting.map((call) => <Approval key={call.toolCallId} {...props} call={call} />);

/** Asks a person whether a call may run. It has not started yet. */
const Approval = ({ runId, call, onAnswer }: Omit<ApprovalsProps, 'view'> & { readonly call: WaitingCall }) => {
  const [, navigate] = useLocation();
  const [sent, act] = useAction<StartedRun>();
  const isSending = sent.state === 'busy' || sent.state === 'done'; // the run goes on without it
  const answer = async (approved: boolean): Promise<void> => {
    const body: AnswerCall = { toolCallId: call.toolCallId, approved };
    const run = await act(() => post<StartedRun>(`${runPath(runId)}/answer`, body));
    if (run && onAnswer) onAnswer(run);
    else if (run && run.runId !== runId) navigate(runHref(run.runId));
  };
  return (
    <Notice tone="edit" icon={CirclePause} role="status">
      <h3>
        Approve the call of <InertText text={call.toolName} />?
      </h3>
      <FactList facts={{ Arguments: call.args }} />
      <div className="cluster">
        <Button icon={Check} look="primary" disabled={isSending} onClick={() => void answer(true)}>
          Approve
        </Button>
        <Button icon={X} disabled={isSending} onClick={() => void answer(false)}>
          Decline
        </Button>
      </div>
      {sent.error && <ErrorNotice error={sent.error} />}
    </Notice>
  );
};
