/** A part of the code, and its tests, which are few and fast. They run in this order, up to the first that fails. */
export interface Module {
  readonly mutate: readonly string[];
  readonly tests: readonly string[];
  /** Whether to change also code that runs at module load; every test of the module then runs for such a change. */
  readonly isStatic?: boolean;
  /** A test that takes longer has failed: a test that waits forever is cheaper than a hanging process. Default: 3 s. */
  readonly testTimeoutMs?: number;
}

/** Of `src/pipeline`: the merge of branches' values. */
const merging = 'src/pipeline/{align,merge*,overlap,recorded-edits,spans}.ts';
/** Of the gate: the ends of windows. */
const windows = 'src/stream/gate/window-*.ts';
/** Of `src/loop`: the machine and its decisions. */
const machine = 'src/loop/{machine,decide}.ts';
/** Of `src/loop`: the activities of the machine and their driver. */
const activities = 'src/loop/{activities/*,conversation,drive,judge}.ts';
/** Of `src/loop`: the ends of attempts, steps and runs, and their results. */
const finalizing = 'src/loop/{emit,finalize-run,step-record}.ts';
/** Of `src/loop`: tool calls and approvals. */
const tools = 'src/loop/{running-calls,settle-result,tool-*}.ts';
/** Of `src/loop`: recording and replay of runs. */
const traces = 'src/loop/{record-{guards,ports},replay-*,run-recording,walk}.ts';

/** Tests of whole agents, which cover most modules of `src/loop`. */
const agentTests = [
  'test/loop/*.test.ts',
  'test/promises/{p1,p4,p2-overlap,p3,p10}.test.ts',
  'test/mastra/{callbacks,sync-text-content,record-edits,stop-conditions,tool-streaming}.test.ts',
  'test/mastra/{callback-parity,hook-context,result-shape,reprocess-queue,stock-parity,structured-output,tools}.test.ts',
  'test/mastra/{approval,approval-guards}.test.ts',
  'test/promises/{p5,p6}.test.ts',
];

/** The modules under mutation: together all of `src/pipeline`, `src/stream` and `src/loop`. */
export const modules: Readonly<Record<string, Module>> = {
  verify: {
    mutate: ['src/pipeline/verify/**/*.ts'],
    tests: ['test/verify/{catalogue,counter-examples}.test.ts'],
  },
  merging: {
    mutate: [merging],
    tests: ['src/pipeline/{merge,merge-texts,recorded-edits,parallel}.test.ts', 'test/promises/p7.test.ts'],
  },
  plans: {
    mutate: ['src/pipeline/*.ts', `!${merging}`],
    tests: [
      'src/pipeline/{compile,parallel,parallel-laws,stale,with-policy}.test.ts',
      'src/stream/gate/{seams,stream-gate,cached-windows}.test.ts',
      'test/mastra/{engines,from-workflow,guards}.test.ts',
      'test/{verify/catalogue,mastra/option-values,spec/builder-errors}.test.ts',
    ],
  },
  buffer: { mutate: ['src/stream/*.ts'], tests: ['src/stream/*.test.ts'] },
  windows: { mutate: [windows], tests: ['src/stream/gate/window-reader.test.ts'], testTimeoutMs: 60_000 },
  gate: {
    mutate: ['src/stream/gate/*.ts', `!${windows}`],
    tests: ['src/stream/gate/{seams,stream-gate,chunk-invariance,cached-windows}.test.ts', 'test/stream/child-text.test.ts'],
  },
  machine: {
    mutate: [machine],
    tests: ['src/loop/{machine,decide}.test.ts'],
    isStatic: true,
    testTimeoutMs: 60_000,
  },
  state: {
    mutate: ['src/loop/state/*.ts'],
    tests: ['src/loop/state/*.test.ts', 'test/mastra/approval*.test.ts', 'test/durable/{effects,encrypted,streams}.test.ts'],
  },
  activities: {
    mutate: [activities],
    tests: [...agentTests, 'test/{durable/effects,stream/child-text,mastra/models,memory/history}.test.ts'],
  },
  finalizing: { mutate: [finalizing], tests: agentTests },
  tools: { mutate: [tools], tests: ['test/stream/child-text.test.ts', ...agentTests] },
  traces: {
    mutate: [traces],
    tests: ['test/trace/{concealed,privacy,recording,replay,shadow}.test.ts', 'test/verify/counter-examples.test.ts'],
  },
  responses: {
    mutate: ['src/loop/*.ts', ...[machine, activities, finalizing, tools, traces].map((others) => `!${others}`)],
    tests: [
      'src/loop/{rope,model-call}.test.ts',
      'test/verify/counter-examples.test.ts',
      ...agentTests,
      'test/{promises/p7,memory/history,memory/not-accepted,provider/answers}.test.ts',
    ],
  },
};

/** The module that the environment names; an empty one if only the settings are read. */
export const theModule = (): Module => modules[process.env['ROOM'] ?? ''] ?? { mutate: [], tests: [] };
