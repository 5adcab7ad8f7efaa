import { isInSample } from './sample.ts';

const every = Number(process.env.SAMPLE ?? 1);

/** Stryker's word for a change that is not asked about. */
const skipped = { status: 'compileError', reason: `Not in the sample of one in ${every}` };

// Here lines and columns count from 0, in the report from 1.
const reported = ({ line, column }) => ({ line: line + 1, column: column + 1 });

const isSampled = ({ fileName, location: { start, end }, ...change }) =>
  isInSample(fileName, { ...change, location: { start: reported(start), end: reported(end) } }, every);

/** Read by Stryker, which asks a checker whether a change is worth its tests. */
export const strykerPlugins = [
  {
    kind: 'Checker',
    name: 'sample',
    factory: () => ({
      init: async () => undefined,
      group: async (changes) => [changes.map(({ id }) => id)],
      check: async (changes) =>
        Object.fromEntries(changes.map((change) => [change.id, isSampled(change) ? { status: 'passed' } : skipped])),
    }),
  },
];
