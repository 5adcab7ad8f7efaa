import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
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
    throw new InterlockError('command/failed-module', { path, detail: whyNot(path, cause), cause });
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

/** The place in the first line of an error's stack, if the line contains nothing else. */
const placeIn = (stack = ''): string | undefined => /^(?:file:\/\/)?(\S+:\d+)\n/.exec(stack)?.[1];

/** Relative imports, static and dynamic. */
const imported = /\b(?:from|import)\s*\(?\s*['"](\.[^'"]+)['"]/g;

/** The first syntax error in a module or in the files that it imports. Node reports its place only when it checks the file itself; nothing is run. */
const syntaxFault = (path: string): string | undefined => {
  const files = new Set([path]);
  for (const file of files) {
    if (!existsSync(file)) continue;
    const place = placeIn(spawnSync(process.execPath, ['--check', file], { encoding: 'utf8' }).stderr);
    if (place !== undefined) return place;
    for (const [, name = ''] of readFileSync(file, 'utf8').matchAll(imported)) files.add(resolve(file, '..', name));
  }
  return undefined;
};

const whyNot = (path: string, cause: unknown): string => {
  const place = cause instanceof SyntaxError ? (placeIn(cause.stack) ?? syntaxFault(path)) : undefined;
  return `${cause instanceof Error ? cause.message : String(cause)}${place === undefined ? '' : ` (${place})`}`;
};
