import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';

import { startOpenAIServer, type Reply } from '../src/testing/index.js';
import type { At, Guard, Host, Reader, Session } from './host.js';
import type { Cost } from './results.js';

const chunks = 1_000;

const pass = { kind: 'pass' } as const;
const quiet: Reader = { show: () => {}, also: () => {}, withdraw: () => {}, end: () => {} };

const guardsAt = ({ hooks }: Host, places: readonly At[], count: { calls: number }): Guard[] => {
  const at = places.find((place) => hooks[place]);
  if (!at) return [];
  const judge = () => {
    count.calls += 1;
    return Promise.resolve(pass);
  };
  return [1, 2, 3].map((number) => ({ id: `guard-${number}`, at, decide: 'block', on: 'nothing', judge }));
};

const cpuMs = async (work: () => Promise<unknown>): Promise<number> => {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
};

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

interface Task {
  readonly host: Host;
  readonly guards: readonly Guard[];
  readonly replies: (index: number) => Reply;
  readonly run: (session: Session) => Promise<unknown>;
}

/** CPU time of the calls that warm up: code is compiled while it runs. */
const warmUpMs = 3_000;

/** Median CPU time of a call, after calls that warm up. */
const measure = async ({ host, guards, replies, run }: Task): Promise<number> => {
  const samples: number[] = [];
  const tools = [{ name: 'look', run: () => Promise.resolve('data') }];
  for (let warm = 0; samples.length < 9;) {
    const server = await startOpenAIServer({ reply: (_request, index) => replies(index) });
    const session = await host.open({ baseUrl: server.baseUrl, guards, tools, retries: 0 });
    const taken = await cpuMs(() => run(session));
    if (warm < warmUpMs) warm += taken;
    else samples.push(taken);
    await server.close();
  }
  return median(samples);
};

const signal = new AbortController().signal;
const stream = (session: Session, reader: Reader = quiet) => session.stream('Hello.', signal, reader);

/** Median time from a call to the first text that its reader sees, with two guards of the input that work for 200 ms, side by side where the host can do that. */
const firstText = async (host: Host): Promise<number | undefined> => {
  if (!host.hooks.input) return undefined;
  const judge = () => sleep(200, pass);
  const guards = [1, 2].map((number): Guard => ({
    id: `slow-${number}`,
    at: 'input',
    decide: 'block',
    on: 'nothing',
    group: 'slow',
    judge,
  }));
  const server = await startOpenAIServer({ reply: () => ({ kind: 'text', text: 'word '.repeat(10), chunks: 5 }) });
  const samples: number[] = [];
  for (let round = 0; round < 5; round += 1) {
    const session = await host.open({ baseUrl: server.baseUrl, guards, tools: [], retries: 0 });
    const startedAt = performance.now();
    let firstSeenAt: number | undefined;
    await stream(session, { ...quiet, show: () => void (firstSeenAt ??= performance.now()) });
    samples.push((firstSeenAt ?? performance.now()) - startedAt);
  }
  await server.close();
  return median(samples);
};

/** The 99th percentile of how late the event loop is while 200 calls stream 50 chunks each. */
const loopDelay = async (host: Host, guards: readonly Guard[]): Promise<number> => {
  const server = await startOpenAIServer({ reply: () => ({ kind: 'text', text: 'word '.repeat(50), chunks: 5 }) });
  const sessions = await Promise.all(
    Array.from({ length: 200 }, async () => host.open({ baseUrl: server.baseUrl, guards, tools: [], retries: 0 })),
  );
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  await Promise.all(sessions.map((session) => stream(session)));
  delay.disable();
  await server.close();
  return delay.percentile(99) / 1_000_000;
};

/** Measures a host. Compare its figures only with those of other hosts in the same run. */
export const costOf = async (host: Host, progress: (part: string) => void = () => {}): Promise<Cost> => {
  progress('CPU per chunk');
  const count = { calls: 0 };
  const ofStream = guardsAt(host, ['stream', 'step', 'answer'], count);
  const chunkMs = await measure({
    host,
    guards: ofStream,
    replies: () => ({ kind: 'text', text: 'word '.repeat(chunks), chunks: 5 }),
    run: (session) => stream(session),
  });
  count.calls = 0;
  const server = await startOpenAIServer({ reply: () => ({ kind: 'text', text: 'word '.repeat(60), chunks: 5 }) });
  await stream(await host.open({ baseUrl: server.baseUrl, guards: ofStream.slice(0, 1), tools: [], retries: 0 }));
  await server.close();
  const judgeCalls = count.calls;
  progress('CPU per step');
  const look: Reply = { kind: 'tool-calls', calls: [{ name: 'look', args: { text: 'up' } }] };
  const ofSteps = guardsAt(host, ['step', 'answer'], count);
  const stepsMs = await measure({
    host,
    guards: ofSteps,
    replies: (index) => (index < 4 ? look : { kind: 'text', text: 'Done.' }),
    run: (session) => session.generate('Hello.', signal),
  });
  progress('time to the first text');
  const firstTextMs = await firstText(host);
  progress('200 streams');
  const delayMs = await loopDelay(host, ofStream);
  return { chunkUs: (chunkMs * 1_000) / chunks, stepMs: stepsMs / 5, judgeCalls, delayMs, ...(firstTextMs && { firstTextMs }) };
};
