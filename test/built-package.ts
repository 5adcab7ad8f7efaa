import { execFile } from 'node:child_process';
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { isBuilt } from '../playground/samples/is-built.js';

const root = join(import.meta.dirname, '..');
const sources = ['{bin,schemas,scripts,src,workflows}/**', 'playground/{protocol,server}/**', 'package.json', 'tsconfig*.json'];

/** Writes the built package without the studio's pages into a folder: the build of the repository if it is up to date, or another one. */
export const writeBuiltPackage = async (folder: string): Promise<void> => {
  if (isBuilt('dist/index.d.ts', sources)) {
    cpSync(join(root, 'dist'), folder, { recursive: true, filter: (path) => path !== join(root, 'dist/studio') });
    return;
  }
  const build = ['--import', './scripts/strip-types.mjs', 'scripts/build.ts', '--no-pages', '--out', folder];
  await promisify(execFile)(process.execPath, build, { cwd: root, maxBuffer: 2 ** 24 });
};
