import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const root = join(import.meta.dirname, '../..');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');

/** The text of a changeset, on one line. */
const noteOf = (path: string): string =>
  read(path)
    .replace(/^---[^]*?\n---\n/, '')
    .replaceAll(/\s+/g, ' ')
    .trim();

describe('a release in a copy of the repository', () => {
  const folder = mkdtempSync(join(tmpdir(), 'interlock-release-'));
  const run = (file: string, args: readonly string[]) => execFileSync(file, args, { cwd: folder, stdio: 'pipe' });
  const notes = globSync('.changeset/*.md', { cwd: root }).filter((path) => !path.endsWith('README.md'));

  beforeAll(() => {
    const scripts = ['scripts/stamp-version.mjs', 'scripts/check-release.mjs', 'scripts/pack-readme.mjs'];
    const pages = ['README.md', 'docs/reference/errors.md', 'docs/options.md', 'docs/guide/policies.md'];
    for (const path of ['.changeset', 'package.json', ...scripts, ...pages, 'src/library.ts'])
      cpSync(join(root, path), join(folder, path), { recursive: true });
    // A release without changes has no changelog.
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

  it('raises the version, also in traces', () => {
    const version = versionIn(now('package.json'));
    expect(version).not.toBe(versionIn(read('package.json')));
    expect(now('src/library.ts')).toContain(`'mastra-interlock@${version}'`);
  });

  it('moves every changeset into the changelog', () => {
    const changelog = now('CHANGELOG.md').replaceAll(/\s+/g, ' ');
    for (const path of notes) expect(changelog).toContain(noteOf(path));
    expect(globSync('.changeset/*.md', { cwd: folder })).toEqual(['.changeset/README.md']);
  });

  it('is published with provenance by the workflow only', () => {
    const { publishConfig } = JSON.parse(read('package.json')) as { publishConfig: object };
    expect(publishConfig).toEqual({ access: 'public', provenance: true });
    const workflow = read('.github/workflows/release.yml');
    const [checks = '', release = ''] = workflow.split('\n  release:\n');
    expect(checks).toContain('uses: ./.github/workflows/ci.yml');
    expect(checks).not.toContain(': write');
    expect(checks).toContain('uses: ./.github/workflows/evaluation.yml');
    expect(release).toContain('needs: [checks, guards]');
    expect(read('.github/workflows/evaluation.yml')).toMatch(/workflow_call:[^]*-- --secrets[^]*-- --honest/);
    expect(read('.github/workflows/ci.yml')).toMatch(/workflow_call:[^]*bash \.ci\/run/);
    const lines = ['id-token: write', 'version-script: npm run release:version', 'publish-script: npm run release:publish'];
    for (const line of lines) expect(release).toContain(line);
    // Version 1 of the action reads the output of the command line's version 2, and makes no tags for version 3.
    expect(release).toMatch(/changesets\/action@[\da-f]{40} # v2\./);
    expect(read('package.json')).toMatch(/"@changesets\/cli": "3\./);
  });

  it('has no relative links in its pages, which are restored after packing', () => {
    const pack = (...args: string[]) => run(process.execPath, ['scripts/pack-readme.mjs', ...args]);
    const manifest = now('package.json');
    const pages = ['README.md', 'docs/reference/errors.md', 'docs/options.md', 'docs/guide/policies.md'];
    const texts = pages.map(now);
    pack();
    expect(pages.map(now)).toEqual(texts);

    writeFileSync(
      join(folder, 'package.json'),
      JSON.stringify({ ...(JSON.parse(manifest) as object), repository: 'owner/interlock' }),
    );
    pack();
    const packed = pages.map(now);
    const version = versionIn(manifest);
    expect(packed[0]).toContain(`(https://github.com/owner/interlock/blob/v${version}/docs/live.md)`);
    expect(packed[0]).toContain(`(https://github.com/owner/interlock/raw/v${version}/docs/pictures/studio.gif)`);
    expect(packed[1]).toContain(`(https://github.com/owner/interlock/blob/v${version}/docs/guide/verify.md#all-findings)`);
    const isRelative = /\]\((?!https:|#)[^)]*\)/g;
    expect(packed.flatMap((text) => text.replaceAll(/^```[^]*?^```$/gm, '').match(isRelative) ?? [])).toEqual([]);
    pack('--restore');
    expect(pages.map(now)).toEqual(texts);
    writeFileSync(join(folder, 'package.json'), manifest);
  });

  describe('is rejected before the build', () => {
    const homepage = 'https://owner.github.io/interlock';
    const bugs = { url: 'https://github.com/owner/interlock/issues' };
    const check = (
      repository: unknown,
      env: Record<string, string>,
      addresses: object = { homepage, bugs },
      isStamped = true,
    ) => {
      const whole = JSON.parse(read('package.json')) as object;
      writeFileSync(join(folder, 'package.json'), JSON.stringify({ ...whole, repository, ...addresses }));
      if (isStamped) run(process.execPath, ['scripts/stamp-version.mjs']);
      const { status, stderr } = spawnSync(process.execPath, ['scripts/check-release.mjs'], {
        cwd: folder,
        env,
        encoding: 'utf8',
      });
      return { status, stderr };
    };
    const inWorkflow = { GITHUB_SERVER_URL: 'https://github.com', GITHUB_REPOSITORY: 'owner/interlock' };
    const url = 'git+https://github.com/owner/interlock.git';

    it.each([
      ['package.json has no repository', undefined, inWorkflow, `Add: "repository": { "type": "git", "url": "${url}" }`],
      ['the repository has no URL', { type: 'git' }, inWorkflow, 'package.json has no repository'],
      [
        'another repository publishes',
        { url: 'git+https://github.com/other/interlock.git' },
        inWorkflow,
        'https://github.com/other/interlock',
      ],
      ['no workflow publishes', { type: 'git', url }, {}, 'nothing is published from elsewhere'],
    ])('if %s', (_, repository, env, detail) => {
      const { status, stderr } = check(repository, env);
      expect([status, stderr]).toEqual([1, expect.stringContaining(detail)]);
    });

    it.each([[{ type: 'git', url }], ['github:owner/interlock'], ['owner/interlock'], ['https://github.com/owner/interlock']])(
      'but not if package.json names the publishing repository: %j',
      (repository) => expect(check(repository, inWorkflow)).toEqual({ status: 0, stderr: '' }),
    );

    it.each([
      ['without a homepage', { bugs }, 'package.json needs "homepage"'],
      [
        'with a placeholder for the homepage',
        { homepage: 'https://OWNER.github.io/NAME', bugs },
        'package.json needs "homepage"',
      ],
      ['without an address for bugs', { homepage }, '"bugs": { "url": "https://github.com/owner/interlock/issues" }'],
    ])('%s', (_, addresses, detail) => {
      const { status, stderr } = check({ url }, inWorkflow, addresses);
      expect([status, stderr]).toEqual([1, expect.stringContaining(detail)]);
    });

    it('if errors print another address than the homepage', () => {
      const { stderr } = check({ url }, inWorkflow, { homepage: 'https://other.github.io/interlock', bugs }, false);
      expect(stderr).toContain('Errors do not print the homepage');
    });

    it('by the publish script', () => {
      const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
      expect(scripts['release:publish']).toMatch(/^node scripts\/check-release\.mjs && /);
    });
  });
});
