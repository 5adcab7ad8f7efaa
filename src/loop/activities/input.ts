import { clearFeedback, restart, showFeedback } from '../feedback.js';
import { snapshotConversation } from '../conversation-snapshot.js';
import { whenReady, type Awaitable } from '../../phase/awaitable.js';
import { isGuarded, judge } from '../judge.js';
import type { Outcome } from '../outcome.js';
import type { Run } from '../run.js';

/** Judges the user's input once, before the loop. */
export const input = (run: Run): Awaitable<Outcome> => {
  const { messages } = run.scope.host;
  if (run.position.attempt > 1) restart(run);
  else if (isGuarded(run, 'input')) run.start = snapshotConversation(run);
  showFeedback(run);
  const { list } = run;
  const judged = judge<'input'>(run, {
    phase: 'input',
    messages: messages.read(list, 'all'),
    messageList: list,
    systemMessages: messages.readSystem(list),
    retryCount: run.retries,
  });
  return whenReady(judged, ({ outcome }) => {
    if (outcome) return outcome;
    clearFeedback(run);
    run.baseSystem = [...messages.readSystem(list)];
    return { kind: 'done' };
  });
};
