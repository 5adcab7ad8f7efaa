import type { Run } from './run.js';

/** Begins a new message for what follows of the answer, and gives its id. Nothing where messages have no ids. */
export const rotationOf = (run: Run): (() => string) | undefined => {
  const { messages, createId } = run.options.ports;
  return messages.haveIds ? () => (run.messageId = createId()) : undefined;
};
