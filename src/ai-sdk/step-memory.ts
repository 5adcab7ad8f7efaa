import type { Instructions, ModelMessage } from 'ai';

/** The AI SDK's input of a step. */
export interface StepInput {
  readonly messages: readonly ModelMessage[];
  readonly instructions: Instructions | undefined;
  readonly runtimeContext: unknown;
}

/** The input sent in a step, and its base without the step's changes. */
interface Sent {
  readonly base: StepInput;
  readonly sent: StepInput;
}

/**
 * Limits a step's changes to that step: the AI SDK carries overrides of messages, instructions and context forward, and this removes
 * them.
 */
export interface StepMemory {
  /** The input of the step without earlier steps' own changes. */
  baseOf(step: StepInput): StepInput;
  remember(sent: Sent): void;
}

export const createStepMemory = (): StepMemory => {
  let last: Sent | undefined;
  return {
    baseOf: (step) => {
      if (!last) return step;
      const { base, sent } = last;
      return {
        messages: withoutOwn(step.messages, last),
        instructions: step.instructions === sent.instructions ? base.instructions : step.instructions,
        runtimeContext: step.runtimeContext === sent.runtimeContext ? base.runtimeContext : step.runtimeContext,
      };
    },
    remember: (sent) => {
      last = sent;
    },
  };
};

/** Replaces messages sent in the last step by their base, if the messages start with them. */
const withoutOwn = (messages: readonly ModelMessage[], { base, sent }: Sent): readonly ModelMessage[] => {
  const isContinued = sent.messages.every((message, index) => message === messages[index]);
  return isContinued ? [...base.messages, ...messages.slice(sent.messages.length)] : messages;
};
