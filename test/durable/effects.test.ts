import { createTool } from '@mastra/core/tools';
import { tool as sdkTool } from 'ai';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { idempotencyKeyOf, InterlockAgent, memoryEngine } from '../../src/index.js';
import type { Effect } from '../../src/loop/tool-call.js';
import type { Engine } from '../../src/engine.js';
import { scriptedModel } from '../../src/testing/index.js';
import { toolResultsIn } from '../promises/support.js';
import { createDisk, mortalEngine, type Boundary, type MortalEngine } from './mortal-engine.js';

const prompt = 'Please charge me.';
const twoCharges = [1, 2].map((amount) => ({ name: 'charge', args: { amount } }));

/** An agent with a tool of some effect; each execution records its key. */
const charging = (
  keys: (string | undefined)[],
  durability: Engine | undefined,
  effect?: Effect,
  { hasTool = true }: { readonly hasTool?: boolean } = {},
) => {
  const isAlive = () => !(durability as Partial<MortalEngine> | undefined)?.isDead;
  const charge = createTool({
    id: 'charge',
    description: 'Charges an amount.',
    inputSchema: z.object({ amount: z.number() }),
    execute: async ({ amount }, context) => {
      if (isAlive()) keys.push(idempotencyKeyOf(context));
      return { receipt: `receipt ${amount}` };
    },
  });
  return new InterlockAgent({
    id: 'cashier',
    name: 'Cashier',
    instructions: 'Charge people.',
    model: scriptedModel({
      steps: (call) => (toolResultsIn(call) === 0 ? { toolCalls: twoCharges } : { text: 'All is paid.' }),
    }),
    tools: hasTool ? { charge } : {},
    durability,
    effects: effect && { charge: effect },
  });
};

/** The point at which a process dies, and the final number of executions of the first call's tool; then the end of the run. */
const table: readonly { effect: Effect; at: Boundary['at'] | 'whole'; runs: number; status: string; ownSteps: number }[] = [
  { effect: 'none', at: 'whole', runs: 1, status: 'success', ownSteps: 0 },
  { effect: 'idempotent', at: 'whole', runs: 1, status: 'success', ownSteps: 2 },
  { effect: 'idempotent', at: 'before', runs: 1, status: 'success', ownSteps: 2 },
  { effect: 'idempotent', at: 'unkept', runs: 2, status: 'success', ownSteps: 2 },
  { effect: 'once', at: 'whole', runs: 1, status: 'success', ownSteps: 4 },
  { effect: 'once', at: 'before', runs: 0, status: 'suspended', ownSteps: 4 },
  { effect: 'once', at: 'unkept', runs: 1, status: 'suspended', ownSteps: 4 },
];

describe('the effect of a tool', () => {
  it.each(table)('$effect, its process killed $at: $runs runs, $status', async ({ effect, at, runs, status, ownSteps }) => {
    const whole = mortalEngine(createDisk());
    await charging([], whole, effect).generate(prompt, { runId: 'run' });
    const own = whole.passed.filter(({ key }) => /^(tool|claim) /.test(key));
    expect(own).toHaveLength(ownSteps * 2);
    const first = own.find(({ key }) => key.startsWith('tool '));
    const dieAt = whole.passed.findIndex((boundary) => boundary.at === at && boundary.key === first?.key);

    const keys: (string | undefined)[] = [];
    const disk = createDisk();
    const mortal = mortalEngine(disk, at === 'whole' ? Infinity : dieAt);
    const call = charging(keys, mortal, effect).generate(prompt, { runId: 'run' });
    await Promise.race([call, mortal.died]);
    const stream = await charging(keys, mortalEngine(disk), effect).attach('run');
    const ended = await stream.getFullOutput();
    expect(ended).toMatchObject({
      status,
      ...(status === 'suspended' && { suspendPayload: { suspendPayload: { code: 'tool/unknown-outcome' } } }),
    });
    expect(keys.filter((key) => key === 'run:call-0-0')).toHaveLength(runs);
    expect(keys.filter((key) => key === 'run:call-0-1').length).toBeLessThanOrEqual(runs === 2 ? 2 : 1);
  });

  it.each([
    { deployed: 'without the tool', effect: undefined, hasTool: false },
    { deployed: 'with another effect', effect: 'idempotent', hasTool: true },
  ] as const)(
    'once, killed during the call: still waits for a person after a deployment $deployed',
    async ({ effect, hasTool }) => {
      const whole = mortalEngine(createDisk());
      await charging([], whole, 'once').generate(prompt, { runId: 'run' });
      const first = whole.passed.findIndex(({ at, key }) => at === 'unkept' && key.startsWith('tool '));
      const disk = createDisk();
      const mortal = mortalEngine(disk, first);
      void charging([], mortal, 'once')
        .generate(prompt, { runId: 'run' })
        .catch(() => undefined);
      await mortal.died;
      const keys: (string | undefined)[] = [];
      const agent = charging(keys, mortalEngine(disk), effect, { hasTool });
      expect((await (await agent.attach('run')).getFullOutput()).status).toBe('suspended');
      const [waiting] = (await agent.listSuspendedRuns()).runs[0]?.toolCalls ?? [];
      expect(waiting).toMatchObject({ toolName: 'charge', suspendPayload: { code: 'tool/unknown-outcome' } });
      expect(keys).not.toContain('run:call-0-0');
    },
  );

  it.each([
    { found: { outcome: 'done', result: { receipt: 'found' } }, begins: 0, told: 'found' },
    { found: { outcome: 'not-done' }, begins: 1, told: 'receipt 1' },
  ] as const)(
    'once, killed during the call: the run continues after the resolution $found.outcome',
    async ({ found, begins, told: result }) => {
      const disk = createDisk();
      const whole = mortalEngine(createDisk());
      await charging([], whole, 'once').generate(prompt, { runId: 'run' });
      const first = whole.passed.findIndex(({ at, key }) => at === 'unkept' && key.startsWith('tool '));
      const mortal = mortalEngine(disk, first);
      void charging([], mortal, 'once')
        .generate(prompt, { runId: 'run' })
        .catch(() => undefined);
      await mortal.died;

      const keys: (string | undefined)[] = [];
      const agent = charging(keys, mortalEngine(disk), 'once');
      await (await agent.attach('run')).getFullOutput();
      const waiting = (await agent.listSuspendedRuns()).runs[0]?.toolCalls ?? [];
      const [one] = waiting;
      expect(one).toMatchObject({
        toolName: 'charge',
        requiresApproval: false,
        suspendPayload: { code: 'tool/unknown-outcome' },
      });
      const toolCallId = one?.toolCallId ?? '';
      await expect(agent.resume('run', { approved: true }, { toolCallId })).rejects.toMatchObject({
        code: 'agent/invalid-option',
      });
      let last = await (await agent.resolveToolCall('run', { toolCallId, ...found })).getFullOutput();
      for (const other of waiting.slice(1))
        last = await (
          await agent.resolveToolCall('run', { toolCallId: other.toolCallId, outcome: 'done', result: { receipt: 'receipt 2' } })
        ).getFullOutput();
      expect(last).toMatchObject({ status: 'success', text: 'All is paid.' });
      expect(keys.filter((key) => key === `run:${toolCallId}`)).toHaveLength(begins);
      expect(JSON.stringify(last.steps[0]?.toolResults)).toContain(result);
    },
  );

  it.each([
    { engine: 'no engine', durability: undefined, refused: true },
    { engine: 'memory', durability: memoryEngine(), refused: true },
    { engine: 'a fenced engine', durability: mortalEngine(createDisk()), refused: false },
  ])('once, on $engine: is rejected without a fenced engine', async ({ durability, refused }) => {
    const run = async () => (await charging([], durability, 'once').generate(prompt)).status;
    if (refused) await expect(run()).rejects.toMatchObject({ code: 'durable/once-not-supported', path: 'effects.charge' });
    else expect(await run()).toBe('success');
  });

  it('once, in a sub-agent without a journal: the tool does not run, and the supervisor gets the error', async () => {
    const keys: (string | undefined)[] = [];
    const sub = charging(keys, mortalEngine(createDisk()), 'once');
    const model = scriptedModel({ steps: [{ toolCalls: [{ name: 'agent-sub', args: { prompt } }] }, { text: 'Done.' }] });
    const lead = new InterlockAgent({ id: 'lead', name: 'Lead', instructions: 'Ask.', model, agents: { sub } });
    await lead.generate(prompt);
    expect(keys).toEqual([]);
    expect(JSON.stringify(model.calls[1]?.prompt)).toContain('Failed agent tool execution');
  });

  it.each([
    [{ charge: 'twice' }, 'effects.charge'],
    [{ chrage: 'once' }, 'effects.chrage'],
    ['once', 'effects'],
  ])('rejects %o', (effects, path) => {
    const make = () =>
      new InterlockAgent({
        name: 'Cashier',
        model: scriptedModel({ steps: [] }),
        tools: { charge: sdkTool({ inputSchema: z.object({}) }) },
        effects: effects as never,
      });
    expect(make).toThrow(expect.objectContaining({ code: 'agent/invalid-option', path }));
  });

  it('tools of the AI SDK get the key in their options', async () => {
    const keys: unknown[] = [];
    const look = sdkTool({
      inputSchema: z.object({}),
      execute: async (_input: object, options) => {
        keys.push(idempotencyKeyOf(options), (options as { idempotencyKey?: string }).idempotencyKey);
        return 'seen';
      },
    });
    const model = scriptedModel({ steps: [{ toolCalls: [{ name: 'look', args: {} }] }, { text: 'Done.' }] });
    const agent = new InterlockAgent({ name: 'Looker', model, tools: { look } });
    await agent.generate(prompt, { runId: 'one' });
    expect(keys).toEqual(['one:call-0-0', 'one:call-0-0']);
    expect(idempotencyKeyOf(undefined)).toBeUndefined();
  });
});
