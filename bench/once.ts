import { existsSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type * as main from '../src/index.js';
import type * as testing from '../src/testing/index.js';
import type * as guards from '../workflows/guards/index.js';
import { cpuMs } from './measure.js';
import { benchModel, countDeltas, textAnswer, type BenchModel } from './model.js';
import { median } from './case.js';
import type { AgentName, ShapeName } from './subjects.js';

export type StreamName = AgentName | 'ai-sdk' | 'plain loop';
type Stream = (model: BenchModel) => AsyncIterable<{ readonly type: string }> | Promise<AsyncIterable<{ readonly type: string }>>;

/** Streams one answer of a model through the given guards; the subject is loaded on demand. */
const streamOf = async (name: StreamName, guards: number, shape: ShapeName = 'array'): Promise<Stream> => {
  if (name === 'ai-sdk') {
    const { stream } = await import('./ai-sdk.js');
    return (model) => stream(guards, model);
  }
  if (name === 'plain loop') return (await import('./inside.js')).plainStream(guards);
  const { agentOf, shapedGuards } = await import('./subjects.js');
  return async (model) =>
    (await agentOf(name, model, { outputProcessors: shapedGuards(shape, guards) }).stream('Say it.')).fullStream;
};

const modelFor = (name: StreamName, chunks: number): BenchModel => {
  const answer = textAnswer(chunks);
  return benchModel(() => answer, name === 'ai-sdk' ? 'v4' : 'v2');
};

/** Milliseconds from the call to the first text in a warm process. */
export const firstText = async (name: StreamName): Promise<Record<string, number>> => {
  const stream = await streamOf(name, 3);
  const model = modelFor(name, 20);
  const once = async (): Promise<number> => {
    const from = performance.now();
    let first = NaN;
    for await (const { type } of await stream(model))
      if (type === 'text-delta' && Number.isNaN(first)) first = performance.now() - from;
    return first;
  };
  for (let run = 0; run < 100; run += 1) await once();
  const times: number[] = [];
  while (times.length < 50) times.push(await once());
  return { ms: median(times) };
};

const addressed =
  'Write to help@example.com or see https://example.com/help, please. The parcel left on Monday.'.match(/.{1,40}/g) ?? [];

/**
 * The CPU time of the first call in a process that has loaded the package: of the shipped code, which contains what the
 * sources compute from the guards' patterns.
 */
export const firstCall = async (
  hasGuards: boolean,
  shipped: (entry: string) => Promise<unknown>,
): Promise<Record<string, number>> => {
  const { InterlockAgent } = (await shipped('index')) as typeof main;
  const { linkGuard, redactor } = (await shipped('guards')) as typeof guards;
  const { scriptedModel } = (await shipped('testing')) as typeof testing;
  const outputProcessors = hasGuards
    ? [redactor({ strategy: 'replace' }), linkGuard({ hosts: ['example.com'], strategy: 'strip' })]
    : [];
  const model = scriptedModel({ steps: [{ text: addressed }] });
  const agent = new InterlockAgent({ id: 'first', name: 'first', instructions: 'Be brief.', model, outputProcessors });
  const from = cpuMs();
  await agent.generate('Say it.');
  return { 'CPU ms': cpuMs() - from };
};

/** The peak of this process's memory. On Linux `maxRSS` includes that of the process that started it. */
const peakBytes = (): number => {
  const status = existsSync('/proc/self/status') ? readFileSync('/proc/self/status', 'utf8') : '';
  return Number(/VmHWM:\s*(\d+)/.exec(status)?.[1] ?? process.resourceUsage().maxRSS) * 1_024;
};

/** The maximum memory of a process while it reads three answers of 16,000 chunks. */
export const memory = async (name: StreamName): Promise<Record<string, number>> => {
  const stream = await streamOf(name, 3);
  const model = modelFor(name, 16_000);
  for (let run = 0; run < 3; run += 1) await countDeltas(await stream(model));
  return { MB: peakBytes() / 1e6 };
};

/** The number of parts requested from the provider after a stream was not read for 100 ms. */
export const unread = async (name: StreamName): Promise<Record<string, number>> => {
  const model = modelFor(name, 2_000);
  const stream = await (await streamOf(name, 0))(model);
  await sleep(100);
  return { parts: stream ? model.pulled : NaN }; // referenced until here, so that it is not collected
};

/**
 * Reads an answer of a million chunks. Returns the growth of the heap from a tenth of the way to the end, without the answer's
 * own text.
 */
export const longAnswer = async (guards: number, shape: ShapeName): Promise<Record<string, number>> => {
  const chunks = 1_000_000;
  const answer = textAnswer(chunks);
  const model = benchModel(() => answer);
  const heapMb = (): number => (globalThis.gc?.(), process.memoryUsage().heapUsed / 1e6);
  const stream = await streamOf('interlock', guards, shape);
  const cpu = cpuMs();
  let atTenth = NaN;
  for await (const _ of await stream(model)) if (Number.isNaN(atTenth) && model.pulled > chunks / 10) atTenth = heapMb();
  return { us: ((cpuMs() - cpu) * 1_000) / chunks, 'growth MB': heapMb() - atTenth - answer.chars / 1e6 };
};
