import { theModule } from './modules.ts';

const { ROOM: module, SAMPLE: every } = process.env;
const { mutate, isStatic = false } = theModule();
const reports = `test-output/mutation/${module}`;

/** Run from the root of the repository, which is copied: `npm run mutation -- ROOM`. */
// oxlint-disable-next-line import/no-default-export -- Stryker reads it so.
export default {
  testRunner: 'vitest',
  // No such file: Stryker would rewrite the real one with an interface that TypeScript 7 no longer has.
  tsconfigFile: 'none.json',
  vitest: { configFile: 'bench/mutation/vitest.config.ts', related: false },
  coverageAnalysis: 'perTest',
  mutate: [
    ...mutate,
    '!src/**/{*.test,*.test-d,test-setup}.ts',
    '!src/pipeline/graph.ts', // types, and `otherwise`, whose own text says that it always holds
  ],
  ignorePatterns: ['dist', 'test-output', 'playground/web', 'docs', 'bench/*', '!bench/mutation', '.vitest', '.interlock'],
  plugins: ['@stryker-mutator/vitest-runner', `${import.meta.dirname}/ask-a-sample.mjs`],
  checkers: every ? ['sample'] : [],
  // Texts are for people; what they say is judged by people.
  mutator: { excludedMutations: ['StringLiteral'] },
  ignoreStatic: !isStatic,
  concurrency: 1,
  // Generous: that the machine is busy is no answer.
  timeoutMS: 10_000,
  timeoutFactor: 4,
  incremental: true,
  incrementalFile: `${reports}/incremental.json`,
  tempDirName: 'test-output/mutation/copy',
  reporters: ['clear-text', 'json', 'progress-append-only'],
  jsonReporter: { fileName: `${reports}/report.json` },
  clearTextReporter: { allowColor: false, reportTests: false, reportScoreTable: true },
  disableTypeChecks: false,
};
