/** The fields of a step's request that repeat the prompt. */
export interface StepRequest {
  body?: unknown;
  messages?: unknown;
}

/** The steps that the AI SDK has recorded, and the guards' edits of them. */
interface RecordedRun {
  readonly state: { readonly steps: readonly { readonly request: StepRequest }[] };
  readonly editedSteps: ReadonlyMap<unknown, unknown>;
}

/** If guards edited steps, removes the prompt from all requests, because later ones repeat the removed text. */
export const dropRequests = ({ state: { steps }, editedSteps }: RecordedRun): void => {
  if (editedSteps.size === 0) return;
  for (const { request } of steps) dropWords(request);
};

/** Removes the prompt from a request. */
export const dropWords = (request: StepRequest): void => {
  delete request.body;
  delete request.messages;
};
