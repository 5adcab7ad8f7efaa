import { execFileSync } from 'node:child_process';
import { cpSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const root = join(import.meta.dirname, '../..');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');

/** What a changeset tells the reader, on one line. */
const noteOf = (path: string): string =>
  read(path)
    .replace(/^---[^]*?\n---\n/, '')
    .replaceAll(/\s+/g, ' ')
    .trim();

describe('a release, rehearsed in a copy', () => {
  const folder = mkdtempSync(join(tmpdir(), 'interlock-release-'));
  const run = (file: string, args: readonly string[]) => execFileSync(file, args, { cwd: folder, stdio: 'pipe' });
  const notes = globSync('.changeset/*.md', { cwd: root }).filter((path) => !path.endsWith('README.md'));

  beforeAll(() => {
    for (const path of ['.changeset', 'package.json', 'scripts/stamp-version.mjs', 'src/trace/library-version.ts'])
      cpSync(join(root, path), join(folder, path), { recursive: true });
    // No changelog says what is new in a release that has nothing new.
    if (notes.length === 0)
      writeFileSync(join(folder, '.changeset/one.md'), "---\n'mastra-interlock': patch\n---\n\nA rehearsal.\n");
    run('git', ['init', '-q', '-b', 'main']);
    run('git', ['add', '.']);
    run('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.com', 'commit', '-qm', 'All.']);
    run(process.execPath, [join(root, 'node_modules/.bin/changeset'), 'version']);
    run(process.execPath, ['scripts/stamp-version.mjs']);
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const now = (path: string): string => readFileSync(join(folder, path), 'utf8');
  const versionIn = (text: string): string => (JSON.parse(text) as { version: string }).version;

  it('raises the version, which traces carry too', () => {
    const version = versionIn(now('package.json'));
    expect(version).not.toBe(versionIn(read('package.json')));
    expect(now('src/trace/library-version.ts')).toContain(`'mastra-interlock@${version}'`);
  });

  it('collects every changeset into the changelog, and takes it away', () => {
    const changelog = now('CHANGELOG.md').replaceAll(/\s+/g, ' ');
    for (const path of notes) expect(changelog).toContain(noteOf(path));
    expect(globSync('.changeset/*.md', { cwd: folder })).toEqual(['.changeset/README.md']);
  });

  it('is published with provenance by the workflow alone', () => {
    const { publishConfig } = JSON.parse(read('package.json')) as { publishConfig: object };
    expect(publishConfig).toEqual({ access: 'public', provenance: true });
    const workflow = read('.github/workflows/release.yml');
    for (const line of ['id-token: write', 'bash .ci/run', 'npm run release:version', 'npm run release:publish'])
      expect(workflow).toContain(line);
  });
});
