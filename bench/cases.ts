import type { BenchCase, Work } from './case.js';
import { gateCases } from './gate/cases.js';
import { pipelineCases } from './pipeline/cases.js';

const chunkSizes = [500, 2_000, 8_000, 16_000];
/** Where the cost per chunk grows with the number of chunks, more would only burn time. */
const quadraticSizes = [500, 2_000];

type Prepare = (size: number) => Work;

interface Row {
  sizes?: readonly number[];
  quick?: boolean;
}

const chunkCase = (name: string, load: () => Promise<Prepare>, { sizes = chunkSizes, quick = false }: Row = {}): BenchCase => ({
  name: `chunk ${name}`,
  sizes,
  quick,
  units: (chunks) => chunks,
  load,
});

const interlock = () => import('./subjects/interlock.js');
const mastra = () => import('./subjects/mastra.js');
const aiSdk = () => import('./subjects/ai-sdk.js');
const loop = () => import('./subjects/loop.js');
const plan = () => import('./subjects/plan.js');

const quick = { quick: true };

/** Cost per streamed chunk with so many guards. What is compared stands together, so that it is measured soon after each other. */
const withGuards = (guards: number): BenchCase[] => [
  chunkCase(`plain loop ${guards}`, async () => (await loop()).plainLoop(guards), { quick: guards === 3 }),
  chunkCase(`plan ${guards}`, async () => (await plan()).planLoop(guards), { quick: guards === 3 }),
  chunkCase(`interlock pipeline ${guards}`, async () => (await interlock()).streamed('pipeline', guards), {
    quick: guards === 3,
  }),
  chunkCase(`interlock array ${guards}`, async () => (await interlock()).streamed('array', guards), { quick: guards === 3 }),
  chunkCase(`mastra array ${guards}`, async () => (await mastra()).streamed('array', guards), { quick: guards === 3 }),
];

const chunkCases: BenchCase[] = [
  chunkCase('read only', async () => (await loop()).readOnly, quick),
  chunkCase('interlock array 0', async () => (await interlock()).streamed('array', 0), quick),
  chunkCase('mastra array 0', async () => (await mastra()).streamed('array', 0)),
  chunkCase('ai-sdk 0', async () => (await aiSdk()).streamed(0), quick),
  ...[1, 3, 10].flatMap(withGuards),
  chunkCase('plain loop rewrapped 3', async () => (await loop()).rewrappedLoop(3)),
  chunkCase('ai-sdk 3', async () => (await aiSdk()).streamed(3)),
  chunkCase('interlock parallel 3', async () => (await interlock()).streamed('parallel', 3)),
  chunkCase('mastra workflow 3', async () => (await mastra()).streamed('workflow', 3), { quick: true, sizes: quadraticSizes }),
];

type PrepareSteps = (steps: number, messages?: number) => Work;

const stepSizes = [1, 10, 50];
const historySizes = [10, 100, 1_000];

/** A tool loop: its cost per step, and what the first and the later steps of a long conversation cost. */
const stepCases = (name: string, load: () => Promise<PrepareSteps>): BenchCase[] => {
  const afterHistory = (steps: number): BenchCase => ({
    name: `history ${name} ${steps}`,
    sizes: historySizes,
    quick: false,
    units: () => steps,
    load: async () => {
      const prepare = await load();
      return (messages) => prepare(steps, messages);
    },
  });
  return [
    { name: `step ${name}`, sizes: stepSizes, quick: true, units: (steps) => steps, load },
    ...(name.endsWith('0') ? [afterHistory(1), afterHistory(10)] : []),
  ];
};

export const cases: readonly BenchCase[] = [
  ...chunkCases,
  ...[0, 3].flatMap((guards) => [
    ...stepCases(`interlock ${guards}`, async () => (await interlock()).stepped(guards)),
    ...stepCases(`mastra ${guards}`, async () => (await mastra()).stepped(guards)),
  ]),
  ...stepCases('ai-sdk 0', async () => (await aiSdk()).stepped()),
  ...pipelineCases,
  ...gateCases,
];

/** Who is asked for a stream that nobody reads. */
export const unreadStreams = {
  interlock: async () => (await interlock()).unread,
  mastra: async () => (await mastra()).unread,
  'ai-sdk': async () => (await aiSdk()).unread,
};
