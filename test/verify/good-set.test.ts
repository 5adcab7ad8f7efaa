import { globSync, readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { runInThisContext } from 'node:vm';

import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import manifest from '../../package.json' with { type: 'json' };
import { InterlockAgent, verify, type Finding, type GuardTraits, type Pipeline } from '../../src/index.js';
import { sourceOf as sourceFor } from '../../scripts/entries.js';
import * as testing from '../../src/testing/index.js';
import * as guards from '../../workflows/guards/index.js';
import * as pipelines from '../../workflows/index.js';
import { createOrderStore } from '../../playground/samples/shop/order-store.js';
import { createSupportAgent } from '../../playground/samples/shop/support-agent.js';

const model = () => testing.scriptedModel({ steps: [{ text: 'Hello.' }] });

/** Required options of guards. */
const needed: Readonly<Record<string, object>> = {
  blockedTermsGuard: { terms: ['some', 'words'] },
  redactor: { strategy: 'mask' },
  scriptGuard: { scripts: ['Latin'] },
  topicGuard: { topics: { shop: ['order', 'parcel'] } },
  classifierGuard: { classifier: { classify: () => Promise.resolve([]) }, labels: { INJECTION: 0.8 } },
  jsonGuard: { schema: z.object({ answer: z.string() }) },
  judgeGuard: { model: model(), policies: { injection: guards.judgePolicies.injection } },
  languageGuard: { languages: ['en'], detector: { detect: () => ({ language: 'en', isReliable: () => true }) } },
  limitGuard: { limits: [{ unit: 'runs', limiter: { consume: () => Promise.resolve({ msBeforeNext: 0 }) } }] },
  moderationGuard: { endpoint: 'http://127.0.0.1:1/v1/moderations' },
};

describe('the good set has no finding', () => {
  const makers = Object.entries({ ...guards, ...pipelines }).filter(
    (entry): entry is [string, (options: object) => never] =>
      typeof entry[1] === 'function' && /Guard$|Moderation$|Quality$|^redactor$/.test(entry[0]),
  );

  it.each(makers)('%s', (name, make) => {
    const made: object = make(needed[name] ?? {});
    expect(verify('stepGraph' in made ? (made as never) : [made as never])).toEqual([]);
  });

  it.each(makers.filter(([name]) => /Guard$|^redactor$/.test(name)))('%s declares its decisions', (name, make) => {
    expect((make(needed[name] ?? {}) as { traits?: GuardTraits }).traits?.decides).toBeInstanceOf(Array);
  });

  it('contains all built-in pipelines and guards', () => {
    expect(makers.map(([name]) => name)).toEqual(
      expect.arrayContaining(['contentModeration', 'responseQuality', 'redactor', 'linkGuard']),
    );
  });

  it('the agent of the playground', () => {
    expect(verify(createSupportAgent(model() as never, createOrderStore()))).toEqual([]);
  });
});

// --- The documents: every example that imports the package is run, and its declarations are verified. ---

const documents = ['README.md', ...globSync('docs/**/*.md', { exclude: (path) => /decisions|verify\.md$/.test(path) })];
const imports = /^import (?:type )?(\{[^}]+\}) from ['"](.+)['"];?$/gm;
/** This package's entries from its sources, built or not; other packages are loaded by name. */
const ownSources = Object.entries(manifest.exports).flatMap(([entry, target]): [string, string][] =>
  typeof target === 'string' ? [] : [[`mastra-interlock${entry.slice(1)}`, `../../${sourceFor(target.default)}`]],
);
const sourceOf = new Map(ownSources);

const examplesIn = (path: string): string[] =>
  Array.from(readFileSync(path, 'utf8').matchAll(/^```ts\n([^]*?)^```$/gm), ([, code = '']) => code).filter((code) =>
    code.includes("from 'mastra-interlock'"),
  );

const load = (path: string): Promise<object> => import(sourceOf.get(path) ?? path) as Promise<object>;

const silent = { log: () => undefined };

/** Runs an example without its output, and returns its top-level declarations. */
const declaredBy = async (code: string): Promise<unknown[]> => {
  const body = stripTypeScriptTypes(code.replaceAll(/^import type .+$/gm, '')).replaceAll(
    imports,
    (_, names: string, path: string) =>
      `const ${names.replaceAll(/\btype \w+,?/g, '').replaceAll(' as ', ': ')} = await load('${path}');`,
  );
  const names = Array.from(body.matchAll(/^const (\w+) =/gm), ([, name]) => name);
  const run = runInThisContext(`(async ({ load, console }) => {\n${body}\nreturn [${names.join(', ')}];\n})`) as (
    around: object,
  ) => Promise<unknown[]>;
  return run({ load, console: silent });
};

const isPipeline = (value: unknown): value is Pipeline =>
  typeof value === 'object' && value !== null && ('graph' in value || 'stepGraph' in value);

/** Content that waits for a guard of steps or answers is the safe default, and delays only streams. */
const delaysNothing = (code: string, finding: Finding): boolean =>
  finding.code === 'guard/holds-answer' && !code.includes('.stream(');

describe('the examples of the documents have no finding', () => {
  const examples = documents.flatMap((path) => examplesIn(path).map((code, index) => ({ name: `${path} ${index}`, code })));

  it('exist', () => expect(examples.length).toBeGreaterThan(0));

  it.each(examples)('$name', async ({ code }) => {
    const declared = await declaredBy(code);
    const agents = declared.filter((value) => value instanceof InterlockAgent);
    const found =
      agents.length > 0 ? agents.flatMap((agent) => verify(agent)) : declared.filter(isPipeline).flatMap((one) => verify(one));
    expect(found.filter((finding) => !delaysNothing(code, finding))).toEqual([]);
  });

  it('contain the agent of README.md', async () => {
    const [first = ''] = examplesIn('README.md');
    expect((await declaredBy(first)).some((value) => value instanceof InterlockAgent)).toBe(true);
  });
});
