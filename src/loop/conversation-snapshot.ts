import type { ConversationSnapshot } from './ports.js';
import type { Run } from './run.js';

/** The conversation as it stands, remembered. */
export const snapshotConversation = ({ options: { ports }, list }: Run): ConversationSnapshot => ports.messages.checkpoint(list);

/**
 * Restores the conversation. The run gets a new list, so code that still holds the old one, such as a hook that timed out, can no longer
 * change the run.
 */
export const restoreConversation = (run: Run, snapshot: ConversationSnapshot | undefined): void => {
  if (snapshot) run.list = run.options.ports.messages.restore(snapshot, run.list);
};

/** What the run ends with is out of the reach of everybody who was handed its conversation. */
export const detach = (run: Run): void => {
  const { input, output, error, memory } = run.options.lanes;
  if (input || output || error || memory) restoreConversation(run, snapshotConversation(run)); // without guards no hook received it
};
