import type { ConversationSnapshot } from './ports.js';
import type { Run } from './run.js';

/** The conversation as it stands, remembered. */
export const snapshotConversation = ({ options: { ports }, list }: Run): ConversationSnapshot => ports.messages.checkpoint(list);

/**
 * The conversation goes back to how it stood. This gives the run a list of its own: whoever still holds the old one, a hook that
 * was given up on above all, changes nothing any more.
 */
export const restoreConversation = (run: Run, snapshot: ConversationSnapshot | undefined): void => {
  if (snapshot) run.list = run.options.ports.messages.restore(snapshot, run.list);
};

/** What the run ends with is out of the reach of everybody who was handed its conversation. */
export const detach = (run: Run): void => {
  const { input, output, error, memory } = run.options.lanes;
  if (input || output || error || memory) restoreConversation(run, snapshotConversation(run)); // without guards nobody was handed it
};
