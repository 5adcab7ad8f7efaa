import type { Instructions, ModelMessage } from 'ai';

/** What the AI SDK would send in a step. */
export interface StepInput {
  readonly messages: readonly ModelMessage[];
  readonly instructions: Instructions | undefined;
  readonly runtimeContext: unknown;
}

/** What was sent in a step, and what it stood for. */
interface Sent {
  readonly base: StepInput;
  readonly sent: StepInput;
}

/**
 * What a step changed is gone at the next: the AI SDK carries overrides of messages, instructions and context forward, and this
 * takes them back.
 */
export interface StepMemory {
  /** What the step would have without what earlier steps put in for themselves. */
  baseOf(given: StepInput): StepInput;
  remember(sent: Sent): void;
}

export const createStepMemory = (): StepMemory => {
  let last: Sent | undefined;
  return {
    baseOf: (given) => {
      if (!last) return given;
      const { base, sent } = last;
      return {
        messages: withoutOwn(given.messages, last),
        instructions: given.instructions === sent.instructions ? base.instructions : given.instructions,
        runtimeContext: given.runtimeContext === sent.runtimeContext ? base.runtimeContext : given.runtimeContext,
      };
    },
    remember: (sent) => {
      last = sent;
    },
  };
};

/** Messages that begin with what was sent before go on from what that stood for. */
const withoutOwn = (messages: readonly ModelMessage[], { base, sent }: Sent): readonly ModelMessage[] => {
  const isContinued = sent.messages.every((message, index) => message === messages[index]);
  return isContinued ? [...base.messages, ...messages.slice(sent.messages.length)] : messages;
};
