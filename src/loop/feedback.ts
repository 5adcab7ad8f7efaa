import { restoreConversation } from './conversation-snapshot.js';
import { feedbackText } from './feedback-text.js';
import type { Run } from './run.js';

const tag = 'processor-feedback';

/** Puts the feedback of the last rejection into the conversation, where there is one, in place of any older. */
export const showFeedback = ({ options: { ports }, list, feedback }: Run): void =>
  ports.messages.writeTagged(list, tag, feedback === undefined ? [] : [{ role: 'system', content: feedbackText(feedback) }]);

/** Takes the feedback out of the conversation: it does not outlive the attempt it was for. */
export const clearFeedback = ({ options: { ports }, list }: Run): void => ports.messages.writeTagged(list, tag, []);

/** The conversation goes back to where the attempt began, so that nothing of a rejected one stays; its feedback is noted. */
export const restart = (run: Run): void => {
  restoreConversation(run, run.start);
  if (run.stop?.kind === 'retry') run.feedback = run.stop.reason;
  run.stop = undefined;
  run.error = undefined;
};
