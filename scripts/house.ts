/** Prints the size and shape of the shipped sources. Usage: npm run house [-- OPTION], where OPTION is the option to count. */
import { globSync, readFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseSync } from 'oxc-parser';

import { Agent, guard } from '../src/index.js';
import { scriptedModel } from '../src/testing/index.js';
import { importsOf } from './layers.js';

const isTest = /\.test(-d)?\.tsx?$|\/test-setup\.ts$/;
const option = process.argv[2] ?? 'maxProcessorRetries';

/** The library as installed by npm, without the studio. */
const files = globSync('{src,schemas,workflows,bin}/**/*.ts')
  .map((path) => path.replaceAll('\\', '/'))
  .filter((path) => !isTest.test(path))
  .map((path) => {
    const source = readFileSync(path, 'utf8');
    const { comments, module } = parseSync(path, source);
    return { path, source, comments, module };
  });
type File = (typeof files)[number];

/** Lines of code: neither blank nor comment. */
const codeLines = ({ source, comments }: File): number => {
  const parts: string[] = [];
  let from = 0;
  for (const { start, end } of comments) {
    parts.push(source.slice(from, start), source.slice(start, end).replaceAll(/[^\n]/g, ''));
    from = end;
  }
  parts.push(source.slice(from));
  return parts
    .join('')
    .split('\n')
    .filter((line) => line.trim() !== '').length;
};

/** Names that a file declares and exports; re-exports do not count. */
const exportedDeclarations = ({ module }: File): number =>
  module.staticExports.flatMap(({ entries }) => entries).filter(({ moduleRequest }) => !moduleRequest).length;

/** The longest chain of imports, types included, as paths from its first file to its last. There are no cycles. */
const longestChain = (): string[] => {
  const sources = new Map(files.map((file) => [file.path, file]));
  const chains = new Map<string, string[]>();
  const chainFrom = (path: string): string[] => {
    const known = chains.get(path);
    if (known) return known;
    const file = sources.get(path);
    if (!file) return [];
    const chain = [path, ...longest(importsOf(file).map(chainFrom))];
    chains.set(path, chain);
    return chain;
  };
  return longest(files.map(({ path }) => chainFrom(path)));
};

const longest = (chains: readonly string[][]): string[] =>
  chains.reduce<string[]>((best, chain) => (chain.length > best.length ? chain : best), []);

/** Files of the library in which a call runs at least one function, counted by V8 on the second call. */
const filesRunBy = async (call: () => Promise<unknown>): Promise<number> => {
  await call();
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  await call();
  const { result } = await session.post('Profiler.takePreciseCoverage');
  await session.post('Profiler.stopPreciseCoverage');
  session.disconnect();
  const paths = new Set(files.map(({ path }) => path));
  return result.filter(
    ({ url, functions }) =>
      url.startsWith('file:') &&
      paths.has(relative(process.cwd(), fileURLToPath(url)).replaceAll('\\', '/')) &&
      functions.some(({ ranges }) => (ranges[0]?.count ?? 0) > 0),
  ).length;
};

const agentWith = (guards: object) =>
  new Agent({
    id: 'measured',
    name: 'Measured',
    instructions: 'Answer in one sentence.',
    model: scriptedModel({ steps: () => ({ text: 'The sky is blue.' }) }),
    ...guards,
  });

const guarded = agentWith({
  outputProcessors: [guard({ id: 'sentences', processOutputStream: async ({ part }) => part }, { window: 'sentence' })],
});
const blocking = agentWith({
  inputProcessors: [{ id: 'block', processInput: ({ abort }: { abort: (reason: string) => never }) => abort('Blocked.') }],
});
/** Reads one answer to its end. Throws if the run ended unexpectedly, so that no failed run is measured. */
const readAll = async (agent: typeof guarded, expected: 'text-delta' | 'tripwire'): Promise<void> => {
  const { fullStream } = await agent.stream('What color is the sky?');
  const types = new Set<string>();
  for await (const { type } of fullStream) types.add(type);
  if (!types.has(expected) || types.has('error')) throw new Error(`A measured run gave ${[...types].join(', ')}.`);
};

const lines = files.reduce((sum, file) => sum + codeLines(file), 0);
const exported = files.reduce((sum, file) => sum + exportedDeclarations(file), 0);
const chain = longestChain();

console.table({
  'lines of code': lines,
  files: files.length,
  'exported declarations per 1,000 lines': Number(((exported * 1000) / lines).toFixed(1)),
  [`longest import chain (from ${chain[0]})`]: chain.length,
  [`files that mention ${option}`]: files.filter(({ source }) => new RegExp(`\\b${option}\\b`).test(source)).length,
  'files that run for one guarded sentence': await filesRunBy(() => readAll(guarded, 'text-delta')),
  'files that run for one blocked input': await filesRunBy(() => readAll(blocking, 'tripwire')),
});
