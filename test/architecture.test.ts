import { globSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { parseSync } from 'oxc-parser';

import { describe, expect, it } from 'vitest';

import { checkLayers } from '../scripts/layers.js';

const sourceFiles = () =>
  globSync('{src,schemas,workflows,bin,playground}/**/*.{ts,tsx}', { exclude: (name) => name.includes('node_modules') }).map(
    (path) => ({
      path: path.replaceAll('\\', '/'),
      source: readFileSync(path, 'utf8'),
    }),
  );

const check = (path: string, source: string) => checkLayers([{ path, source }]);

describe('the layers of the sources', () => {
  it('hold in every source file', () => {
    const files = sourceFiles();
    expect(files.length).toBeGreaterThan(0);
    expect(checkLayers(files)).toEqual([]);
  });

  it.each([
    ['src/pipeline/a.ts', `import { phases } from '../phase/table.js';`],
    ['src/guard/a.ts', `import type { Trace } from '../trace/a.js';`],
    ['src/errors.ts', `import type { Verdict } from './verdict.js';`],
    ['src/testing/a.ts', `import { x } from '../mastra/agent.js';`],
    ['src/loop/a.ts', `import { journal } from '../durable/journal.js';`],
    ['playground/chat/main.ts', `import { x } from '../../workflows/guards/index.js';`],
    ['src/phase/a.test.ts', `import { x } from '../testing/index.js';`],
    ['src/phase/a.ts', `import { z } from 'zod';`],
    ['src/mastra/agent/agent.ts', `import { x } from '../durable/a.js';`],
  ])('let %s contain %s', (path, source) => {
    expect(check(path, source)).toEqual([]);
  });

  it.each([
    { kind: 'an import', path: 'src/phase/a.ts', source: `import { x } from '../guard/a.js';`, target: 'src/guard/a.ts' },
    {
      kind: 'a type import',
      path: 'src/phase/a.ts',
      source: `import type { X } from '../guard/a.js';`,
      target: 'src/guard/a.ts',
    },
    { kind: 'an import type', path: 'src/phase/a.ts', source: `type X = import('../guard/a.js').X;`, target: 'src/guard/a.ts' },
    { kind: 'a dynamic import', path: 'src/loop/a.ts', source: `await import('../mastra/a.js');`, target: 'src/mastra/a.ts' },
    { kind: 'a re-export', path: 'schemas/a.ts', source: `export { x } from '../src/phase/a.js';`, target: 'src/phase/a.ts' },
    { kind: 'a star', path: 'src/stream/a.ts', source: `export * from '../index.js';`, target: 'src/index.ts' },
    {
      kind: 'a module of the same layer',
      path: 'src/mastra/a.ts',
      source: `import { x } from '../ai-sdk/a.js';`,
      target: 'src/ai-sdk/a.ts',
    },
    {
      kind: 'a folder above, inside src/mastra,',
      path: 'src/mastra/messages/a.ts',
      source: `import type { X } from '../agent/a.js';`,
      target: 'src/mastra/agent/a.ts',
    },
    { kind: 'the test kit', path: 'src/mastra/a.ts', source: `import { x } from '../testing/a.js';`, target: 'src/testing/a.ts' },
    { kind: 'a test helper', path: 'workflows/a.ts', source: `import { x } from '../test/a.js';`, target: 'test/a.ts' },
  ])('reject $kind that does not point down', ({ path, source, target }) => {
    const violations = check(path, source);
    expect(violations).toHaveLength(1);
    expect(violations[0]).toContain(`${path} imports ${target}: `);
  });

  it('reject a file that belongs to no module', () => {
    expect(check('src/misc/a.ts', `import { x } from '../errors.js';`)[0]).toContain('src/misc/a.ts belongs to no module');
    expect(check('src/mastra/misc/a.ts', `import { x } from '../safely.js';`)[0]).toContain('belongs to no module');
    expect(check('src/phase/a.ts', `import { x } from '../misc.js';`)[0]).toContain('src/misc.ts, which belongs to no module');
  });
});

/** The packages that a file and its imports load at once: without types, and without dynamic imports. */
const loadedBy = (entry: string): string[] => {
  const files = new Set([entry]);
  const packages = new Set<string>();
  for (const path of files)
    // including those added during the loop
    for (const specifier of runBy(path))
      if (specifier.startsWith('.')) files.add(posix.join(posix.dirname(path), specifier).replace(/\.js$/, '.ts'));
      else packages.add(specifier);
  return [...packages];
};

/** The imports and re-exports of a file other than types. */
const runBy = (path: string): string[] => {
  const { staticImports, staticExports } = parseSync(path, readFileSync(path, 'utf8')).module;
  const imports = staticImports
    .filter(({ entries }) => entries.length === 0 || entries.some(({ isType }) => !isType))
    .map(({ moduleRequest }) => moduleRequest.value);
  const exports = staticExports.flatMap(({ entries }) =>
    entries.flatMap(({ isType, moduleRequest }) => (isType || !moduleRequest ? [] : [moduleRequest.value])),
  );
  return [...imports, ...exports];
};

describe('the hosts that an entry imports', () => {
  const hostsOf = (entry: string) =>
    loadedBy(entry).filter((name) => /^(@mastra|@opentelemetry|@restatedev|@dbos-inc|ai$|pg$|openworkflow)/.test(name));

  it.each([
    ['schemas/index.ts', []],
    ['src/ai-sdk/index.ts', ['ai']],
    ['src/otel/index.ts', ['@opentelemetry/api']],
    ['src/testing/index.ts', []],
    ['workflows/guards/index.ts', []],
  ])('%s: %j', (entry, expected) => {
    expect(hostsOf(entry)).toEqual(expected);
  });

  it('the import of Mastra by the main entry is detected', () => {
    expect(hostsOf('src/index.ts')).toContain('@mastra/core/agent');
  });
});
