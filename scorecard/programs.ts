import { execFile } from 'node:child_process';
import { globSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';

const folder = import.meta.dirname;

/** The programs that show failures of a host, from this folder. */
export const programsOf = (host: string): string[] => globSync(`{ours,hosts}/programs/${host}/*.ts`, { cwd: folder }).toSorted();

/** Imports one program after the other: the hosts of a process are loaded once. */
const script = `for (const file of process.argv.slice(1)) {
  console.log('== ' + file);
  await import(file);
}
process.exit();`;

/** Runs programs in one process, and returns the last line of each: it begins with FAILS where the program shows its failure. */
export const playPrograms = async (files: readonly string[]): Promise<Map<string, string>> => {
  const urls = files.map((file) => pathToFileURL(path.join(folder, file)).href);
  const flags = ['--import', '../scripts/strip-types.mjs', '--no-warnings', '--unhandled-rejections=warn', '--input-type=module'];
  const { stdout } = await promisify(execFile)(process.execPath, [...flags, '--eval', script, ...urls], {
    cwd: folder,
    maxBuffer: 1e8,
    timeout: 120_000,
  });
  const last = stdout
    .split(/^== .*$/mu)
    .slice(1)
    .map((output) => output.match(/^(?:FAILS|HOLDS).*$/mu)?.[0] ?? '');
  return new Map(files.map((file, at) => [file, last[at] ?? '']));
};
