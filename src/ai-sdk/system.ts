import type { Instructions, ModelMessage } from 'ai';
import type { AnyMessage, SystemEntry } from './spec.js';
import type { StepInput } from './step-memory.js';

/** Instructions as system messages. */
export const systemOf = (instructions: Instructions | undefined): SystemEntry[] => {
  if (instructions === undefined) return [];
  if (typeof instructions === 'string') return [{ role: 'system', content: instructions }];
  return Array.isArray(instructions) ? instructions : [instructions];
};

/** Messages in the AI SDK's form, with separate instructions. Unchanged ones keep their original form. */
export const splitSystem = (all: readonly AnyMessage[], { instructions }: StepInput): Omit<StepInput, 'runtimeContext'> => {
  const system = all.filter((message): message is Extract<AnyMessage, { role: 'system' }> => message.role === 'system');
  const messages = all.filter(({ role }) => role !== 'system') as ModelMessage[]; // made of such
  const before = systemOf(instructions);
  const isSame = system.length === before.length && system.every((message, index) => message === before[index]);
  return { messages, instructions: isSame ? instructions : system };
};
