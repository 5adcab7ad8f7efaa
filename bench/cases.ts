import type { BenchCase, WarmCase, Work } from './case.js';
import { importCost } from './measure.js';
import type { StreamName } from './once.js';
import type { AgentName, DefaultName, Line, ShapeName } from './subjects.js';
import { textCases } from './texts.js';

const subjects = () => import('./subjects.js');
const aiSdk = () => import('./ai-sdk.js');
const inside = () => import('./inside.js');
const once = () => import('./once.js');

type Prepare = (size: number, messages?: number) => Work;

const chunkSizes = [500, 2_000, 8_000, 16_000];
/** The hosts that are compared: less, because they take longer. Mastra's cost per chunk of a workflow grows with the number of chunks. */
const comparedSizes = [500, 2_000];
const stepSizes = [1, 10, 50];
/** Steps of a run whose results all stay in the conversation. */
const longRuns = [10, 50, 200];
const guardCounts = [0, 1, 3, 10] as const;

const chunk = (subject: string, load: () => Promise<Prepare>, sizes = chunkSizes): WarmCase => ({
  name: `chunk: ${subject}`,
  quick: / 3 guards|read only|^ToolLoop|^interlock, 0/.test(subject) && !/parallel|workflow|transforms/.test(subject),
  sizes,
  units: (chunks) => chunks,
  load,
});

const step = (subject: string, load: () => Promise<Prepare>): WarmCase => ({
  name: `step: ${subject}`,
  quick: / 3 guards|^ToolLoop|^interlock, 0|^mastra, 0/.test(subject) && !/workflow|plain/.test(subject),
  sizes: stepSizes,
  units: (steps) => steps,
  load,
});

/** A tool loop of ten steps whose stream is read to its end. */
const streamedSteps = (subject: string, load: () => Promise<Prepare>): WarmCase => ({
  name: `streamed steps: ${subject}`,
  quick: true,
  sizes: [10],
  units: (steps) => steps,
  load,
});

/** The first step after a history of the given length, and ten steps: each later step costs a ninth of the difference. */
const history = (subject: string, load: () => Promise<Prepare>): WarmCase[] =>
  [1, 10].map((steps) => ({
    name: `history: ${subject}, ${steps} ${steps === 1 ? 'step' : 'steps'}`,
    quick: /interlock|mastra/.test(subject),
    sizes: [10, 100, 1_000],
    units: () => steps,
    load: async () => {
      const prepare = await load();
      return (messages) => prepare(steps, messages);
    },
  }));

const agent = (name: AgentName, shape: ShapeName, guards: number): { line: Line; subject: string } => ({
  line: { agent: name, shape, guards },
  subject: `${name}${shape === 'array' ? '' : ` ${shape}`}, ${guards} guards`,
});

/** Runs of tools with long results, judged when they arrive and again in every step. */
const longResults = (name: AgentName): WarmCase => ({
  name: `results: ${name}, 3 guards`,
  quick: true,
  sizes: longRuns,
  units: (count) => count,
  load: async () => (await subjects()).withResults(name),
});

/** Runs of a tool with a large table as its result; the cost is per row. */
const largeResults = (name: AgentName, guards: number): WarmCase => ({
  name: `rows: ${name}, ${guards} guards`,
  quick: true,
  sizes: [1_000, 20_000],
  units: (count) => count,
  load: async () => (await subjects()).withRows(name, guards),
});

/** Long runs: the cost per step. */
const longRun = (name: AgentName): WarmCase => ({
  name: `run: ${name}, 3 guards`,
  quick: true,
  sizes: name === 'interlock' ? [10, 100, 400] : [10, 100],
  units: (steps) => steps,
  load: async () => (await subjects()).stepped({ agent: name, shape: 'array', guards: 3 }),
});

const chunks = (name: AgentName, shape: ShapeName, guards: number): WarmCase => {
  const { line, subject } = agent(name, shape, guards);
  return chunk(subject, async () => (await subjects()).streamed(line), name === 'interlock' ? chunkSizes : comparedSizes);
};

const steps = (name: AgentName, shape: ShapeName, guards: number): WarmCase[] => {
  const { line, subject } = agent(name, shape, guards);
  const load = async () => (await subjects()).stepped(line);
  return [step(subject, load), ...(shape === 'array' && (guards === 0 || guards === 3) ? history(subject, load) : [])];
};

/** A pipeline needs a guard. */
const guardedLoops = (guards: number): BenchCase[] => [
  chunk(
    `guardedToolLoop, ${guards} guards`,
    async () => (await aiSdk()).loopStreamed({ loop: 'guardedToolLoop', guards }),
    comparedSizes,
  ),
  step(`guardedToolLoop, ${guards} guards`, async () => (await aiSdk()).loopStepped({ loop: 'guardedToolLoop', guards })),
  chunks('mastra', 'workflow', guards),
  ...steps('mastra', 'workflow', guards),
];

const withGuards = (guards: number): BenchCase[] => [
  chunk(`plain loop, ${guards} guards`, async () => (await inside()).plainLoop(guards)),
  chunks('interlock', 'array', guards),
  chunks('mastra', 'array', guards),
  chunk(`ai-sdk transforms, ${guards} guards`, async () => (await aiSdk()).streamed(guards), comparedSizes),
  step(`plain loop, ${guards} guards`, async () => (await inside()).plainSteps(guards)),
  ...steps('interlock', 'array', guards),
  ...steps('mastra', 'array', guards),
  ...(guards > 0 ? guardedLoops(guards) : []),
];

/** The AI SDK's agent, which has no guards. */
const unguarded = { loop: 'ToolLoopAgent', guards: 0 } as const;
const bare: BenchCase[] = [
  chunk('read only', async () => (await inside()).readOnly),
  chunk('plan, 3 guards', async () => (await inside()).planLoop(3)),
  ...(['pipeline', 'parallel', 'sentence', 'redactors'] as const).map((shape) => chunks('interlock', shape, 3)),
  chunk('ToolLoopAgent, 0 guards', async () => (await aiSdk()).loopStreamed(unguarded), comparedSizes),
  step('ToolLoopAgent, 0 guards', async () => (await aiSdk()).loopStepped(unguarded)),
  ...history('ToolLoopAgent, 0 guards', async () => (await aiSdk()).loopStepped(unguarded)),
  longResults('interlock'),
  longResults('mastra'),
  ...([0, 3] as const).flatMap((guards) => [largeResults('interlock', guards), largeResults('mastra', guards)]),
  longRun('interlock'),
  longRun('mastra'),
  chunk('middleware, 3 guards', async () => (await aiSdk()).loopStreamed({ loop: 'middleware', guards: 3 }), comparedSizes),
  step('middleware, 3 guards', async () => (await aiSdk()).loopStepped({ loop: 'middleware', guards: 3 })),
];

const loopsOfTen: BenchCase[] = [
  ...(['interlock', 'mastra'] as const).map((name) =>
    streamedSteps(`${name}, 3 guards`, async () => (await subjects()).stepped({ agent: name, shape: 'array', guards: 3 }, true)),
  ),
  ...([unguarded, { loop: 'middleware', guards: 3 }, { loop: 'guardedToolLoop', guards: 3 }] as const).map((line) =>
    streamedSteps(`${line.loop}, ${line.guards} guards`, async () => (await aiSdk()).loopStepped(line, true)),
  ),
];

/** The defaults, and Mastra's behavior, under guards of the stream and guards of the whole answer. */
const defaults: BenchCase[] = (
  [
    ['defaults', 0],
    ['defaults', 3],
    ['hold none', 3],
    ['single deltas', 3],
    ['hold none and single deltas', 3],
    ['defaults with a guard of the answer', 3],
    ['hold none with a guard of the answer', 3],
  ] as const satisfies readonly (readonly [DefaultName, number])[]
).flatMap(([name, guards]): BenchCase[] => [
  {
    name: `defaults: ${name}, ${guards} guards`,
    quick: true,
    sizes: [2_000],
    units: (count) => count,
    load: async () => (await subjects()).withDefaults(name, guards),
  },
  { name: `held: ${name}, ${guards} guards`, quick: true, take: async () => (await subjects()).held(name, guards) },
]);

const streams: readonly StreamName[] = ['interlock', 'mastra', 'ai-sdk', 'plain loop'];
/** The shipped entries of the package, and the packages for comparison. */
const shippedAt = (path: string): string => new URL(path, import.meta.url).href;
const modules: Readonly<Record<string, string>> = {
  'mastra-interlock': './shipped/index.js',
  '@mastra/core/agent': '@mastra/core/agent',
  'mastra-interlock/ai-sdk': './shipped/ai-sdk.js',
  ai: 'ai',
  'mastra-interlock/guards': './shipped/guards.js',
};

/** Figures that the bench does not measure as work. */
const others: BenchCase[] = [
  ...Object.entries(modules).map(([name, path]) => ({
    name: `start: ${name}`,
    quick: false,
    inFreshProcess: () => importCost(path.startsWith('.') ? shippedAt(path) : path),
  })),
  ...['no guards', 'redactor and linkGuard'].map((through) => ({
    name: `first call: ${through}`,
    quick: false,
    inFreshProcess: async () =>
      (await once()).firstCall(through !== 'no guards', (entry) => import(shippedAt(`./shipped/${entry}.js`))),
  })),
  ...streams.map((name) => ({
    name: `memory: ${name}`,
    quick: false,
    inFreshProcess: async () => (await once()).memory(name),
  })),
  ...(
    [
      ['no guards', 0, 'array'],
      ['3 guards with a window', 3, 'sentence'],
      ['3 guards of chunks', 3, 'delta'],
    ] as const
  ).map(([name, guards, shape]) => ({
    name: `long: ${name}`,
    quick: false,
    inFreshProcess: async () => (await once()).longAnswer(guards, shape),
  })),
  ...streams.map((name) => ({ name: `first text: ${name}`, quick: false, take: async () => (await once()).firstText(name) })),
  ...streams.slice(0, 3).map((name) => ({ name: `unread: ${name}`, quick: true, take: async () => (await once()).unread(name) })),
  ...([['interlock'], ['interlock', true], ['mastra']] as const).map(([name, overlap]) => ({
    name: `first word: 2 guards of 200 ms${overlap ? ' during the call' : ''}, ${name}`,
    quick: overlap === true,
    take: async () => (await subjects()).firstWord({ agent: name, overlap }),
  })),
  ...([['interlock', 'chunk'], ['interlock', 'sentence'], ['mastra']] as const).map(([name, window]) => ({
    name: `judge: ${window ? `of ${window}s` : 'of each delta'}, ${name}`,
    quick: name === 'interlock',
    take: async () => (await subjects()).judged({ agent: name, window }),
  })),
];

/** All cases of the bench. A name begins with its group. */
export const cases: readonly BenchCase[] = [
  ...bare,
  ...guardCounts.flatMap(withGuards),
  ...loopsOfTen,
  ...defaults,
  ...others,
  ...textCases,
];
