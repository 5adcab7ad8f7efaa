import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text as readText } from 'node:stream/consumers';

import pLimit from 'p-limit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { openWorkflow } from '../../src/durable/openworkflow/index.js';
import type { InterlockAgent } from '../../src/index.js';
import { startOpenAIServer, type OpenAIServer } from '../../src/testing/index.js';
import { killsEverywhere } from '../modes.js';
import { cashier, forbidden } from './cashier.js';
import type { Orders } from './mortal.js';

// `npm run test:crash` kills at every boundary and waits for slow work; `npm run test:all` kills at two of them.
let folder: string;
let model: OpenAIServer;
let sink: ReturnType<typeof createServer>;
/** The amounts charged in the runs of one database, by its name. */
const effects = new Map<string, string[]>();
const effectsOf = (name: string): string[] => (effects.get(name) ?? []).toSorted();
const storyPrompt = 'Tell me a story.';
let tellings = 0;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'interlock-crash-'));
  model = await startOpenAIServer({
    reply: ({ messages }) => {
      const prompt = JSON.stringify(messages);
      if (prompt.includes(storyPrompt)) {
        tellings += 1;
        return tellings === 1
          ? { kind: 'hang', after: ['It was ', 'a dark '] }
          : { kind: 'text', text: 'It was a bright day.', chunks: 4 };
      }
      if (!JSON.stringify(messages).includes('Processor Feedback') && !messages.some(({ role }) => role === 'tool'))
        return { kind: 'text', text: forbidden };
      if (messages.some(({ role }) => role === 'tool')) return { kind: 'text', text: 'All is paid.' };
      return { kind: 'tool-calls', text: 'I charge. ', calls: [1, 2].map((amount) => ({ name: 'charge', args: { amount } })) };
    },
  });
  sink = createServer((request, response) => {
    const count = async (): Promise<void> => {
      const name = request.url?.slice(1) ?? '';
      const amount = await readText(request);
      effects.set(name, [...effectsOf(name), amount]);
      response.end();
    };
    void count();
  });
  await new Promise<void>((resolve) => sink.listen(0, '127.0.0.1', resolve));
});

afterAll(async () => {
  await model.close();
  sink.close();
  await rm(folder, { recursive: true, force: true });
});

interface Died {
  readonly signal: NodeJS.Signals | null;
  readonly out: string;
}

/** Runs a process until it has ended, or has killed itself. */
const live = (orders: Orders): Promise<Died> =>
  new Promise((resolve, reject) => {
    const args = ['--import', './scripts/strip-types.mjs', join(import.meta.dirname, 'mortal.ts'), JSON.stringify(orders)];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    let out = '';
    child.stdout.on('data', (data: Buffer) => (out += data.toString()));
    child.on('error', reject);
    child.on('close', (_code, signal) => resolve({ signal, out }));
  });

const ordersFor = (name: string, dieAt?: number): Orders => ({
  modelUrl: model.baseUrl,
  sinkUrl: `http://127.0.0.1:${(sink.address() as AddressInfo).port}/${name}`,
  path: join(folder, `${name}.db`),
  runId: 'run',
  dieAt,
});

/** Continues in this process from the state of a killed one. */
const goOn = async (orders: Orders) => {
  const engine = openWorkflow({ path: orders.path, leaseMs: 1_000 });
  try {
    const stream = await cashier(orders, engine).attach(orders.runId);
    return await stream.getFullOutput();
  } finally {
    await engine.close();
  }
};

/** The fields of a chunk that are read. */
interface StreamedChunk {
  readonly type: string;
  readonly payload?: { readonly id?: string; readonly text?: string };
  readonly data?: { readonly partIds: string[] };
  readonly metadata?: { readonly sequence: number };
}

describe('P11: a process killed with kill -9', () => {
  it('leaves a run that another process completes, with every finished effect once', { timeout: 600_000 }, async () => {
    const whole = await live(ordersFor('whole'));
    expect(whole.signal).toBeNull();
    const boundaries = JSON.parse(whole.out) as string[];
    expect(boundaries.length).toBeGreaterThan(20);
    expect(effectsOf('whole')).toEqual(['1', '2']);
    const sampled = new Set([/^unkept tool/, /^before \d+ end/].map((wanted) => boundaries.findIndex((one) => wanted.test(one))));
    const killAt = async (dieAt: number, boundary: string): Promise<void> => {
      const name = `at-${dieAt}`;
      const orders = ordersFor(name, dieAt);
      expect((await live(orders)).signal, boundary).toBe('SIGKILL');
      const result = await goOn(orders);
      expect([result.status, result.text], boundary).toEqual(['success', 'I charge. All is paid.']);
      expect(JSON.stringify([result.steps, result.messages, result.runEvents]), boundary).not.toContain(forbidden);
      const charged = effectsOf(name);
      const isToolUnderWay = boundary.startsWith('unkept tool'); // its effect is recorded only outside
      if (!isToolUnderWay) expect(charged, boundary).toEqual(['1', '2']);
      expect(new Set(charged), boundary).toEqual(new Set(['1', '2']));
      expect(charged.length, boundary).toBeLessThanOrEqual(isToolUnderWay ? 4 : 2);
    };
    const killed = [...boundaries.entries()].filter(([dieAt]) => killsEverywhere || sampled.has(dieAt));
    await pLimit(4).map(killed, ([dieAt, boundary]) => killAt(dieAt, boundary)); // most of the time each waits for the end of a lease
  });

  it(
    'during a response: a follower in another process gets its retraction and the next response',
    { timeout: 120_000 },
    async () => {
      const orders: Orders = { ...ordersFor('story'), prompt: storyPrompt, dieAfterPieces: 2 };
      const dying = live(orders);
      await expect.poll(() => tellings, { timeout: 60_000 }).toBe(1);
      const engine = openWorkflow({ path: orders.path, leaseMs: 1_000 });
      try {
        const agent = cashier(orders, engine);
        const stream = await agent.attach(orders.runId, { from: 0 });
        const seen: StreamedChunk[] = [];
        for await (const chunk of stream.fullStream as AsyncIterable<StreamedChunk>) seen.push(chunk);
        expect((await dying).signal).toBe('SIGKILL');
        const at = seen.findIndex(({ type }) => type === 'data-interlock-retract');
        const textOf = (chunks: readonly StreamedChunk[]) => chunks.map(({ payload }) => payload?.text ?? '').join('');
        expect([textOf(seen.slice(0, at)), textOf(seen.slice(at))]).toEqual(['It was a dark ', 'It was a bright day.']);
        const idsOf = (chunks: readonly StreamedChunk[]) =>
          new Set(chunks.flatMap(({ payload }) => (payload?.text ? [payload.id] : [])));
        expect(seen[at]?.data?.partIds).toEqual([...idsOf(seen.slice(0, at))]);
        expect([...idsOf(seen.slice(at))]).not.toContain(seen[at]?.data?.partIds[0]);
        const resumed = await agent.attach(orders.runId, { from: seen[at]?.metadata?.sequence });
        const rest: StreamedChunk[] = [];
        for await (const chunk of resumed.fullStream as AsyncIterable<StreamedChunk>) rest.push(chunk);
        expect(rest).toEqual(seen.slice(at));
        expect([await stream.text, (await stream.getFullOutput()).status]).toEqual(['It was a bright day.', 'success']);
      } finally {
        await engine.close();
      }
    },
  );

  it.each(killsEverywhere ? [2] : [])(
    'abandons a run that kills every process at the same point after %i deaths, without harm to other runs',
    { timeout: 300_000 },
    async (maxDeaths) => {
      const orders: Orders = { ...ordersFor('poison'), dieAtEvery: 'before 1 prepare', maxDeaths };
      // The first reaches this place, and later ones get no further.
      for (let death = 0; death <= maxDeaths; death += 1) expect((await live(orders)).signal, `death ${death}`).toBe('SIGKILL');
      const engine = openWorkflow({ path: orders.path, leaseMs: 1_000, maxDeaths });
      try {
        const agent = cashier(orders, engine);
        await expect(agent.attach(orders.runId).then((stream) => stream.getFullOutput())).rejects.toMatchObject({
          code: 'durable/lost-run',
        });
        expect((await agent.generate('Charge me.', { runId: 'healthy' })).status).toBe('success');
      } finally {
        await engine.close();
      }
    },
  );

  it.each(killsEverywhere ? [8_000] : [])(
    'with a file locked for %i ms, longer than the timeout, the run continues after the lock is released',
    { timeout: 120_000 },
    async (lockedMs) => {
      const orders = ordersFor('locked');
      const engine = openWorkflow({ path: orders.path, leaseMs: 1_000 });
      try {
        const agent = cashier(orders, engine);
        const call = agent.generate('Charge me.', { runId: 'run' });
        await expect.poll(() => effectsOf('locked').length, { timeout: 30_000, interval: 1 }).toBeGreaterThan(0);
        const lock = spawn(process.execPath, ['-e', lockFor(orders.path, lockedMs)], { stdio: 'inherit' });
        await new Promise((resolve) => lock.on('exit', resolve));
        const { status, text } = await call;
        expect([status, text, effectsOf('locked')]).toEqual(['success', 'I charge. All is paid.', ['1', '2']]);
      } finally {
        await engine.close();
      }
    },
  );

  it.each([killsEverywhere ? 200 : 20])(
    'completes %i concurrent runs on two engines with one file, each effect once',
    { timeout: 600_000 },
    async (count) => {
      const orders = ordersFor('many');
      const engines = [openWorkflow({ path: orders.path }), openWorkflow({ path: orders.path })];
      try {
        const agents = engines.map((engine) => cashier(orders, engine));
        const calls = Array.from({ length: count }, async (_, index) => {
          const agent = agents[index % 2] as InterlockAgent; // there are two
          return agent.generate('Charge me.', { runId: `run-${index}` });
        });
        const results = await Promise.all(calls);
        expect(new Set(results.map((result) => result.status))).toEqual(new Set(['success']));
        const charged = effectsOf('many');
        expect([charged.length, charged.filter((amount) => amount === '1').length]).toEqual([2 * count, count]);
      } finally {
        await Promise.all(engines.map((engine) => engine.close()));
      }
    },
  );
});

/** A program that locks a database. */
const lockFor = (path: string, ms: number): string => `
  const { DatabaseSync } = require('node:sqlite');
  const db = new DatabaseSync(${JSON.stringify(path)}, { timeout: 5000 });
  db.exec('BEGIN IMMEDIATE');
  setTimeout(() => { db.exec('ROLLBACK'); db.close(); }, ${ms});
`;
