import type { Engine, Program, ProgramRuns } from '../../durable/journal.js';
import { InterlockError, isInterlockError, messageOf } from '../../errors.js';

/** Hosts a program on an engine. Errors of the engine or its driver, now and later, become the cause of `durable/engine-failed`. */
export const hostCoded = ({ name, host }: Engine, program: Program): ProgramRuns => {
  try {
    const { board, ...runs } = host(program);
    return { ...coded(name, runs), ...(board && { board: coded(name, board) }) };
  } catch (cause) {
    throw toCoded(cause, name);
  }
};

type Method = (...args: unknown[]) => Promise<unknown>;

const coded = <T extends object>(engine: string, methods: T): T =>
  Object.fromEntries(
    Object.entries(methods as Record<string, Method | undefined>).map(([name, method]) => [
      name,
      method && codedMethod(`${engine}.${name}`, method),
    ]),
  ) as T; // the same methods

const codedMethod =
  (path: string, method: Method): Method =>
  async (...args) => {
    try {
      return await method(...args);
    } catch (cause) {
      throw toCoded(cause, path);
    }
  };

const toCoded = (cause: unknown, path: string): InterlockError =>
  isInterlockError(cause) ? cause : new InterlockError('durable/engine-failed', { path, detail: messageOf(cause), cause });
