import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { loadEntry } from './command/load-entry.js';
import type { Catalog } from '../protocol/catalog.js';
import { openStudio } from './test-setup.js';

const folder = mkdtempSync(join(tmpdir(), 'interlock-entry-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const root = join(import.meta.dirname, '../..');
const write = (name: string, code: string): string => {
  const path = join(folder, name);
  writeFileSync(path, code);
  return path;
};

it('finds the guarded loops of the AI SDK that a module exports', async () => {
  const path = write(
    'loops.ts',
    `import { guardedToolLoop } from '${root}/src/ai-sdk/index.js';
     import { scriptedModel } from '${root}/src/testing/index.js';
     import { redactor } from '${root}/workflows/guards/index.js';
     const model = scriptedModel({ specificationVersion: 'v4', steps: () => ({ text: 'Write to ada@example.com.' }) });
     export const desk = guardedToolLoop({ model, guards: [redactor({ strategy: 'replace' })] });
     export const other = { version: 1 };`,
  );
  const mastra = await loadEntry(path);
  expect(Object.keys(mastra.listAgents())).toEqual(['desk']);
  const { text } = await mastra.getAgent('desk').generate('Who knows?');
  expect(text).toBe('Write to [EMAIL].');
  const studio = await openStudio(mastra.getAgent('desk') as never);
  expect(JSON.stringify(await studio.json<Catalog>('catalog'))).toContain('desk');
});

it('rejects a module without agents', async () => {
  const path = write('nothing.ts', 'export const other = { version: 1 };');
  await expect(loadEntry(path)).rejects.toThrow('it exports other');
});
