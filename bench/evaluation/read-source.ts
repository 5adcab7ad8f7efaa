import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { SourceFile } from './sources.js';

/** Reads the bytes of a file of a data set. */
export type ReadFile = (file: SourceFile) => Promise<Uint8Array>;

/** From GitHub. */
export const downloaded: ReadFile = async ({ repository, commit, path }) => {
  const url = `https://raw.githubusercontent.com/${repository}/${commit}/${path}`;
  const response = await fetch(url, { signal: AbortSignal.timeout(60_000) });
  if (!response.ok) throw new Error(`${url} answers ${response.status}.`);
  return new Uint8Array(await response.arrayBuffer());
};

/** From a folder that has the repositories as `owner/name`. */
export const fromFolder =
  (folder: string): ReadFile =>
  ({ repository, path }) =>
    readFile(join(folder, repository, path));

/** The text of a file, which is rejected unless it is the pinned one. */
export const readSource = async (file: SourceFile, read: ReadFile): Promise<string> => {
  const bytes = await read(file);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  if (sha256 !== file.sha256) throw new Error(`${file.repository}/${file.path} is another file: its SHA-256 is ${sha256}.`);
  return new TextDecoder().decode(bytes);
};

/** The JSON of a file, as {@link readSource} reads it. */
export const readJson = async (file: SourceFile, read: ReadFile): Promise<unknown> => JSON.parse(await readSource(file, read));
