/** Some of the code, and the tests that answer for it, which are few and fast: asked in this order, up to the first that fails. */
export interface Room {
  readonly mutate: readonly string[];
  readonly tests: readonly string[];
  /** Whether to change also what runs when a module is loaded; every test of the room is then run for such a change. */
  readonly isStatic?: boolean;
  /** A test that takes longer has failed: one that waits for what never comes is cheaper than a process that hangs. Default: 3 s. */
  readonly testTimeoutMs?: number;
}

/** Of `src/pipeline`: what merges the values of branches. */
const merging = 'src/pipeline/{align,changes-between,insertions,merge*,overlap,pair-up,recorded-edits,spans,words}.ts';
/** Of the gate: where a window ends. */
const windows = 'src/release/gate/{window-reader,sentence-end,tokens-end,grapheme}.ts';
/** Of `src/loop`: the machine, and how it is asked. */
const machine = 'src/loop/{machine,decide}.ts';
/** Of `src/loop`: what the machine asks for, and who drives it. */
const works = 'src/loop/{works/*,drive,feedback*,judge,reuse}.ts';
/** Of `src/loop`: how attempts, steps and runs end, and what is left of them. */
const endings = 'src/loop/{ending,retract,set-aside,step-*,waste-call}.ts';
/** Of `src/loop`: calls of tools, and people who are asked about them. */
const tools = 'src/loop/{ask-people,call-*,note-arrival,place-result,provider-results,running-calls,settle-result,tool-*}.ts';
/** Of `src/loop`: runs that are recorded, and replayed. */
const traces = 'src/loop/{join-tracers,record-*,replay-*,run-recording,run-showing}.ts';

/** Agents run as a whole, of which most rooms of `src/loop` are seen. */
const agentTests = [
  'test/loop/*.test.ts',
  'test/promises/{p1,p4,p2-overlap,p3,p10}.test.ts',
  'test/mastra/{callbacks,mirrored-words,record-edits,stop-conditions,tool-streaming}.test.ts',
  'test/mastra/{callback-parity,hook-context,result-shape,set-aside,stock-parity,structured-output,tools}.test.ts',
  'test/mastra/{approval,approval-guards}.test.ts',
  'test/promises/{p5,p6}.test.ts',
];

/** The rooms under mutation: together all of `src/pipeline`, `src/release` and `src/loop`. */
export const rooms: Readonly<Record<string, Room>> = {
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
      'src/release/gate/{seams,stream-gate,cached-windows}.test.ts',
      'test/mastra/{engines,from-workflow,guards}.test.ts',
      'test/{verify/catalogue,mastra/option-values,spec/builder-errors}.test.ts',
    ],
  },
  outlet: { mutate: ['src/release/*.ts'], tests: ['src/release/*.test.ts'] },
  windows: { mutate: [windows], tests: ['src/release/gate/window-reader.test.ts'], testTimeoutMs: 60_000 },
  gate: {
    mutate: ['src/release/gate/*.ts', `!${windows}`],
    tests: [
      'src/release/gate/{seams,stream-gate,chunk-invariance,cached-windows,until-stopped}.test.ts',
      'test/release/child-text.test.ts',
    ],
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
  works: {
    mutate: [works],
    tests: [...agentTests, 'test/{durable/effects,release/child-text,mastra/models,memory/history}.test.ts'],
  },
  endings: { mutate: [endings], tests: agentTests },
  tools: { mutate: [tools], tests: ['test/release/child-text.test.ts', ...agentTests] },
  traces: {
    mutate: [traces],
    tests: ['test/trace/{concealed,privacy,recording,replay,shadow}.test.ts', 'test/verify/counter-examples.test.ts'],
  },
  answers: {
    mutate: ['src/loop/*.ts', ...[machine, works, endings, tools, traces].map((others) => `!${others}`)],
    tests: [
      'src/loop/{growing-text,read-ahead}.test.ts',
      'test/verify/counter-examples.test.ts',
      ...agentTests,
      'test/{promises/p7,memory/history,memory/not-accepted,provider/answers}.test.ts',
    ],
  },
};

/** The room that the environment names; an empty one for whoever only reads the settings. */
export const theRoom = (): Room => rooms[process.env['ROOM'] ?? ''] ?? { mutate: [], tests: [] };
