/** The feedback for the model about a rejected attempt. The specification fixes the wording. */
export const feedbackText = (reason: string): string =>
  `[Processor Feedback] Your previous response was not accepted: ${reason}. Please try again with the feedback in mind.`;
