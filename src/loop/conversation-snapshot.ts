import type { ConversationSnapshot } from './ports.js';
import type { Run } from './run.js';

/** A snapshot of the current conversation. */
export const snapshotConversation = ({ options: { ports }, list }: Run): ConversationSnapshot => ports.messages.checkpoint(list);

/**
 * Restores the conversation. The run gets a new list, so code that still holds the old one, such as a hook that timed out, can no
 * longer change the run.
 */
export const restoreConversation = (run: Run, snapshot: ConversationSnapshot | undefined): void => {
  if (snapshot) run.list = run.options.ports.messages.restore(snapshot, run.list);
};

/** Detaches the conversation, so that code that holds it cannot change the result of the run. */
export const detach = (run: Run): void => {
  const { input, output, error, memory } = run.options.lanes;
  if (input || output || error || memory) run.list = run.options.ports.messages.detached(run.list); // without guards no hook received it
};
