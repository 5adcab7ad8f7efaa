/** The request of a step, as far as it repeats the prompt. */
interface StepRequest {
  body?: unknown;
  messages?: unknown;
}

/** The steps that the AI SDK has recorded, and what guards edited of them. */
interface RecordedRun {
  readonly steps: readonly unknown[];
  readonly editedSteps: ReadonlyMap<number, unknown>;
}

/** Where guards edited steps, the requests of later ones repeat the words. */
export const dropRequests = ({ steps, editedSteps }: RecordedRun): void => {
  if (editedSteps.size === 0) return;
  for (const { request } of steps as readonly { request: StepRequest }[]) dropWords(request); // the AI SDK's own
};

/** Takes the prompt out of a request. */
export const dropWords = (request: StepRequest): void => {
  delete request.body;
  delete request.messages;
};
