import type { Run } from './run.js';

/** A function that starts a new message for the rest of the response and returns its id. Undefined if messages have no ids. */
export const rotationOf = (run: Run): (() => string) | undefined => {
  const { messages, createId } = run.options.ports;
  return messages.haveIds ? () => (run.messageId = createId()) : undefined;
};
