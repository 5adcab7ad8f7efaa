import type { ConversationSnapshot, StepRecord } from './ports.js';
import { acceptedSteps, type Run } from './run.js';
import { emitJudged } from './judge.js';
import type { Outcome } from './activity.js';

/** The fields of a payload for the conversation. */
export const conversationFields = ({ scope, state: { list, counters } }: Run, messages: 'all' | 'response' = 'all') => ({
  messages: scope.host.messages.read(list, messages),
  messageList: list,
  systemMessages: scope.host.messages.readSystem(list),
  retryCount: counters.retries,
});

/** Sets the number of parts of each accepted step in the conversation. */
export const setPartCounts = (run: Run, counts: readonly number[]): void => {
  const { accepted, editedFrom } = run.state;
  const first = accepted.findIndex(({ partCount }, index) => partCount !== counts[index]);
  if (first === -1) return;
  for (const [index, step] of accepted.entries()) step.partCount = counts[index] ?? step.partCount;
  run.change({ editedFrom: Math.min(editedFrom ?? first, first) });
};

/** A snapshot of the current conversation. */
export const snapshotConversation = ({ options: { ports }, state: { list } }: Run): ConversationSnapshot =>
  ports.messages.checkpoint(list);

/**
 * Restores the conversation. The run gets a new list, so code that still holds the old one, such as a hook that timed out, can no
 * longer change the run.
 */
export const restoreConversation = (run: Run, snapshot: ConversationSnapshot | undefined): void => {
  if (!snapshot) return;
  const { start, startCounts, list } = run.state;
  run.change({ list: run.options.ports.messages.restore(snapshot, list) });
  if (snapshot === start) setPartCounts(run, startCounts);
};

/**
 * Stores the caller's message as the guards left it, once they have passed the first prompt. Until then, and again while a new attempt is
 * judged, the message is not known to be acceptable.
 */
export const markInputAccepted = (run: Run, isAccepted: boolean): void => {
  if (!run.options.lanes.memory || run.state.counters.stepNumber > 0) return;
  run.change({ acceptedInput: isAccepted ? snapshotConversation(run) : undefined });
};

/** A function that starts a new message for the rest of the response and returns its id. Undefined if messages have no ids. */
export const rotationOf = (run: Run): (() => string) | undefined => {
  const { messages, createId } = run.options.ports;
  return messages.haveIds
    ? () => {
        const messageId = createId();
        run.change({ messageId });
        return messageId;
      }
    : undefined;
};

const tag = 'processor-feedback';

/** Puts the feedback of the last rejection, if any, into the conversation. It replaces older feedback. */
export const showFeedback = ({ options: { ports }, state: { list, feedback } }: Run): void =>
  ports.messages.writeTagged(list, tag, feedback === undefined ? [] : [{ role: 'system', content: feedbackText(feedback) }]);

/** Removes the feedback from the conversation after the attempt it was for. */
export const clearFeedback = ({ options: { ports }, state: { list } }: Run, ofTag = tag): void =>
  ports.messages.writeTagged(list, ofTag, []);

/** The feedback for the model about a rejected attempt. The specification fixes the wording. */
export const feedbackText = (reason: string): string =>
  `[Processor Feedback] Your previous response was not accepted: ${reason}. Please try again with the feedback in mind.`;

/** Tag of the application's feedback about a step in the conversation. */
export const stepFeedbackTag = 'step-feedback';

/**
 * Calls the application's hook for an accepted step, which decides whether the run continues. Returns an outcome if a guard stops on its
 * chunks.
 */
export const afterStep = async (run: Run, shouldContinue: boolean): Promise<{ shouldContinue: boolean; outcome?: Outcome }> => {
  const { afterStep: callHook, messages } = run.options.ports;
  if (!callHook) return { shouldContinue };
  const ruling = await callHook({ list: run.state.list, steps: acceptedSteps(run), shouldContinue });
  let outcome: Outcome | undefined;
  for (const chunk of ruling.chunks ?? [])
    outcome ??= (await emitJudged(run, { ...chunk, runId: run.options.runId, from: 'AGENT' })).outcome;
  if (ruling.feedback !== undefined)
    messages.writeTagged(run.state.list, stepFeedbackTag, [{ role: 'system', content: ruling.feedback }]);
  return { shouldContinue: ruling.shouldContinue, ...(outcome && { outcome }) };
};

/** The fields of a payload for the current step. `own`: its record while it is under review. */
export const stepFields = ({ state: { counters, steps } }: Run, ...own: StepRecord[]) => ({
  stepNumber: counters.stepNumber,
  steps: [...steps, ...own] as never[], // the host's type of a step has more fields than hooks can use
});
