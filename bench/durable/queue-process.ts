import { setTimeout } from 'node:timers/promises';

import { createTool } from '@mastra/core/tools';
import { z } from 'zod';

import { idempotencyKeyOf, InterlockAgent, type RunEvent } from '../../src/index.js';
import { scriptedModel } from '../../src/testing/index.js';
import { quantile } from '../case.js';
import { cpuMs } from '../measure.js';
import { engineOf, type Subject } from './engines.js';
import { stored } from './stored.js';

/** The orders for a process that starts many durable runs at once. */
export interface QueueOrders {
  readonly subject: Subject;
  readonly runs: number;
  readonly concurrency: number;
}

/** The results: each run was checked to have ended once, with one call of its model for each answer and one effect. */
export interface QueueFigures {
  readonly runs: number;
  readonly concurrency: number;
  /** Seconds from the first call until the last run has ended. */
  readonly drainSeconds: number;
  /** Milliseconds from a run's call until it leaves the queue. */
  readonly waitMs: { readonly p50: number; readonly p99: number };
  /** CPU milliseconds of the process. */
  readonly cpuMsPerRun: number;
  /** Bytes: the largest of the process, and the growth since before the first call. */
  readonly rss: { readonly most: number; readonly growth: number };
  /** Rows and bytes that a run adds; undefined if the engine's storage cannot be read. */
  readonly rowsPerRun?: number;
  readonly bytesPerRun?: number;
}

/** Other programs use the machine, too: a busy process must not lose its runs. */
const leaseMs = 30_000;

const { subject, runs, concurrency } = JSON.parse(process.argv[2] ?? '') as QueueOrders;
const durability = engineOf(subject, leaseMs);

const counter = () => {
  const counts = new Map<string, number>();
  return { counts, add: (key: string) => void counts.set(key, (counts.get(key) ?? 0) + 1) };
};
const effects = counter();
const starts = counter();
const ends = counter();
const startedAt = new Map<string, number>();

const note = createTool({
  id: 'note',
  description: 'Notes a number.',
  inputSchema: z.object({ number: z.number() }),
  execute: async ({ number }, context) => {
    effects.add(idempotencyKeyOf(context)?.split(':')[0] ?? '');
    return { noted: number };
  },
});
const model = scriptedModel({
  steps: ({ prompt }) =>
    prompt.some(({ role }) => role === 'tool') ? { text: 'Noted.' } : { toolCalls: [{ name: 'note', args: { number: 1 } }] },
});
const onRunEvent = ({ type, runId }: RunEvent): void => {
  if (type === 'run-start') {
    starts.add(runId);
    startedAt.set(runId, performance.now());
  } else if (type === 'run-finish') ends.add(runId);
};
const agent = new InterlockAgent({
  id: 'queued',
  name: 'Queued',
  instructions: 'Note.',
  model,
  tools: { note },
  durability,
  runQueue: { concurrency },
  onRunEvent,
});

const check = (isRight: boolean, wrong: string): void => {
  if (!isRight) throw new Error(`${subject.name}: ${wrong}`);
};

await agent.generate('Note.', { runId: 'warm-up' });
const before = { stored: await stored(subject.spec), rss: process.memoryUsage.rss(), cpuMs: cpuMs() };
const from = performance.now();
const calledAt = new Map<string, number>();
const results = await Promise.all(
  Array.from({ length: runs }, async (_, index) => {
    const runId = `run-${index}`;
    calledAt.set(runId, performance.now());
    return agent.generate('Note.', { runId });
  }),
);
const drainMs = performance.now() - from;
const cpu = cpuMs() - before.cpuMs;
const after = await stored(subject.spec);
check(
  results.every(({ status, text }) => status === 'success' && text === 'Noted.'),
  'a run ended otherwise.',
);
for (const [what, { counts }] of Object.entries({ starts, effects, ends }))
  check(
    results.every(({ runId }) => counts.get(runId) === 1),
    `not every run has one of its ${what}.`,
  );
if (durability?.isDurable) {
  const endedRuns = async () => (await agent.listRuns({ status: 'ended', limit: runs + 2 })).length;
  for (let wait = 0; wait < 50 && (await endedRuns()) <= runs; wait += 1) await setTimeout(200); // the engine records an end later
  check((await endedRuns()) === runs + 1, `the engine has ${await endedRuns()} ended runs, and ${runs + 1} were called.`);
}
const waits = [...calledAt].map(([runId, called]) => (startedAt.get(runId) ?? NaN) - called);
const most = process.resourceUsage().maxRSS * 1_024;
const figures = {
  runs,
  concurrency,
  drainSeconds: drainMs / 1_000,
  waitMs: { p50: quantile(waits, 0.5), p99: quantile(waits, 0.99) },
  cpuMsPerRun: cpu / runs,
  rss: { most, growth: most - before.rss },
  ...(before.stored &&
    after && {
      rowsPerRun: (after.rows - before.stored.rows) / runs,
      bytesPerRun: (after.bytes - before.stored.bytes) / runs,
    }),
} satisfies QueueFigures;
await durability?.close();
process.stdout.write(JSON.stringify(figures), () => process.exit()); // despite an engine's timers
