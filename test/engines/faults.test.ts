import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { memoryEngine } from '../../src/index.js';
import { createRandom } from '../../src/testing/cuts.js';
import { clerks, memoryIn } from './clerk.js';
import { linesIn, outcomeOf, runsOf, shapes, type Crowd } from './crowd.js';
import { faultsOf, type Fault, type Scene } from './faults.js';
import { shippedAt, startOutside } from './outside.js';
import { startWorker, type Worker } from './processes.js';
import { sites, type Site } from './sites.js';

/** `npm run test:crash` interrupts many runs; `npm run test:engines` a few. */
const isWhole = (import.meta as { env?: { MODE?: string } }).env?.MODE === 'every-boundary'; // vitest's own types are not everywhere

/** Runs that a fault interrupts, counted once for each fault; each fault of the engine occurs. */
const least = isWhole ? 300 : 20;
const count = isWhole ? shapes : shapes / 6;
const faultsPerRound = 3;

/** Milliseconds between the pieces of an answer. */
const delayMs = 40;

/** The names of two workers at the site. */
const names = ['first', 'second'] as const;

/** Runs that were under way when a fault came, with the tool calls that were persisted by then. */
interface Interruption {
  readonly fault: string;
  readonly runIds: readonly string[];
  readonly persisted: ReadonlySet<string>;
}

interface Round {
  readonly faults: readonly Fault[];
  readonly isSealed: boolean;
}

/** Fields of stored messages that differ from run to run. */
const timely = new Set(['createdAt', 'subAgentThreadId']);

/** A tool call's id, or the ids of nested calls. If a process dies after it has shown a call to clients, the repeated call gets another id. */
const firstId = (id: string): string => id.replace(/-\d+(?=:|$)/g, '');

const persistedIn = (workers: readonly Worker[]): Set<string> =>
  new Set(workers.flatMap((worker) => linesIn(worker.output()).flatMap((line) => (line.type === 'persisted' ? [line.key] : []))));

/** The runs that are under way in a process, or were since it had written so many lines. */
const underWayIn = (worker: Worker, since = Infinity): string[] => {
  const runIds = new Set<string>();
  for (const [at, line] of linesIn(worker.output()).entries()) {
    if (line.type === 'begun') runIds.add(line.runId);
    else if (line.type === 'left' && at < since) runIds.delete(line.runId);
  }
  return [...runIds];
};

/** The runs whose code is settled. */
const definedIn = (workers: readonly Worker[]): Set<string> =>
  new Set(workers.flatMap((worker) => linesIn(worker.output()).flatMap((line) => (line.type === 'defined' ? [line.runId] : []))));

const outcomesIn = (worker: Worker): Record<string, unknown> =>
  Object.fromEntries(linesIn(worker.output()).flatMap((line) => (line.type === 'outcome' ? [[line.runId, line.outcome]] : [])));

/** The places where two values differ, each with both. */
const differences = (found: unknown, right: unknown, path = ''): string[] => {
  if (JSON.stringify(found) === JSON.stringify(right)) return [];
  const isNested = [found, right].every((one) => typeof one === 'object' && one !== null);
  if (!isNested) return [`${path}: ${JSON.stringify(found)}, not ${JSON.stringify(right)}`];
  const [one, other] = [found, right] as [Record<string, unknown>, Record<string, unknown>]; // just checked
  return [...new Set([...Object.keys(one), ...Object.keys(other)])].flatMap((key) =>
    differences(one[key], other[key], `${path}.${key}`),
  );
};

describe.each(Object.keys(sites) as (keyof typeof sites)[])('P11: runs in %s, with faults at random moments', (name) => {
  let outside: Awaited<ReturnType<typeof startOutside>>;
  let site: Site;
  let folder: string;
  const workers: Worker[] = []; // all of a round

  beforeAll(async () => {
    outside = await startOutside({ delayMs });
    site = await sites[name]();
    folder = await mkdtemp(join(tmpdir(), 'interlock-faults-'));
  });
  afterAll(async () => {
    for (const worker of workers) worker.kill();
    await site.close();
    await outside.close();
    await rm(folder, { recursive: true, force: true });
  });

  const world = () => ({ modelUrl: outside.modelUrl, sinkUrl: outside.sinkUrl, memoryPath: join(folder, 'memory.db') });
  const previousKeys: string[] = [];
  const keysNow = (isSealed: boolean) => (isSealed ? { isSealed, key: String(previousKeys.length), previousKeys } : { isSealed });
  const start = (as: (typeof names)[number], crowd: Crowd, isSealed: boolean): Worker => {
    const worker = startWorker({ ...world(), engine: site.specFor(as), crowd, ...keysNow(isSealed) });
    workers.push(worker);
    return worker;
  };
  const intrudeOn =
    (isSealed: boolean): Scene['intrude'] =>
    (orders) =>
      startWorker({
        ...world(),
        engine: site.specFor('tests'),
        crowd: { prefix: '', count: 0 },
        ...keysNow(isSealed),
        ...orders,
      });

  /** The messages in memory and the effects of a run, by the place of their call. */
  const tracesOf = async (runId: string) => {
    const { messages } = await memoryIn(world().memoryPath).recall({ threadId: runId, resourceId: 'crowd', perPage: false });
    const counts: Record<string, number> = {};
    for (const { key } of outside.effects)
      if (key.startsWith(`${runId}:`)) counts[key.slice(runId.length)] = (counts[key.slice(runId.length)] ?? 0) + 1;
    const parts = (content: unknown) =>
      JSON.parse(
        JSON.stringify(content, (field, one: unknown) => {
          if (field === 'approval') return { ...(one as object), id: firstId((one as { id: string }).id) }; // the call's
          return timely.has(field) ? undefined : field === 'toolCallId' ? firstId(String(one)) : one;
        }),
      ) as unknown;
    return { memory: messages.map(({ role, content }) => [role, parts(content.parts)]), counts };
  };

  /** Follows a crowd with two workers, lets faults happen, and lets the workers finish. */
  const followThrough = async (random: () => number, crowd: Crowd, { faults, isSealed }: Round) => {
    const interruptions: Interruption[] = [];
    const living = new Map(names.map((as) => [as, start(as, crowd, isSealed)]));
    const victims = () => [...living].filter(([, worker]) => underWayIn(worker).length > 0);
    const isOver = () => [...living.values()].some((worker) => Object.keys(outcomesIn(worker)).length === crowd.count);
    for (const fault of faults) {
      const mayCome = (): boolean => victims().length > 0 && (!fault.comesLate || definedIn(workers).size === crowd.count);
      await expect.poll(() => mayCome() || isOver(), { timeout: 300_000, interval: 20 }).toBe(true);
      await setTimeout(random() * 1_000);
      const running = victims();
      const [as, victim] = running[Math.floor(random() * running.length)] ?? [];
      if (!as || !victim) continue;
      const concerned = new Map(fault.isShared ? living : [[as, victim]]);
      const lines = new Map([...concerned.values()].map((worker) => [worker, linesIn(worker.output()).length]));
      const persisted = persistedIn(workers);
      await fault.act({ site, random, victim, workers: [...living.values()], intrude: intrudeOn(isSealed) });
      const runIds = [...new Set([...lines].flatMap(([worker, since]) => underWayIn(worker, since)))];
      interruptions.push({ fault: fault.name, runIds, persisted });
      if (fault.rotates) previousKeys.push(String(previousKeys.length));
      if (fault.kills) for (const dead of concerned.keys()) living.set(dead, start(dead, crowd, isSealed));
    }
    for (const worker of living.values()) {
      const { code, errors } = await worker.died;
      expect(code, errors).toBe(0);
    }
    return interruptions;
  };

  const mostEffects = (key: string, interruptions: readonly Interruption[]): number =>
    key.endsWith(':ship7')
      ? 1
      : 1 +
        interruptions.filter(
          ({ runIds, persisted }) =>
            runIds.some((runId) => key.startsWith(`${runId}:`)) &&
            ![...persisted].some((call) => key === call || key.startsWith(`${call}:`)),
        ).length;

  it(`end as without faults: ${least} interruptions`, { timeout: isWhole ? 3_600_000 : 600_000 }, async () => {
    const reference = { prefix: `${name}-whole-`, count };
    const unkilled = clerks(world(), memoryEngine(), { name: 'clerk' });
    const expected = await Promise.all(
      runsOf(reference).map(async (run) => ({
        outcome: await outcomeOf(unkilled[run.hold], run, shippedAt(outside.sinkUrl)),
        ...(await tracesOf(run.runId)),
      })),
    );
    const faults = faultsOf(site);
    const interrupted = new Map(faults.map((fault) => [fault.name, 0]));
    const sum = () => [...interrupted.values()].reduce((total, some) => total + some, 0);
    const wrong: unknown[] = [];
    let runs = 0;
    for (let round = 0; sum() < least || [...interrupted.values()].includes(0); round += 1) {
      const crowd = { prefix: `${name}-${round}-`, count };
      workers.length = 0;
      const first = round * faultsPerRound;
      const shift = Math.floor(first / faults.length); // a fault that comes last may find no run under way
      const now = Array.from({ length: faultsPerRound }, (_, at) => faults[(first + at + shift) % faults.length] as Fault);
      const interruptions = await followThrough(createRandom(round), crowd, {
        faults: now,
        isSealed: now.some(({ needsKeys }) => needsKeys),
      });
      for (const { fault, runIds } of interruptions) interrupted.set(fault, (interrupted.get(fault) ?? 0) + runIds.length);
      for (const [index, { runId }] of runsOf(crowd).entries()) {
        const whole = expected[index];
        const outcomes = workers.flatMap((worker) => outcomesIn(worker)[runId] ?? []); // of killed workers, too
        const { memory, counts } = await tracesOf(runId);
        const repeated = Object.entries(counts).filter(([call, times]) => times > mostEffects(`${runId}${call}`, interruptions));
        const found = { outcomes, memory, calls: Object.keys(counts).map(firstId).toSorted(), repeated };
        const right = {
          outcomes: Array.from({ length: Math.max(names.length, outcomes.length) }, () => whole?.outcome),
          memory: whole?.memory,
          calls: Object.keys(whole?.counts ?? {}).toSorted(),
          repeated: [],
        };
        const differing = differences(found, right);
        runs += 1;
        if (differing.length > 0) wrong.push({ runId, faults: now.map((fault) => fault.name), differing });
      }
    }
    const each = [...interrupted].map(([fault, times]) => `${times} ${fault}`).join(', ');
    process.stdout.write(`${name}: ${sum()} interruptions (${each}) of ${runs} runs; ${runs - wrong.length} equal\n`);
    expect(wrong).toEqual([]);
  });
});
