import type { BenchCase, Work } from './case.js';
import { gateCases } from './gate/cases.js';
import { pipelineCases } from './pipeline/cases.js';
import { textCases } from './texts.js';

const chunkSizes = [500, 2_000, 8_000, 16_000];
/** Where the cost per chunk grows with the number of chunks, more would only burn time. */
const quadraticSizes = [500, 2_000];
/** Where it is linear and slow, more would tell nothing more. */
const slowSizes = [500, 2_000, 8_000];
const stepSizes = [1, 10, 50];
const historySizes = [10, 100, 1_000];
export const guardCounts = [0, 1, 3, 10];

const interlock = () => import('./subjects/interlock.js');
const mastra = () => import('./subjects/mastra.js');
const aiSdk = () => import('./subjects/ai-sdk.js');
const loop = () => import('./subjects/loop.js');
const plan = () => import('./subjects/plan.js');
const steps = () => import('./subjects/steps.js');

type Prepare = (size: number) => Work;
type PrepareSteps = (steps: number, messages?: number) => Work;

interface Named {
  readonly name: string;
  readonly process: string;
}

const chunkCase = ({ name, process }: Named, load: () => Promise<Prepare>, sizes = chunkSizes): BenchCase => ({
  name: `chunk ${name}`,
  process,
  sizes,
  quick: true,
  units: (chunks) => chunks,
  load,
});

const stepCase = ({ name, process }: Named, load: () => Promise<PrepareSteps>): BenchCase => ({
  name: `step ${name}`,
  process,
  sizes: stepSizes,
  quick: true,
  units: (count) => count,
  load,
});

/** What the first and the later steps of a long conversation cost: one step, and ten. */
const historyCases = ({ name, process }: Named, load: () => Promise<PrepareSteps>): BenchCase[] =>
  [1, 10].map((count) => ({
    name: `history ${name} ${count}`,
    process,
    sizes: historySizes,
    quick: true,
    units: () => count,
    load: async () => {
      const prepare = await load();
      return (messages) => prepare(count, messages);
    },
  }));

/** Where a subject has long conversations measured. */
const hasHistory = (guards: number): boolean => guards === 0 || guards === 3;

/** What is compared, with so many guards; what one subject does is measured in one process. */
const withGuards = (guards: number): BenchCase[] => {
  const named = (subject: string): Named => ({ name: `${subject} ${guards}`, process: `${subject} ${guards}` });
  const ours = async () => (await interlock()).stepped(guards);
  const stock = async () => (await mastra()).stepped('array', guards);
  return [
    chunkCase(named('plain loop'), async () => (await loop()).plainLoop(guards)),
    stepCase(named('plain loop'), async () => (await steps()).plainSteps(guards)),
    chunkCase(named('interlock array'), async () => (await interlock()).streamed('array', guards)),
    stepCase({ ...named('interlock array'), name: `interlock ${guards}` }, ours),
    ...(hasHistory(guards) ? historyCases({ ...named('interlock array'), name: `interlock ${guards}` }, ours) : []),
    chunkCase(named('mastra array'), async () => (await mastra()).streamed('array', guards), slowSizes),
    stepCase({ ...named('mastra array'), name: `mastra ${guards}` }, stock),
    ...(hasHistory(guards) ? historyCases({ ...named('mastra array'), name: `mastra ${guards}` }, stock) : []),
    ...(guards > 0 ? inWorkflow(named('mastra workflow'), guards) : []),
    chunkCase(named('ai-sdk'), async () => (await aiSdk()).streamed(guards), slowSizes),
    ...(guards === 0 ? aiSdkSteps(named('ai-sdk')) : []),
  ];
};

const inWorkflow = (named: Named, guards: number): BenchCase[] => [
  chunkCase(named, async () => (await mastra()).streamed('workflow', guards), quadraticSizes),
  stepCase(named, async () => (await mastra()).stepped('workflow', guards)),
];

/** It has no guards of steps. */
const aiSdkSteps = (named: Named): BenchCase[] => {
  const load = async () => (await aiSdk()).stepped();
  return [stepCase(named, load), ...historyCases(named, load)];
};

const alone = (name: string, load: () => Promise<Prepare>): BenchCase => ({ ...chunkCase({ name, process: name }, load) });

/** Interlock beside Mastra, the AI SDK and plain loops. */
const compareCases: readonly BenchCase[] = [
  alone('read only', async () => (await loop()).readOnly),
  ...guardCounts.flatMap(withGuards),
  alone('plain loop rewrapped 3', async () => (await loop()).rewrappedLoop(3)),
  alone('plan 3', async () => (await plan()).planLoop(3)),
  alone('interlock pipeline 3', async () => (await interlock()).streamed('pipeline', 3)),
  alone('interlock parallel 3', async () => (await interlock()).streamed('parallel', 3)),
];

/** What can be measured together; the first is what a run without a choice measures. */
export const suites = {
  compare: compareCases,
  pipeline: pipelineCases,
  gate: gateCases,
  texts: textCases,
} as const satisfies Record<string, readonly BenchCase[]>;

export const cases: readonly BenchCase[] = Object.values(suites).flat();

/** What is asked once in each process. */
export const probes = {
  start: () => import('./probes/start.js'),
  first: () => import('./probes/first.js'),
  memory: () => import('./probes/memory.js'),
  long: () => import('./probes/long.js'),
} as const;

export type ProbeName = keyof typeof probes;

/** Who is asked for a stream that nobody reads. */
export const unreadStreams = {
  interlock: async () => (await interlock()).unread,
  mastra: async () => (await mastra()).unread,
  'ai-sdk': async () => (await aiSdk()).unread,
};
