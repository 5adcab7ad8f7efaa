/** What the model is told about a rejected attempt. The wording is the specification's. */
export const feedbackText = (reason: string): string =>
  `[Processor Feedback] Your previous response was not accepted: ${reason}. Please try again with the feedback in mind.`;
