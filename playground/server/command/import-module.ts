import { pathToFileURL } from 'node:url';
import { InterlockError } from '../../../src/index.js';

/** The exports of a module. */
export type Exports = Readonly<Record<string, unknown>>;

/**
 * Imports a module from the command line. TypeScript that Node cannot load, such as imports without extensions, is loaded with jiti.
 * Raises `command/failed-module` with the error of the module as its cause.
 */
export const importModule = async (path: string): Promise<Exports> => {
  try {
    return await importNatively(path);
  } catch (cause) {
    throw new InterlockError('command/failed-module', { path, detail: whyNot(cause), cause });
  }
};

const importNatively = async (path: string): Promise<Exports> => {
  try {
    return (await import(pathToFileURL(path).href)) as Exports; // a module's exports
  } catch (error) {
    if (!isTypeScript(path) || !unloadable.has(String((error as { code?: unknown } | null)?.code))) throw error;
    const { createJiti } = await import('jiti');
    return createJiti(path, { fsCache: false, interopDefault: false, tsconfigPaths: true }).import<Exports>(path);
  }
};

const isTypeScript = (path: string): boolean => /\.[cm]?tsx?$/.test(path);

/** Errors that Node raises before it runs any code of a module. */
const unloadable = new Set([
  'ERR_MODULE_NOT_FOUND',
  'ERR_UNSUPPORTED_DIR_IMPORT',
  'ERR_UNKNOWN_FILE_EXTENSION',
  'ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX',
  'ERR_INVALID_TYPESCRIPT_SYNTAX',
  'ERR_UNSUPPORTED_NODE_MODULES_TYPE_STRIPPING',
]);

/** The place of a syntax error, which is only in the first line of its stack. */
const placeOf = (cause: unknown): string =>
  /^file:\/\/(\S+:\d+)\n/.exec((cause as { stack?: string } | null)?.stack ?? '')?.[1] ?? '';

const whyNot = (cause: unknown): string => {
  const place = placeOf(cause);
  return `${cause instanceof Error ? cause.message : String(cause)}${place && ` (${place})`}`;
};
