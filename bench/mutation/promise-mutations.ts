/** A change that breaks a promise, and the tests of `npm test` that must fail because of it. */
export interface PromiseMutation {
  readonly promise: string;
  readonly breaks: string;
  readonly file: string;
  /** Text of the file, which contains it once, and its replacement. */
  readonly from: string;
  readonly to: string;
  readonly tests: readonly string[];
}

const suite = (promise: string): string[] => [`test/promises/${promise.toLowerCase()}.test.ts`];

/** One change for each promise. */
export const promiseMutations: readonly PromiseMutation[] = [
  {
    promise: 'P1',
    breaks: 'a step that a guard stopped still runs its tools',
    file: 'src/loop/machine.ts',
    from: `{ guard: is('reviewed'), target: 'deciding', actions: 'recordToolCalls' },`,
    to: `{ guard: is('reviewed'), target: 'deciding', actions: 'recordToolCalls' }, { guard: is('trip'), target: 'tools' },`,
    tests: suite('P1'),
  },
  {
    promise: 'P2',
    breaks: 'the stream gate emits chunks before a verdict',
    file: 'src/stream/gate/stream-gate.ts',
    from: ': createWindowStage({ segment, gate, next, maxHeldChars }),',
    to: ': next,',
    tests: suite('P2'),
  },
  {
    promise: 'P3',
    breaks: 'a guard that throws passes',
    file: 'src/guard/in-sequence.ts',
    from: `if (!signal) return { kind: 'unavailable', ...author, error: readable(error) };`,
    to: `if (!signal) return { kind: 'pass' } as never;`,
    tests: suite('P3'),
  },
  {
    promise: 'P4',
    breaks: 'a rejected attempt stays in the conversation',
    file: 'src/loop/finalize-run.ts',
    from: `  keepRejectedWords(run);\n  restoreConversation(run, to);\n`,
    to: `  keepRejectedWords(run);\n`,
    tests: suite('P4'),
  },
  {
    promise: 'P5',
    breaks: 'a failed run reports the finish reason of a successful one',
    file: 'src/loop/finalize-run.ts',
    from: `    case 'failed':\n      return 'error';`,
    to: `    case 'failed':\n      return 'stop';`,
    tests: suite('P5'),
  },
  {
    promise: 'P6',
    breaks: 'one more retry than the budget allows',
    file: 'src/loop/machine.ts',
    from: 'context.retries < context.limits.maxRetries',
    to: 'context.retries <= context.limits.maxRetries',
    tests: suite('P6'),
  },
  {
    promise: 'P7',
    breaks: 'the last branch of a parallel block overwrites the others',
    file: 'src/pipeline/merge-branches.ts',
    from: 'versionsOf(merging, base, states)',
    to: 'versionsOf(merging, base, states).slice(-1)',
    tests: suite('P7'),
  },
  {
    promise: 'P8',
    breaks: 'a trip leaves its sibling guards running',
    file: 'src/pipeline/parallel.ts',
    from: `if (stop?.kind === 'trip') blockScope.cancel(`,
    to: `if (stop?.kind === 'trip' && scopes === undefined) blockScope.cancel(`,
    tests: suite('P8'),
  },
  {
    promise: 'P9',
    breaks: '`generate` skips the guards of the result',
    file: 'src/loop/activities/review.ts',
    from: `if (isGuarded(run, 'outputResult') ||`,
    to: `if ((run.options.mode === 'stream' && isGuarded(run, 'outputResult')) ||`,
    tests: suite('P9'),
  },
  {
    promise: 'P10',
    breaks: 'a blocked sub-agent answers its supervisor',
    file: 'src/mastra/tools/delegation.ts',
    from: 'if (!isDelegated(options)) return',
    to: 'if (isDelegated(options) || options !== null) return',
    tests: suite('P10'),
  },
];
