import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';

import { integrations, rangeOf } from '../../src/integration.js';
import { openProjectWith, readManifest } from './project.js';

type Integration = keyof typeof integrations;

const folder = mkdtempSync(join(tmpdir(), 'interlock-install-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }), 300_000);

const { devDependencies } = readManifest();
const tested = (...names: readonly Integration[]): Record<string, string> =>
  Object.fromEntries(names.map((name) => [name, devDependencies[name] ?? '']));

const lengthPipeline = "pipeline('p').then(lengthGuard({ maxChars: 5 })).commit()";
const guards = "import { lengthGuard, pipeline } from 'mastra-interlock/guards';";

/** Programs that each use one integration; they print a code of Interlock, or nothing. */
const uses: Partial<Record<Integration, string>> = {
  '@mastra/core': "new (await import('mastra-interlock')).Agent({ name: 'a', instructions: '', model: 'a/b' });",
  ai: `(await import('mastra-interlock/ai-sdk')).createGuardedRun(${lengthPipeline});`,
  '@dbos-inc/dbos-sdk': "(await import('mastra-interlock/dbos')).dbos({ systemDatabaseUrl: 'postgresql://127.0.0.1:1/a' });",
  '@libsql/client': `
    const { Mastra } = await import('@mastra/core/mastra');
    const { startStudio } = await import('mastra-interlock/studio');
    await (await startStudio({ mastra: new Mastra({}), file: 'studio.db', port: 0 })).close();`,
};

const program = (use: string): string => `
  ${guards}
  console.log('guards', ${lengthPipeline}.id);
  try { ${use} console.log('works'); } catch (error) { console.log(error.code, error.message); }
  process.exit();
`;

describe('npm install next to', () => {
  it.concurrent.each<[name: string, Integration, Record<string, string>]>([
    ['ai 5', 'ai', { ai: '5.0.277' }],
    ['ai 6', 'ai', { ai: '6.0.326' }],
    ['DBOS 4', '@dbos-inc/dbos-sdk', { '@dbos-inc/dbos-sdk': '4.27.6', ...tested('pg') }],
    ['@libsql/client 0.14', '@libsql/client', { '@libsql/client': '0.14.0', ...tested('@mastra/core') }],
    ['@mastra/core 1.16', '@mastra/core', { '@mastra/core': '1.16.0' }],
    ['@mastra/core 1.49', '@mastra/core', { '@mastra/core': '1.49.0' }],
  ])(
    '%s succeeds; the guards work, and an integration names the version that it needs',
    async (name, integration, dependencies) => {
      const project = await openProjectWith(join(folder, name.replaceAll(/\W+/g, '-')), dependencies);
      project.write('use.mjs', program(uses[integration] ?? ''));
      const { stdout, stderr } = await project.node(24, ['use.mjs']);
      expect(stdout, stderr).toContain('guards p\n');
      expect(stdout).toContain('install/unsupported-version ');
      expect(stdout).toContain(
        `at ${integration}: ${rangeOf(integration)} is required, ${dependencies[integration]} is installed.`,
      );
    },
  );

  it.concurrent('nothing succeeds; the guards work, and the error names the missing package', async () => {
    const project = await openProjectWith(join(folder, 'bare'), {});
    for (const name of ['@mastra/core', 'ai', '@dbos-inc/dbos-sdk'] as const) {
      project.write('use.mjs', program(uses[name] ?? ''));
      const { stdout, stderr } = await project.node(24, ['use.mjs']);
      expect(stdout, stderr).toContain('guards p\n');
      expect(stdout).toMatch(new RegExp(`ERR_MODULE_NOT_FOUND Cannot find package '${name}'`));
    }
  });

  it.concurrent('everything in the tested versions succeeds', async () => {
    const project = await openProjectWith(join(folder, 'tested'), tested(...(Object.keys(integrations) as Integration[])));
    for (const use of Object.values(uses)) {
      project.write('use.mjs', program(use));
      const { stdout, stderr } = await project.node(24, ['use.mjs']);
      expect(stdout, stderr).toBe('guards p\nworks\n');
    }
  });
});
