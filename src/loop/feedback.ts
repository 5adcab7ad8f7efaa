import { restoreConversation } from './conversation-snapshot.js';
import { feedbackText } from './feedback-text.js';
import type { Run } from './run.js';

const tag = 'processor-feedback';

/** Puts the feedback of the last rejection, if any, into the conversation. It replaces older feedback. */
export const showFeedback = ({ options: { ports }, list, feedback }: Run): void =>
  ports.messages.writeTagged(list, tag, feedback === undefined ? [] : [{ role: 'system', content: feedbackText(feedback) }]);

/** Removes the feedback from the conversation after the attempt it was for. */
export const clearFeedback = ({ options: { ports }, list }: Run): void => ports.messages.writeTagged(list, tag, []);

/** Restores the conversation to the start of the attempt, so that nothing of a rejected attempt remains; stores its feedback. */
export const restart = (run: Run): void => {
  restoreConversation(run, run.start);
  if (run.stop?.kind === 'retry') run.feedback = run.stop.reason;
  run.stop = undefined;
  run.error = undefined;
};
