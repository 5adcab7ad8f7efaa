import type { Run } from './run.js';

/** A function that begins a new message for the rest of the answer and returns its id. Undefined if messages have no ids. */
export const rotationOf = (run: Run): (() => string) | undefined => {
  const { messages, createId } = run.options.ports;
  return messages.haveIds ? () => (run.messageId = createId()) : undefined;
};
