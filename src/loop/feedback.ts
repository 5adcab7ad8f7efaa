import type { Run } from './run.js';

const tag = 'processor-feedback';

/** What the model is told about a rejected attempt. The wording is the specification's. */
export const feedbackText = (reason: string): string =>
  `[Processor Feedback] Your previous response was not accepted: ${reason}. Please try again with the feedback in mind.`;

/** Tells the model why its last attempt was rejected; for the next attempt only. */
export const giveFeedback = (run: Run, reason: string): void =>
  run.options.ports.messages.writeTagged(run.options.list, tag, [{ role: 'system', content: feedbackText(reason) }]);

/** Takes the feedback back: it does not outlive the attempt it was for. */
export const clearFeedback = (run: Run): void => run.options.ports.messages.writeTagged(run.options.list, tag, []);

/** The conversation goes back to where the attempt began, so that nothing of a rejected one stays; feedback is added. */
export const restart = (run: Run): void => {
  run.backToStart();
  if (run.stop?.kind === 'retry') giveFeedback(run, run.stop.reason);
  run.stop = undefined;
};
