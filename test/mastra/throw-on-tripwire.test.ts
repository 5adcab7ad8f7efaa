import type { Processor } from '@mastra/core/processors';
import { createTool } from '@mastra/core/tools';
import { describe, expect, it } from 'vitest';
import { InterlockAgent, isInterlockError } from '../../src/index.js';
import type { InterlockConfig } from '../../src/mastra/agent/config.js';
import { memoryEngine } from '../../src/durable/memory-engine.js';
import { scriptedModel } from '../../src/testing/index.js';

const refusing: Processor = {
  id: 'refusing',
  processOutputStep: ({ text = '', abort, messages }) =>
    text.includes('secret') ? abort('A secret.', { metadata: { rule: 7 } }) : messages,
};

const agentWith = (config: InterlockConfig, text = 'The secret is out.'): InterlockAgent =>
  new InterlockAgent({
    id: 'a',
    name: 'a',
    description: 'Answers.',
    instructions: 'Help.',
    model: scriptedModel({ steps: [{ text }] }),
    outputProcessors: [refusing],
    ...config,
  });

const errorIn = (running: Promise<unknown>): Promise<unknown> =>
  running.then(
    () => undefined,
    (error: unknown) => error,
  );

describe.each<[string, InterlockConfig]>([
  ['in this process', {}],
  ['in a durable run', { durability: memoryEngine() }],
])('throwOnTripwire %s', (_place, config) => {
  it.each<[string, InterlockConfig, object]>([
    ['the agent', { throwOnTripwire: true }, {}],
    ['the call', {}, { throwOnTripwire: true }],
    ['the defaults of the call', { defaultOptions: { throwOnTripwire: true } } as InterlockConfig, {}],
  ])('rejects in generate and in the promises of a stream: set by %s', async (_by, more, call) => {
    const agent = agentWith({ ...config, ...more });
    const error = await errorIn(agent.generate('Hi', call));
    expect(isInterlockError(error, 'agent/tripwire') && error.cause).toMatchObject({
      processorId: 'refusing',
      reason: 'A secret.',
      metadata: { rule: 7 },
    });
    expect(error).toMatchObject({ path: 'refusing', status: 422, message: expect.stringContaining('A secret.') as string });

    const stream = await agentWith({ ...config, ...more }).stream('Hi', call);
    const types: string[] = [];
    for await (const { type } of stream.fullStream) types.push(type);
    expect(types.filter((type) => ['tripwire', 'error', 'finish'].includes(type))).toEqual(['tripwire', 'finish']);
    expect(stream.status).toBe('tripwire');
    for (const promise of [stream.getFullOutput(), stream.text, stream.steps])
      expect(await errorIn(promise)).toMatchObject({ code: 'agent/tripwire' });
  });

  it('is off by default, and a call can disable it', async () => {
    expect(await agentWith({ ...config, throwOnTripwire: true }).generate('Hi', { throwOnTripwire: false })).toMatchObject({
      status: 'tripwire',
    });
    expect(await agentWith(config).generate('Hi')).toMatchObject({ status: 'tripwire' });
  });

  it('does not affect an accepted answer', async () => {
    const agent = agentWith({ ...config, throwOnTripwire: true }, 'All is well.');
    expect(await agent.generate('Hi')).toMatchObject({ status: 'success', text: 'All is well.' });
  });
});

it('does not change the refusal of a sub-agent', async () => {
  const model = scriptedModel({
    steps: [{ toolCalls: [{ name: 'agent-helper', args: { prompt: 'Hi' } }] }, { text: 'No answer.' }],
  });
  const helper = agentWith({ throwOnTripwire: true });
  const supervisor = new InterlockAgent({ id: 's', name: 's', instructions: 'Ask.', model, agents: { helper } });
  await supervisor.generate('Hi');
  const prompt = JSON.stringify(model.calls.at(-1));
  expect(prompt).toContain('agent/refused');
  expect(prompt).not.toContain('agent/tripwire');
});

it('rejects in a resumed run according to the option of the resuming call', async () => {
  const model = scriptedModel({ steps: [{ toolCalls: [{ name: 'look', args: {} }] }, { text: 'The secret is out.' }] });
  const look = createTool({ id: 'look', description: 'Looks.', requireApproval: true, execute: async () => 'seen' });
  const agent = new InterlockAgent({
    id: 'a',
    name: 'a',
    instructions: '',
    model,
    tools: { look },
    outputProcessors: [refusing],
  });
  const { runId } = await agent.generate('Hi');
  expect(await errorIn(agent.approveToolCallGenerate({ runId, throwOnTripwire: true }))).toMatchObject({
    code: 'agent/tripwire',
  });
});
