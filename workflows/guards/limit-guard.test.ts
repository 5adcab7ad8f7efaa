import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { RateLimiterMemory, RateLimiterSQLite } from 'rate-limiter-flexible';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { callHook, user } from '../test-setup.js';
import { limitGuard, type Limit, type Limiter } from './limit-guard.js';
import { hosts, runOn } from './test-setup.js';

const memory = (points: number, duration = 3600): RateLimiterMemory => new RateLimiterMemory({ points, duration });
const usage = { inputTokens: 60, outputTokens: 40, totalTokens: 100 };

/** The used points of a key. */
const usedOf = async (limiter: RateLimiterMemory, key = 'anonymous') => (await limiter.get(key))?.consumedPoints ?? 0;

describe.each(hosts)('limitGuard in %s', (host) => {
  const run = (limits: readonly Limit[], steps: Parameters<typeof runOn>[1]['steps'] = [{ text: 'Hi.', usage }]) =>
    runOn(host, { steps, tools: { look: 'found' }, guards: [limitGuard({ limits })] });

  it('stops a run over a limit before the model call and returns its points', async () => {
    const limiter = memory(2);
    const limits: Limit[] = [{ unit: 'runs', limiter }];
    expect((await run(limits)).text).toBe('Hi.');
    expect((await run(limits)).text).toBe('Hi.');
    expect(await run(limits)).toMatchObject({
      stopped: expect.stringContaining('The limit of runs is reached.') as string,
      prompts: [],
    });
    expect(await usedOf(limiter)).toBe(2);
  });

  it('counts steps, calls and tool calls', async () => {
    const call = { toolCalls: [{ name: 'look', args: {} }] };
    for (const unit of ['steps', 'calls', 'toolCalls'] as const) {
      const limiter = memory(100);
      await run([{ unit, limiter }], [call, call, { text: 'Done.' }]);
      expect([unit, await usedOf(limiter)]).toEqual([unit, unit === 'toolCalls' ? 2 : 3]);
    }
    const { stopped, ran } = await run([{ unit: 'toolCalls', limiter: memory(1) }], [call, call, { text: 'Done.' }]);
    expect(stopped).toContain('The limit of toolCalls is reached.');
    expect(ran).toEqual(['look {}']);
  });

  it('warns the model before it stops, with a budget for each run', async () => {
    const call = { toolCalls: [{ name: 'look', args: {} }] };
    for (const [unit, points, reserve] of [
      ['steps', 3, undefined],
      ['toolCalls', 3, undefined],
      ['tokens', 400, 50],
    ] as const) {
      const limits: Limit[] = [{ unit, per: 'run', warnAt: 0.6, limiter: memory(points), ...(reserve && { reserve }) }];
      const guards = [limitGuard({ limits })];
      const steps = Array.from({ length: 5 }, () => ({ ...call, usage }));
      const { stopped, prompts } = await runOn(host, { steps, tools: { look: 'found' }, guards });
      expect(stopped, unit).toContain(`The limit of ${unit} is reached.`);
      const warned = prompts.map((prompt) => prompt.split(`The limit of ${unit} is nearly reached: `).length - 1);
      expect(warned.at(-1), unit).toBe(1);
      expect(warned[0], unit).toBe(0);
      const next = await runOn(host, { steps: [{ text: 'Hi.', usage }], guards });
      expect([next.text, next.prompts[0]?.includes('nearly')], unit).toEqual(['Hi.', false]);
    }
  });

  it('charges the usage of a call', async () => {
    const limiter = memory(10_000);
    await run([{ unit: 'tokens', limiter, reserve: 5000 }]);
    const used = await usedOf(limiter);
    expect(used).toBeGreaterThan(0);
    expect(used).toBeLessThan(1000);
    const price = memory(10_000);
    await run([{ unit: 'cost', limiter: price, reserve: 1, priceOf: ({ totalTokens = 0 }) => totalTokens * 3 }]);
    expect(await usedOf(price)).toBe(used * 3);
  });
});

describe('limitGuard', () => {
  const hook = (guard: ReturnType<typeof limitGuard>, name: 'processInputStep' | 'processOutputStep', args: object) =>
    callHook(guard, name, args);

  it('counts reservations, so that concurrent calls cannot exceed a limit together', async () => {
    const limiter = memory(1000);
    const guard = limitGuard({ limits: [{ unit: 'tokens', limiter, reserve: 400 }] });
    const states = [1, 2, 3].map(() => ({}));
    const first = await Promise.all(states.map((state) => hook(guard, 'processInputStep', { state })));
    expect(first.filter(({ tripped }) => tripped)).toHaveLength(1);
    expect(first.find(({ tripped }) => tripped)?.tripped?.metadata).toEqual({
      limit: 'tokens',
      unit: 'tokens',
      retryAfterMs: expect.any(Number) as number,
    });
    const going = states.filter((_state, at) => !first[at]?.tripped);
    for (const state of going) await hook(guard, 'processOutputStep', { state, usage });
    expect(await usedOf(limiter)).toBe(200);
    expect((await hook(guard, 'processInputStep', { state: {} })).tripped).toBeUndefined();
  });

  it('keeps the reservation of a call without usage and charges a call for usage above it', async () => {
    const limiter = memory(1000);
    const guard = limitGuard({ limits: [{ unit: 'tokens', limiter, reserve: 40 }] });
    for (const one of [{ inputTokens: undefined, outputTokens: undefined, totalTokens: undefined }, usage]) {
      const state = {};
      await hook(guard, 'processInputStep', { state });
      await hook(guard, 'processOutputStep', { state, usage: one });
    }
    expect(await usedOf(limiter)).toBe(140);
  });

  it('returns the points of earlier limits if a later limit rejects', async () => {
    const [first, second] = [memory(10), memory(0)];
    const limits: Limit[] = [
      { unit: 'steps', limiter: first },
      { unit: 'steps', name: 'few', limiter: second },
    ];
    expect((await hook(limitGuard({ limits }), 'processInputStep', {})).tripped?.reason).toBe('The limit of few is reached.');
    expect([await usedOf(first), await usedOf(second)]).toEqual([0, 0]);
  });

  it('warns once of a run without a user, with the remedy', async () => {
    const emitWarning = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
    onTestFinished(() => emitWarning.mockRestore());
    const guards = (per: Limit['per']) => [limitGuard({ limits: [{ unit: 'runs', limiter: memory(10), ...(per && { per }) }] })];
    const steps = [{ text: 'Hi.' }];
    await runOn('InterlockAgent', { steps, guards: guards('all') });
    expect(emitWarning).not.toHaveBeenCalled();
    const shared = guards(undefined);
    await runOn('InterlockAgent', { steps, guards: shared });
    await runOn('InterlockAgent', { steps, guards: shared });
    expect(emitWarning).toHaveBeenCalledExactlyOnceWith(
      expect.stringContaining('guardOptions.requestContext'),
      'mastra-interlock',
    );
  });

  it('counts per user, thread or custom key', async () => {
    const values = new Map([
      ['mastra__resourceId', 'jane'],
      ['mastra__threadId', 'one'],
    ]);
    const keys = async (per: Limit['per'], args: object) => {
      const limiter = memory(10);
      await hook(limitGuard({ limits: [{ unit: 'steps', limiter, per }] }), 'processInputStep', args);
      return Promise.all(['jane', 'one', 'all', 'anonymous', 'jane/one'].map((key) => usedOf(limiter, key)));
    };
    const requestContext = { get: (name: string) => values.get(name) };
    expect(await keys('user', { requestContext })).toEqual([1, 0, 0, 0, 0]);
    expect(await keys('thread', { requestContext })).toEqual([0, 1, 0, 0, 0]);
    expect(await keys('all', { requestContext })).toEqual([0, 0, 1, 0, 0]);
    expect(await keys('user', { messages: [{ ...user('x'), resourceId: 'jane' }] })).toEqual([1, 0, 0, 0, 0]);
    expect(await keys('user', {})).toEqual([0, 0, 0, 1, 0]);
    expect(await keys(({ resourceId, threadId }) => `${resourceId}/${threadId}`, { requestContext })).toEqual([0, 0, 0, 0, 1]);
  });

  it('treats a failing store as an outage', async () => {
    const broken: Limiter = {
      consume: () => Promise.reject(new Error('no connection')),
      penalty: vi.fn<Limiter['penalty']>(),
      reward: vi.fn<Limiter['reward']>(),
    };
    const guards = [limitGuard({ limits: [{ unit: 'runs', limiter: broken }] })];
    await expect(runOn('InterlockAgent', { steps: [{ text: 'Hi.' }], guards })).rejects.toMatchObject({
      code: 'guard/unavailable',
    });
  });

  it('grants exactly the limit to concurrent requests over two connections to one store', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'limit-'));
    const databases: DatabaseSync[] = [];
    onTestFinished(() => {
      for (const database of databases) database.close();
      rmSync(folder, { recursive: true });
    });
    const open = async () => {
      const database = new DatabaseSync(join(folder, 'limits.db'), { timeout: 5000 });
      databases.push(database);
      const storeClient = {
        prepare: (sql: string) => database.prepare(sql),
        transaction: (act: () => unknown) => () => {
          database.exec('BEGIN IMMEDIATE');
          const result = act();
          database.exec('COMMIT');
          return result;
        },
      };
      const limiter = await new Promise<RateLimiterSQLite>((resolve, reject) => {
        const made: RateLimiterSQLite = new RateLimiterSQLite(
          { storeClient, storeType: 'better-sqlite3', tableName: 'limits', points: 25, duration: 3600 },
          (error?: Error) => (error ? reject(error) : setImmediate(() => resolve(made))),
        );
      });
      return limitGuard({ limits: [{ unit: 'steps', limiter, per: 'all' }] });
    };
    const guards = [await open(), await open()];
    const calls = Array.from({ length: 80 }, (_, at) => hook(guards[at % 2] as (typeof guards)[number], 'processInputStep', {}));
    const outcomes = await Promise.all(calls);
    expect(outcomes.filter(({ tripped }) => !tripped).length).toBeLessThanOrEqual(25);
    // A rejected request gives its points back, so that the rest remains available.
    let granted = outcomes.filter(({ tripped }) => !tripped).length;
    for (const guard of [...guards, ...guards].flatMap((one) => Array.from({ length: 10 }, () => one)))
      if (!(await hook(guard, 'processInputStep', {})).tripped) granted += 1;
    expect(granted).toBe(25);
  });

  it.each([
    [{ limits: [{ unit: 'cost', limiter: memory(1) }] }],
    [{ limits: [{ unit: 'words', limiter: memory(1) }] }],
    [{ limits: [{ unit: 'runs' }] }],
    [{ limits: [{ unit: 'tokens', limiter: memory(1), reserve: 0 }] }],
  ])('rejects invalid options', (options) => {
    expect(() => limitGuard(options as never)).toThrow(expect.objectContaining({ code: 'guard/invalid-option' }) as Error);
  });
});
