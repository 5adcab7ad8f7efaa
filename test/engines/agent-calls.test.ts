import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { InterlockAgent, memoryEngine, type InterlockResult } from '../../src/index.js';
import type { Engine } from '../../src/engine.js';
import { scriptedModel } from '../../src/testing/index.js';
import { approving, scenarios, type Scenario } from '../durable/scenarios.js';
import { engineOf } from './engine-spec.js';
import { sites, type Site } from './sites.js';

const prompt = 'Please charge me.';

const timeless = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value, (key, one: unknown) => (['createdAt', 'toolCallId'].includes(key) ? undefined : one)));

const outcomeOf = ({ status, text, steps, tripwire, finishReason, usage, messages }: InterlockResult) => ({
  status,
  text,
  tripwire,
  finishReason,
  usage,
  steps: steps.map(({ stepNumber, attempt, reason, text: answerText, toolResults }) => [
    stepNumber,
    attempt,
    reason,
    answerText,
    toolResults.length,
  ]),
  messages: messages.map(({ role, content }) => [role, timeless(content.parts)]),
});

/** Separates users of an engine: agents with the same id do not share runs. */
const partOf = (engine: Engine, part: number): Engine => ({
  ...engine,
  host: (program) => engine.host({ ...program, id: `${program.id} ${part}` }),
});

describe.each(['restate', 'dbos'] as const)('an agent with its runs in %s', (name) => {
  let site: Site;
  let engine: Engine;
  let parts = 0;
  const durability = (): Engine => partOf(engine, (parts += 1));
  const scenario = (key: string): Scenario => (scenarios[key] as () => Scenario)();

  beforeAll(async () => {
    site = await sites[name]();
    engine = engineOf(site.specFor('tests'));
  });
  afterAll(async () => {
    await engine.close();
    await site.close();
  });

  it.each(Object.keys(scenarios))('ends as in memory (%s)', async (key) => {
    const [there, here] = [scenario(key), scenario(key)];
    const kept = await there.agent({ durability: durability() }).generate(prompt, { runId: 'one' });
    expect(outcomeOf(kept)).toEqual(outcomeOf(await here.agent({ durability: memoryEngine() }).generate(prompt)));
    expect(there.effects.toSorted()).toEqual(here.effects.toSorted());
  });

  it('a run starts once per id: a repeated call follows it, also after its end', async () => {
    const { agent: make, effects } = scenario('tools');
    const agent = make({ durability: durability() });
    const results = await Promise.all([agent.generate(prompt, { runId: 'one' }), agent.generate(prompt, { runId: 'one' })]);
    expect(results.map(({ text }) => text)).toEqual(['I charge. All is paid.', 'I charge. All is paid.']);
    expect((await (await agent.attach('one')).getFullOutput()).text).toBe('I charge. All is paid.');
    expect(effects.toSorted()).toEqual(['charge 1', 'charge 2']);
  });

  it('approvals apply early, one after another, and once', async () => {
    const { agent: make, effects } = approving();
    const agent = make({ durability: durability() });
    const started = agent.stream(prompt, { runId: 'one' });
    const early = started.then(() => agent.resume('one', { approved: true }, { toolCallId: 'call-0-0' }));
    expect((await (await early).getFullOutput()).status).toBe('suspended');
    const ended = await (await agent.resume('one', { approved: false, reason: 'too much' })).getFullOutput();
    expect([ended.status, ended.text, effects]).toEqual(['success', 'I charge. All is paid.', ['charge 1']]);
    await expect(agent.resume('one', { approved: true })).rejects.toMatchObject({ code: 'agent/no-suspended-run' });
  });

  it('cancels suspended, running and aborted runs', async () => {
    const resting = approving();
    const agent = resting.agent({ durability: durability() });
    await agent.generate(prompt, { runId: 'resting' });
    await agent.cancel('resting');
    expect((await (await agent.attach('resting')).getFullOutput()).status).toBe('canceled');
    expect(resting.effects).toEqual([]);
    const model = scriptedModel({ steps: () => ({ hang: true }) });
    const waiting = new InterlockAgent({
      id: 'waiting',
      name: 'Waiting',
      instructions: 'Wait.',
      model,
      durability: durability(),
    });
    const stream = await waiting.stream(prompt, { runId: 'going' });
    await waiting.cancel('going');
    expect((await stream.getFullOutput()).status).toBe('canceled');
    const controller = new AbortController();
    const abandoned = await waiting.stream(prompt, { runId: 'left', abortSignal: controller.signal });
    controller.abort();
    expect((await abandoned.getFullOutput()).status).toBe('canceled');
  });

  it('followers of a failed run get its error, and an unknown run id is rejected', async () => {
    const model = scriptedModel({ steps: [{ error: new Error('The provider is out of order.') }] });
    const agent = new InterlockAgent({ id: 'failing', name: 'Failing', instructions: 'Fail.', model, durability: durability() });
    await expect(agent.generate(prompt, { runId: 'one' })).rejects.toThrow('The provider is out of order.');
    await expect((await agent.attach('one')).getFullOutput()).rejects.toThrow('The provider is out of order.');
    for (const act of [() => agent.attach('two'), () => agent.resume('two', {}), () => agent.cancel('two')])
      await expect(act()).rejects.toMatchObject({ code: 'durable/no-run' });
  });

  it('a tool can have its effect once', async () => {
    const { agent: make, effects } = scenario('tools');
    const { status } = await make({ durability: durability(), effects: { charge: 'once' } }).generate(prompt);
    expect([status, effects.toSorted()]).toEqual(['success', ['charge 1', 'charge 2']]);
  });

  it('two agents with the same id cannot share an engine', () => {
    const shared = durability();
    scenario('tools').agent({ durability: shared });
    expect(() => scenario('tools').agent({ durability: shared })).toThrowError(
      expect.objectContaining({ code: 'durable/invalid-option' }),
    );
  });
});
