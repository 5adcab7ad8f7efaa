import { isInterlockError, parseTrace, type InterlockError } from '../src/index.js';
import { readText, type CommandIo } from './command.js';

type Trace = ReturnType<typeof parseTrace>;

/**
 * Calls a function with each trace. An unreadable trace, such as one of a process that was killed while writing, is reported by
 * its path, and the next one follows. Returns the number of unreadable traces.
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
      io.err(`${path}: ${error.message}\nSee ${error.docs}\n`);
    }
  }
  return unread;
};

/** Whether a file is at fault, and not guards or a command. */
const isUnread = (error: unknown): error is InterlockError =>
  isInterlockError(error) && (error.code.startsWith('trace/') || error.code === 'command/unreadable-file');
