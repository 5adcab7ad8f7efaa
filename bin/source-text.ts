import { readdirSync } from 'node:fs';
import { join } from 'node:path';

const skipped = new Set(['node_modules', 'dist', 'build', 'out', 'coverage']);

/** The program's own files in a folder, without tests, installed and built files. */
export const sourcesIn = (folder: string): string[] =>
  readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return entry.name.startsWith('.') || skipped.has(entry.name) ? [] : sourcesIn(path);
    return /(?<!\.d|\.test|\.spec)\.[cm]?[jt]sx?$/.test(entry.name) ? [path] : [];
  });

/** The same text with blanks for comments and the content of strings and templates, so that positions stay. */
export const maskedOf = (source: string): string =>
  source.replaceAll(/\/\*[^]*?\*\/|\/\/[^\n]*|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\[^]|[^`\\])*`/g, (found) =>
    found.replaceAll(/[^\n]/g, ' '),
  );

/** The position of the first letter from a position on. */
export const literalAt = (masked: string, at: number): number => at + (/^\s*/.exec(masked.slice(at))?.[0].length ?? 0);

/** The text between two brackets at its top level, with blanks for nested content, so that positions stay. */
export const topLevelOf = (masked: string, open: number): string => {
  let depth = 0;
  let top = '';
  for (const letter of masked.slice(open)) {
    if ('{[('.includes(letter)) depth += 1;
    else if ('}])'.includes(letter)) depth -= 1;
    if (depth === 0) break;
    top += depth === 1 && !'{[(}])'.includes(letter) ? letter : ' '.repeat(letter.length);
  }
  return top.slice(1);
};

/** The line of a position, from 1. */
export const lineAt = (source: string, at: number): number => source.slice(0, at).split('\n').length;
