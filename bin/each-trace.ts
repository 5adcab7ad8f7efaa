import { isInterlockError, parseTrace } from '../src/index.js';
import type { CommandIo } from './command.js';
import { readText } from './read-text.js';

type Trace = ReturnType<typeof parseTrace>;

/**
 * Does something with each trace. One that cannot be read, such as one whose process was killed while it wrote, is told by its path, and
 * the others are gone on with. Gives how many those are.
 */
export const eachTrace = async (
  io: CommandIo,
  paths: readonly string[],
  use: (trace: Trace, path: string) => unknown,
): Promise<number> => {
  let unread = 0;
  for (const path of paths) {
    try {
      await use(parseTrace(await readText(io, path)), path);
    } catch (error) {
      if (!isUnread(error)) throw error;
      unread += 1;
      io.err(`${path}: ${(error as Error).message}\n`);
    }
  }
  return unread;
};

/** What is wrong with a file, and not with guards or a command. */
const isUnread = (error: unknown): boolean =>
  isInterlockError(error) && (error.code.startsWith('trace/') || error.code === 'command/unreadable-file');
