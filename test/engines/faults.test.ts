import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { memoryEngine } from '../../src/index.js';
import { createRandom } from '../../src/testing/cuts.js';
import { clerk, memoryIn } from './clerk.js';
import { linesIn, outcomeOf, runsOf, shapes, type Crowd } from './crowd.js';
import { startOutside } from './outside.js';
import { startWorker, type Worker } from './processes.js';
import { sites, type Site } from './sites.js';

/** `npm run test:crash:engines` interrupts many runs; `npm run test:engines` a few. */
const isWhole = (import.meta as { env?: { MODE?: string } }).env?.MODE === 'every-boundary'; // vitest's own types are not everywhere

/** Runs that a kill of their worker interrupts, counted once for each kill; and kills of the server. */
const least = isWhole ? { interrupted: 300, serverKills: 5 } : { interrupted: 5, serverKills: 1 };
const mostRounds = isWhole ? 100 : 5;
const count = isWhole ? 5 * shapes : shapes;

const killsPerRound = 3;

/** Milliseconds between the pieces of an answer. */
const delayMs = 40;

/** The names of two workers at the site. */
const names = ['first', 'second'] as const;

/** Runs that were under way when their process or their server was killed, with the tool calls that were persisted by then. */
interface Interruption {
  readonly runIds: readonly string[];
  readonly persisted: ReadonlySet<string>;
  /** Whether the server was killed, and the process lives. */
  readonly isServer: boolean;
}

/** Fields of stored messages that differ from run to run. */
const timely = new Set(['createdAt', 'subAgentThreadId']);

/** A tool call's id, or the ids of nested calls. If a process dies after it has shown a call to clients, the repeated call gets another id. */
const firstId = (id: string): string => id.replace(/-\d+(?=:|$)/g, '');

const persistedIn = (workers: readonly Worker[]): Set<string> =>
  new Set(workers.flatMap((worker) => linesIn(worker.output()).flatMap((line) => (line.type === 'persisted' ? [line.key] : []))));

const underWayIn = (worker: Worker): string[] => {
  const runIds = new Set<string>();
  for (const line of linesIn(worker.output())) {
    if (line.type === 'begun') runIds.add(line.runId);
    else if (line.type === 'left') runIds.delete(line.runId);
  }
  return [...runIds];
};

const outcomesIn = (worker: Worker): Record<string, unknown> =>
  Object.fromEntries(linesIn(worker.output()).flatMap((line) => (line.type === 'outcome' ? [[line.runId, line.outcome]] : [])));

describe.each(Object.keys(sites) as (keyof typeof sites)[])('P11: runs in %s, with kills at random moments', (name) => {
  let outside: Awaited<ReturnType<typeof startOutside>>;
  let site: Site;
  let folder: string;
  const workers: Worker[] = []; // all of a round

  beforeAll(async () => {
    outside = await startOutside({ delayMs });
    site = await sites[name]();
    folder = await mkdtemp(join(tmpdir(), 'interlock-kills-'));
  });
  afterAll(async () => {
    for (const worker of workers) worker.kill();
    await site.close();
    await outside.close();
    await rm(folder, { recursive: true, force: true });
  });

  const world = () => ({ modelUrl: outside.modelUrl, sinkUrl: outside.sinkUrl, memoryPath: join(folder, 'memory.db') });
  const start = (as: (typeof names)[number], crowd: Crowd): Worker => {
    const worker = startWorker({ ...world(), engine: site.specFor(as), crowd });
    workers.push(worker);
    return worker;
  };

  /** The messages in memory and the effects of a run, by the place of their call. */
  const tracesOf = async (runId: string) => {
    const { messages } = await memoryIn(world().memoryPath).recall({ threadId: runId, resourceId: 'crowd', perPage: false });
    const counts: Record<string, number> = {};
    for (const { key } of outside.effects)
      if (key.startsWith(`${runId}:`)) counts[key.slice(runId.length)] = (counts[key.slice(runId.length)] ?? 0) + 1;
    const parts = (content: unknown) =>
      JSON.parse(
        JSON.stringify(content, (field, one: unknown) =>
          timely.has(field) ? undefined : field === 'toolCallId' ? firstId(String(one)) : one,
        ),
      ) as unknown;
    return { memory: messages.map(({ role, content }) => [role, parts(content.parts)]), counts };
  };

  /** Follows a crowd with two workers, kills one of them a few times and perhaps the server, and lets them finish. */
  const followKilled = async (random: () => number, crowd: Crowd, killsServer: boolean) => {
    const interruptions: Interruption[] = [];
    const living = new Map(names.map((as) => [as, start(as, crowd)]));
    const interrupt = (killed: readonly Worker[], isServer = false): void =>
      void interruptions.push({ runIds: killed.flatMap(underWayIn), persisted: persistedIn(workers), isServer });
    const victims = () => [...living].filter(([, worker]) => underWayIn(worker).length > 0);
    const isOver = () => [...living.values()].some((worker) => Object.keys(outcomesIn(worker)).length === crowd.count);
    for (let kill = 0; kill < killsPerRound; kill += 1) {
      await expect.poll(() => victims().length > 0 || isOver(), { timeout: 300_000, interval: 20 }).toBe(true);
      await setTimeout(random() * 1_000);
      if (killsServer && kill === 1) {
        await site.server?.kill();
        interrupt([...living.values()], true);
        await setTimeout(random() * 1_000);
        await site.server?.start();
      }
      const running = victims();
      const [as, worker] = running[Math.floor(random() * running.length)] ?? [];
      if (!as || !worker) continue;
      worker.kill();
      await worker.died;
      interrupt([worker]);
      living.set(as, start(as, crowd));
    }
    for (const worker of living.values()) expect(await worker.died).toMatchObject({ code: 0 });
    return interruptions;
  };

  const mostEffects = (key: string, interruptions: readonly Interruption[]): number =>
    1 +
    interruptions.filter(
      ({ runIds, persisted }) =>
        runIds.some((runId) => key.startsWith(`${runId}:`)) &&
        ![...persisted].some((call) => key === call || key.startsWith(`${call}:`)),
    ).length;

  it(`end as without kills: ${least.interrupted} interruptions`, { timeout: isWhole ? 3_600_000 : 600_000 }, async () => {
    const reference = { prefix: `${name}-whole-`, count: shapes };
    const unkilled = clerk(world(), memoryEngine());
    const expected = await Promise.all(
      runsOf(reference).map(async (run) => ({ outcome: await outcomeOf(unkilled, run), ...(await tracesOf(run.runId)) })),
    );
    let [interrupted, serverKills] = [0, 0];
    const isEnough = () => interrupted >= least.interrupted && (!site.server || serverKills >= least.serverKills);
    for (let round = 0; round < mostRounds && !isEnough(); round += 1) {
      const crowd = { prefix: `${name}-${round}-`, count };
      workers.length = 0;
      const killsServer = round % 2 === 0 && site.server !== undefined;
      const interruptions = await followKilled(createRandom(round), crowd, killsServer);
      for (const { runIds, isServer } of interruptions) {
        if (isServer) serverKills += 1;
        else interrupted += runIds.length;
      }
      for (const [index, { runId }] of runsOf(crowd).entries()) {
        const whole = expected[index % shapes];
        const outcomes = workers.flatMap((worker) => outcomesIn(worker)[runId] ?? []); // of killed workers, too
        expect(outcomes.length).toBeGreaterThanOrEqual(names.length);
        for (const outcome of outcomes) expect(outcome, runId).toEqual(whole?.outcome);
        const { memory, counts } = await tracesOf(runId);
        expect(memory, runId).toEqual(whole?.memory);
        expect(Object.keys(counts).map(firstId).toSorted(), runId).toEqual(Object.keys(whole?.counts ?? {}).toSorted());
        for (const [call, times] of Object.entries(counts))
          expect(times, `${runId}${call}`).toBeLessThanOrEqual(mostEffects(`${runId}${call}`, interruptions));
      }
    }
    expect(interrupted).toBeGreaterThanOrEqual(least.interrupted);
    if (site.server) expect(serverKills).toBeGreaterThanOrEqual(least.serverKills);
  });
});
