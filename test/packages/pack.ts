import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { TestProject } from 'vitest/node';

import { writeBuiltPackage } from '../built-package.js';

const root = join(import.meta.dirname, '../..');

/**
 * Environment variables for programs: the address of the registry and Node's cache of compiled code, without those of an npm that may have started this process in
 * another folder.
 */
const passedVariables =
  /^(path|home|userprofile|systemroot|tmpdir|temp|lang|(https?|no)_proxy|node_extra_ca_certs|npm_config_(registry|cache|userconfig)|node_compile_cache)$/i;

export const surroundings = Object.fromEntries(Object.entries(process.env).filter(([name]) => passedVariables.test(name)));

/** Packs the package without the studio's pages once for all test files, in a separate folder. */
export const setup = async ({ provide }: TestProject) => {
  const folder = mkdtempSync(join(tmpdir(), 'interlock-packed-'));
  const { files } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { readonly files: readonly string[] };
  for (const name of ['package.json', ...files.filter((path) => /^[^!].*\.md$|^LICENSE$/.test(path))])
    cpSync(join(root, name), join(folder, name));
  await writeBuiltPackage(join(folder, 'dist'));
  const { stdout } = await promisify(execFile)('npm', ['pack', '--json', '--ignore-scripts'], { cwd: folder, env: surroundings });
  const [packed] = JSON.parse(stdout) as [{ readonly filename: string }];
  provide('tarball', join(folder, packed.filename));
  return () => rmSync(folder, { recursive: true, force: true });
};
