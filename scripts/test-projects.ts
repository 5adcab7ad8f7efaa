import { globSync, readFileSync } from 'node:fs';

const isSlow: readonly string[] = [
  'playground/chat/chat.test.ts',
  'playground/server/command/**',
  'test/ai-sdk/approved/**',
  'test/bin/**',
  'test/chat/**',
  'test/docs/{ai-sdk,examples,guards,readme,verify}.test.ts',
  'test/durable/{killed-twice,memory}.test.ts',
  'test/eval/outside.test.ts',
  'test/mastra/mcp.test.ts',
  'test/memory/parity.test.ts',
  'test/provider/{cancel,failures}.test.ts',
  'test/stream/memory.test.ts',
  'test/scorecard/{adapter,hosts}.test.ts',
  'test/studio/command.test.ts',
  'test/trace/fixture.test.ts',
  'test/verify/good-set.test.ts',
  'workflows/redactor/every-kind.test.ts',
];

/** The tests of durable runs; `npm run test:crash` kills these at every boundary, `npm run test:all` at some. */
const isCrash: readonly string[] = ['test/crash/**', 'test/durable/!(killed-twice|memory).test.ts'];

/** Tests that inspect whole processes, or depend on the state that other files leave in them; and the slow ones. */
const isAlone: readonly string[] = ['test/memory/history.test.ts', 'test/promises/p12-guards.test.ts'];
const isSlowAlone: readonly string[] = ['test/memory/killed.test.ts', 'test/soak/**'];

const filesOf = (patterns: readonly string[]): string[] =>
  patterns
    .flatMap((pattern) => globSync(pattern))
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => path.endsWith('.test.ts'));

/** The folders of `test/` with packages of their own. `npm run test:NAME` runs the tests of `test/NAME`. */
export const separateSuites = (): string[] =>
  globSync('test/*/package.json')
    .map((path) => path.split(/[/\\]/)[1] ?? path)
    .toSorted();

/** Every test file that vitest.config.ts runs. */
export const testFiles = (): string[] => {
  const separate = separateSuites().map((name) => `test/${name}/`);
  const folders = ['src', 'schemas', 'workflows', 'playground', 'test'];
  return filesOf(folders.map((folder) => `${folder}/**/*.test.ts`))
    .filter((path) => !path.includes('node_modules/') && !separate.some((folder) => path.startsWith(folder)))
    .toSorted();
};

/**
 * The files of each vitest project. Each file is in exactly one: `unit` shares modules between files; `isolated` replaces modules
 * with `vi.mock`, or needs a process of its own; `slow` and `slow-isolated` start processes or servers, compile the documents or take
 * long; `crash` kills durable runs. The merge tier runs `unit`, `isolated` and `crash`.
 */
export const testProjects = () => {
  const slow = new Set(filesOf(isSlow));
  const crash = new Set(filesOf(isCrash));
  const alone = new Set(filesOf(isAlone));
  const slowAlone = new Set(filesOf(isSlowAlone));
  const projectOf = (path: string) => {
    if (slow.has(path)) return 'slow';
    if (slowAlone.has(path)) return 'slow-isolated';
    if (crash.has(path)) return 'crash';
    return alone.has(path) || /^vi\.mock\(/m.test(readFileSync(path, 'utf8')) ? 'isolated' : 'unit';
  };
  return { unit: [], isolated: [], slow: [], 'slow-isolated': [], crash: [], ...Object.groupBy(testFiles(), projectOf) };
};
