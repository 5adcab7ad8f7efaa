import type { Run } from './run.js';

/**
 * Remembers the conversation as it stands. Coming back to it gives the run a list of its own: whoever still holds the old one,
 * a hook that was given up on above all, changes nothing any more.
 */
export const comeBack = (run: Run): (() => void) => {
  const standing = run.options.ports.messages.checkpoint(run.list);
  return () => void (run.list = standing());
};

/** What the run ends with is out of the reach of everybody who was handed its conversation. */
export const detach = (run: Run): void => {
  const { input, output, error, memory } = run.options.lanes;
  if (input || output || error || memory) comeBack(run)(); // without guards nobody was handed it
};
