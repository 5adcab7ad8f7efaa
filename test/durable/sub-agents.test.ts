import { Agent } from '@mastra/core/agent';
import { createTool } from '@mastra/core/tools';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { idempotencyKeyOf, InterlockAgent, memoryEngine, type InterlockResult } from '../../src/index.js';
import type { Durable, Engine } from '../../src/engine.js';
import { scriptedModel } from '../../src/testing/index.js';
import { killsEverywhere } from '../modes.js';
import { toolResultsIn } from '../promises/support.js';
import { createDisk, mortalEngine, type Disk, type MortalEngine } from './mortal-engine.js';

const prompt = 'Have it charged.';

interface Charged {
  readonly by: InterlockAgent['id'];
  readonly key: string | undefined;
}

interface CallSettings {
  readonly requireApproval?: boolean;
  readonly effect?: 'once';
}

/** A supervisor that calls a sub-agent, which calls another one: both have tools. Each effect is recorded with the key of its call. */
const lead = (effects: Charged[], durability: Engine | undefined, { requireApproval = false, effect }: CallSettings = {}) => {
  const isAlive = () => !(durability as Partial<MortalEngine> | undefined)?.isDead;
  const charge = (by: string) =>
    createTool({
      id: 'charge',
      description: 'Charges an amount.',
      inputSchema: z.object({ amount: z.number() }),
      requireApproval,
      execute: async ({ amount }, context) => {
        if (isAlive()) effects.push({ by, key: idempotencyKeyOf(context) });
        return { receipt: `receipt ${amount}` };
      },
    });
  const agentOf = (id: string, calls: readonly object[], agents: Record<string, InterlockAgent> = {}) =>
    new InterlockAgent({
      id,
      name: id,
      description: 'Charges people.',
      instructions: 'Charge people.',
      model: scriptedModel({
        steps: (call) =>
          toolResultsIn(call) === 0 ? { toolCalls: calls as never } : { text: `${id} is done, ${crypto.randomUUID()}.` },
      }),
      tools: id === 'lead' ? {} : { charge: charge(id) },
      agents,
      ...(id === 'lead' ? { durability } : { effects: effect && { charge: effect } }),
    });
  const delegateTo = (name: string) => ({ name: `agent-${name}`, args: { prompt: 'Charge it.' } });
  const charges = [1, 2].map((amount) => ({ name: 'charge', args: { amount } }));
  const clerk = agentOf('clerk', charges);
  const desk = agentOf('desk', requireApproval ? charges.slice(1) : [charges[0] as object, delegateTo('clerk')], { clerk });
  return agentOf('lead', [delegateTo('desk')], { desk });
};

const keysOf = (effects: readonly Charged[]) => effects.map(({ by, key }) => `${by} ${key}`);

const deskCall = 'run:call-0-0';
const expectedKeys = [`clerk ${deskCall}:call-0-1:call-0-0`, `clerk ${deskCall}:call-0-1:call-0-1`, `desk ${deskCall}:call-0-0`];

const attached = async (disk: Disk, effects: Charged[], settings?: CallSettings): Promise<InterlockResult> =>
  (await lead(effects, mortalEngine(disk), settings).attach('run')).getFullOutput();

describe('P11: a sub-agent with a supervisor killed at any point', () => {
  it.each(['generate', 'stream'] as const)(
    'continues at the same point: no finished tool runs again (%s)',
    { timeout: 120_000 },
    async (mode) => {
      const whole = mortalEngine(createDisk());
      const begin = async (engine: Engine, effects: Charged[]) => {
        const agent = lead(effects, engine);
        if (mode === 'generate') return agent.generate(prompt, { runId: 'run' });
        return (await agent.stream(prompt, { runId: 'run' })).getFullOutput();
      };
      const effects: Charged[] = [];
      expect((await begin(whole, effects)).status).toBe('success');
      expect(keysOf(effects).toSorted()).toEqual(expectedKeys);
      const inside = whole.passed.filter(({ key }) => key.startsWith('call-0-0 call-0-1 '));
      expect(inside.length).toBeGreaterThan(10);
      for (const [dieAt, { key, at }] of whole.passed.entries()) {
        if (!killsEverywhere && dieAt % 3 !== (mode === 'generate' ? 0 : 1)) continue;
        const disk = createDisk();
        const seen: Charged[] = [];
        const dying = mortalEngine(disk, dieAt);
        void begin(dying, seen).catch(() => undefined);
        await dying.died;
        const result = await attached(disk, seen);
        const label = `${at} ${key}`;
        expect([result.status, result.toolResults.length], label).toEqual(['success', 1]);
        const hasExtraCall = at === 'unkept' && /^\d+ request/.test(key); // the supervisor's model: it makes another call
        const keys = [...new Set(keysOf(seen))].map((one) =>
          hasExtraCall ? one.replace(`${deskCall}-2:`, `${deskCall}:`) : one,
        );
        expect(keys.toSorted(), label).toEqual(expectedKeys);
        const isUnderWay = at === 'unkept' && / tool call-\S+$/.test(key) && !key.endsWith(' tool call-0-1 tool call-0-1');
        expect(seen.length, label).toBeLessThanOrEqual(isUnderWay ? 5 : 3);
        if (!isUnderWay) expect(seen, label).toHaveLength(3);
      }
    },
  );

  it.each(['generate', 'stream'] as const)(
    'suspends for approval in one process and is approved in another (%s)',
    async (mode) => {
      const disk = createDisk();
      const effects: Charged[] = [];
      const settings = { requireApproval: true };
      const first = lead(effects, mortalEngine(disk), settings);
      const rested =
        mode === 'generate'
          ? await first.generate(prompt, { runId: 'run' })
          : await (await first.stream(prompt, { runId: 'run' })).getFullOutput();
      expect([rested.status, effects]).toEqual(['suspended', []]);
      const second = lead(effects, mortalEngine(disk), settings);
      const stream = await second.resume('run', { approved: true });
      expect([(await stream.getFullOutput()).status, keysOf(effects)]).toEqual(['success', [`desk ${deskCall}:call-0-0`]]);
    },
  );

  it('is interrupted with its supervisor: a failure of the engine does not reach a model', async () => {
    const lost = new Error('The step could not be kept.');
    const causes: unknown[] = [];
    const memory = memoryEngine();
    const losing = (durable: Durable): Durable => ({
      ...durable,
      step: (key, run) =>
        /^call-0-0 \d+ review$/.test(key) ? Promise.reject(lost) : durable.step(key, (inner) => run(losing(inner))),
    });
    const engine: Engine = {
      ...memory,
      host: (program) =>
        memory.host({
          ...program,
          run: (durable, call) =>
            program.run(losing(durable), call).catch((error: unknown) => {
              causes.push(error);
              throw error;
            }),
        }),
    };
    const effects: Charged[] = [];
    await lead(effects, engine)
      .generate(prompt, { runId: 'run' })
      .catch(() => undefined);
    expect([causes, effects]).toEqual([[lost], []]);
  });

  it('is not part of the journal below a caller without a journal', async () => {
    const clerk = new InterlockAgent({
      id: 'clerk',
      name: 'clerk',
      description: 'Knows it.',
      instructions: 'Answer.',
      model: scriptedModel({ steps: () => ({ text: 'It is so.' }) }),
    });
    const settings = (name: string) =>
      scriptedModel({ steps: [{ toolCalls: [{ name: `agent-${name}`, args: { prompt: 'Is it?' } }] }, { text: 'Done.' }] });
    const desk = new Agent({
      id: 'desk',
      name: 'desk',
      description: 'Asks.',
      instructions: 'Ask.',
      model: settings('clerk'),
      agents: { clerk },
    });
    const engine = mortalEngine(createDisk());
    const top = new InterlockAgent({
      id: 'lead',
      name: 'lead',
      instructions: 'Ask.',
      model: settings('desk'),
      agents: { desk },
      durability: engine,
    });
    expect((await top.generate(prompt)).status).toBe('success');
    expect(engine.passed.filter(({ key }) => key.startsWith('call-'))).toEqual([]);
  });

  it('allows the effect once only if the engine of the supervisor is fenced', async () => {
    const fenced: Charged[] = [];
    expect((await lead(fenced, mortalEngine(createDisk()), { effect: 'once' }).generate(prompt, { runId: 'run' })).status).toBe(
      'success',
    );
    expect(keysOf(fenced).toSorted()).toEqual(expectedKeys);
    for (const engine of [undefined, memoryEngine()]) {
      const effects: Charged[] = [];
      const { messages } = await lead(effects, engine, { effect: 'once' }).generate(prompt, { runId: 'run' });
      expect(JSON.stringify(messages)).toContain('Failed agent tool execution');
      expect(effects).toEqual([]);
    }
  });
});
