import { pathToFileURL } from 'node:url';
import { InterlockError } from '../../../src/index.js';

/** What a module exports. */
export type Exports = Readonly<Record<string, unknown>>;

/** Imports a module that the command line names. Raises `code` where that cannot be done, with what Node says of it and where. */
export const importModule = async (path: string, code: 'studio/invalid-entry' | 'command/invalid-module'): Promise<Exports> => {
  try {
    return (await import(pathToFileURL(path).href)) as Exports; // a module's exports
  } catch (cause) {
    throw new InterlockError(code, { path, detail: whyNot(path, cause), cause });
  }
};

/** A syntax error tells its place in the first line of its stack alone. */
const placeOf = (cause: unknown): string => /^file:\/\/(\S+:\d+)\n/.exec((cause as { stack?: string }).stack ?? '')?.[1] ?? '';

const whyNot = (path: string, cause: unknown): string => {
  const place = placeOf(cause);
  const said = `${cause instanceof Error ? cause.message : String(cause)}${place && ` (${place})`}`;
  const isNodes = typeof (cause as { code?: unknown } | null)?.code === 'string';
  return isNodes && /\.[cm]?tsx?$/.test(path)
    ? `${said}. TypeScript that Node cannot run as it stands is run with tsx installed and NODE_OPTIONS="--import tsx"`
    : said;
};
