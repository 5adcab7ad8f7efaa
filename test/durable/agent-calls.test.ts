import { getEventListeners } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { createTool } from '@mastra/core/tools';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { z as old } from 'zod/v3';

import { openWorkflow } from '../../src/durable/openworkflow/index.js';
import { InterlockAgent, InterlockError, memoryEngine, type InterlockStream } from '../../src/index.js';
import type { Engine } from '../../src/engine.js';
import type { TraceRecorder } from '../../src/replay.js';
import { scriptedModel } from '../../src/testing/index.js';
import { approving, scenarios, type Scenario } from './scenarios.js';

const onFile = (): Engine => {
  const folder = mkdtempSync(join(tmpdir(), 'interlock-durable-'));
  const engine = openWorkflow({ path: join(folder, 'runs.db') });
  onTestFinished(async () => {
    await engine.close();
    rmSync(folder, { recursive: true, force: true });
  });
  return engine;
};

const engines: Readonly<Record<string, () => Engine>> = { memory: memoryEngine, openworkflow: onFile };

const prompt = 'Please charge me.';

const waitingIn = async (stream: InterlockStream): Promise<string[]> => {
  const ids: string[] = [];
  for await (const chunk of stream.fullStream as AsyncIterable<{ type: string; payload: { toolCallId: string } }>)
    if (chunk.type === 'tool-call-approval') ids.push(chunk.payload.toolCallId);
  return ids;
};

describe.each(Object.keys(engines))('an agent with its runs in %s', (name) => {
  const engineOf = engines[name] as () => Engine;

  it('a run can be followed by its id, also after its end', async () => {
    const agent = (scenarios['guards'] as () => Scenario)().agent({ durability: engineOf() });
    const answered = await agent.generate(prompt, { runId: 'one' });
    const again = await (await agent.attach('one')).getFullOutput();
    expect([again.text, again.status, again.runId]).toEqual([answered.text, answered.status, 'one']);
    expect(again.runEvents).toEqual(answered.runEvents);
    expect(again.steps).toEqual(answered.steps);
    expect(again.usage).toEqual(answered.usage);
  });

  it('a stream emits the same chunks as without an engine', async () => {
    const typesOf = async (stream: InterlockStream): Promise<string[]> => {
      const types: string[] = [];
      for await (const { type } of stream.fullStream) types.push(type);
      return types;
    };
    const plain = await typesOf(await (scenarios['guards'] as () => Scenario)().agent().stream(prompt));
    const kept = await typesOf(await (scenarios['guards'] as () => Scenario)().agent({ durability: engineOf() }).stream(prompt));
    expect(kept).toEqual(plain);
  });

  it('a run starts once per id: a repeated call follows it', async () => {
    const scenario = (scenarios['tools'] as () => Scenario)();
    const agent = scenario.agent({ durability: engineOf() });
    const results = await Promise.all([agent.generate(prompt, { runId: 'one' }), agent.generate(prompt, { runId: 'one' })]);
    expect(results.map(({ text }) => text)).toEqual(['I charge. All is paid.', 'I charge. All is paid.']);
    expect(scenario.effects.toSorted()).toEqual(['charge 1', 'charge 2']);
  });

  it('calls wait for approval, one after another, and are approved by run id', async () => {
    const scenario = approving();
    const agent = scenario.agent({ durability: engineOf() });
    const ids = await waitingIn(await agent.stream(prompt, { runId: 'one' }));
    expect(ids).toHaveLength(2);
    const [first = '', second = ''] = ids;
    const rested = await (await agent.resume('one', { approved: true }, { toolCallId: first })).getFullOutput();
    expect([rested.status, scenario.effects]).toEqual(['suspended', []]);
    await expect(agent.resume('one', { approved: true }, { toolCallId: first })).rejects.toMatchObject({
      code: 'agent/no-suspended-run',
    });
    const ended = await (
      await agent.resume('one', { approved: false, reason: 'too much' }, { toolCallId: second })
    ).getFullOutput();
    expect([ended.status, ended.text, scenario.effects]).toEqual(['success', 'I charge. All is paid.', ['charge 1']]);
    await expect(agent.resume('one', { approved: true })).rejects.toMatchObject({ code: 'agent/no-suspended-run' });
    expect((await (await agent.attach('one')).getFullOutput()).text).toBe('I charge. All is paid.');
  });

  it('a trace ends at the first suspension, and resuming or following the run starts no other trace', async () => {
    const ends: unknown[] = [];
    const headers: string[] = [];
    const record: TraceRecorder = ({ runId }) => {
      headers.push(runId);
      return (entry) => {
        if (entry.kind === 'result') ends.push(entry.status);
      };
    };
    const agent = approving().agent({ durability: engineOf(), record });
    const [first = ''] = await waitingIn(await agent.stream(prompt, { runId: 'one' }));
    await (await agent.resume('one', { approved: true }, { toolCallId: first })).getFullOutput();
    await (await agent.attach('one')).getFullOutput();
    expect([headers, ends]).toEqual([['one'], ['suspended']]);
  });

  it('an approval before the suspension applies after it', async () => {
    const scenario = approving();
    const agent = scenario.agent({ durability: engineOf() });
    const started = agent.stream(prompt, { runId: 'one' });
    const early = started.then(() => agent.resume('one', { approved: false }, { toolCallId: 'call-0-0' }));
    expect((await (await early).getFullOutput()).status).toBe('suspended');
    expect((await (await agent.resume('one', { approved: false })).getFullOutput()).text).toBe('I charge. All is paid.');
    expect(scenario.effects).toEqual([]);
  });

  it('cancels suspended and running runs', async () => {
    const scenario = approving();
    const agent = scenario.agent({ durability: engineOf() });
    await agent.generate(prompt, { runId: 'resting' });
    await agent.cancel('resting');
    expect((await (await agent.attach('resting')).getFullOutput()).status).toBe('canceled');
    expect(scenario.effects).toEqual([]);
    const hanging = scriptedModel({ steps: [{ hang: true }] });
    const waiting = new InterlockAgent({
      id: 'waiting',
      name: 'Waiting',
      instructions: 'Wait.',
      model: hanging,
      durability: engineOf(),
    });
    const stream = await waiting.stream(prompt, { runId: 'going' });
    await waiting.cancel('going');
    expect((await stream.getFullOutput()).status).toBe('canceled');
    expect((await (await waiting.attach('going')).getFullOutput()).status).toBe('canceled');
  });

  it('an aborted call cancels its run in every process', async () => {
    const hanging = scriptedModel({ steps: [{ hang: true }] });
    const agent = new InterlockAgent({
      id: 'waiting',
      name: 'Waiting',
      instructions: 'Wait.',
      model: hanging,
      durability: engineOf(),
    });
    const controller = new AbortController();
    const stream = await agent.stream(prompt, { runId: 'one', abortSignal: controller.signal });
    controller.abort();
    expect((await stream.getFullOutput()).status).toBe('canceled');
  });

  it('an aborted call cancels its run once the engine is back', async () => {
    const engine = engineOf();
    let attempts = 0;
    const leaving: Engine = {
      ...engine,
      host: (program) => {
        const runs = engine.host(program);
        const cancel = async (id: string) => {
          attempts += 1;
          if (attempts < 3) throw new InterlockError('durable/unreachable', { path: 'systemDatabaseUrl' });
          await runs.cancel(id);
        };
        return { ...runs, cancel };
      },
    };
    const model = scriptedModel({ steps: [{ hang: true }] });
    const agent = new InterlockAgent({ id: 'waiting', name: 'Waiting', instructions: 'Wait.', model, durability: leaving });
    const controller = new AbortController();
    const stream = await agent.stream(prompt, { runId: 'one', abortSignal: controller.signal });
    controller.abort();
    expect((await stream.getFullOutput()).status).toBe('canceled');
    await expect.poll(() => attempts).toBe(3); // the run may be in another process
  });

  it('a finished run removes its abort listener', async () => {
    const agent = (scenarios['guards'] as () => Scenario)().agent({ durability: engineOf() });
    const { signal } = new AbortController();
    await agent.generate(prompt, { runId: 'one', abortSignal: signal });
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  it('followers of a failed run get its error', async () => {
    const model = scriptedModel({ steps: [{ error: new Error('The provider is out of order.') }] });
    const agent = new InterlockAgent({ id: 'failing', name: 'Failing', instructions: 'Fail.', model, durability: engineOf() });
    await expect(agent.generate(prompt, { runId: 'one' })).rejects.toThrow('The provider is out of order.');
    await expect((await agent.attach('one')).getFullOutput()).rejects.toThrow('The provider is out of order.');
  });

  const answers = { steps: [{ text: '{"city":' }, { text: '{"city":"Rome"}' }] };
  const named = z.object({ city: z.string().min(2).describe('Its name.'), area: z.number().optional() });

  it('takes a zod schema for the object of a call', async () => {
    const config = { id: 'a', name: 'A', instructions: 'Answer.', maxProcessorRetries: 1 };
    const outcomeOf = async (own: object) => {
      const model = scriptedModel(answers);
      const agent = new InterlockAgent({ ...config, model, ...own });
      const { status, object } = await agent.generate(prompt, { structuredOutput: { schema: named } });
      return { status, object, formats: model.calls.map(({ options }) => options.responseFormat) };
    };
    const kept = await outcomeOf({ durability: engineOf() });
    expect(kept).toMatchObject({ status: 'success', object: { city: 'Rome' } });
    expect(kept).toEqual(await outcomeOf({}));
  });

  const paint = { id: 'paint', description: 'Paints the page.' };
  const colored = z.object({ color: z.string() });

  it.each([
    ['zod schema', { ...paint, inputSchema: colored }],
    ['JSON schema', { ...paint, inputSchema: z.toJSONSchema(colored) }],
    ['zod schema made with createTool', createTool({ ...paint, inputSchema: colored })],
  ])('takes client tools with a %s', async (_what, tool) => {
    const model = scriptedModel({ steps: [{ toolCalls: [{ name: 'paint', args: { color: 'red' } }] }] });
    const agent = new InterlockAgent({ id: 'a', name: 'A', instructions: 'Paint.', model, durability: engineOf() });
    const { finishReason, toolCalls } = await agent.generate(prompt, { clientTools: { paint: tool } });
    expect(finishReason).toBe('tool-calls');
    expect(toolCalls.map(({ payload: { toolName, args } }) => [toolName, args])).toEqual([['paint', { color: 'red' }]]);
    const shown = model.calls.map(({ options: { tools } }) =>
      tools?.map((one) => (one.type === 'function' ? one.inputSchema : one)),
    );
    expect(shown).toMatchObject([[{ type: 'object', properties: { color: { type: 'string' } } }]]);
  });

  it('rejects a schema that is neither JSON schema nor of zod 4, and names the remedy', async () => {
    const agent = (scenarios['tools'] as () => Scenario)().agent({ durability: engineOf() });
    const schema = old.object({ city: old.string() });
    const calls: [object, string, string][] = [
      [{ structuredOutput: { schema } }, 'structuredOutput.schema', 'set structuredOutput in defaultOptions'],
      [{ clientTools: { paint: { ...paint, inputSchema: schema } } }, 'clientTools.paint.inputSchema', 'give its JSON schema'],
    ];
    for (const [options, path, remedy] of calls) {
      const error: unknown = await agent.generate(prompt, options).catch((one: unknown) => one);
      expect(error).toMatchObject({ code: 'durable/unkept-value', path: `call.options.${path}` });
      expect(String(error)).toContain(remedy);
    }
  });

  it.each([
    ['transform', z.string().transform(Number), 'a pipe'],
    ['default', z.string().default('Rome'), 'a default'],
    ['refinement', z.string().refine((city) => city.length > 2), 'a check of type custom'],
    ['coercion', z.coerce.number(), 'a coercion'],
    ['check that edits', z.string().trim(), 'a check of type overwrite'],
    ['date', z.date(), 'a date'],
  ])('rejects a zod schema with a %s, which no journal can keep, and names the remedy', async (_what, city, code) => {
    const agent = (scenarios['tools'] as () => Scenario)().agent({ durability: engineOf() });
    const schema = z.object({ cities: z.array(z.object({ city })) });
    const error: unknown = await agent.generate(prompt, { structuredOutput: { schema } }).catch((one: unknown) => one);
    const path = 'call.options.structuredOutput.schema.properties.cities.items.properties.city';
    expect(error).toMatchObject({ code: 'durable/unkept-value', path });
    expect(String(error)).toContain(`a zod schema with ${code}; set structuredOutput in defaultOptions`);
  });

  it('rejects non-serializable input by name before anything runs', async () => {
    const scenario = (scenarios['tools'] as () => Scenario)();
    const agent = scenario.agent({ durability: engineOf() });
    const given = { stopWhen: () => true } as object;
    await expect(agent.generate(prompt, given)).rejects.toMatchObject({
      code: 'durable/unkept-value',
      path: 'call.options.stopWhen',
    });
    expect(scenario.effects).toEqual([]);
  });

  it('a function in the state of a guard fails the run with its path', async () => {
    const keeping = {
      id: 'keeping',
      processInput: ({ state, messages }: { state: Record<string, unknown>; messages: never[] }) => {
        state['client'] = () => 1;
        return messages;
      },
    };
    const agent = (scenarios['tools'] as () => Scenario)().agent({ durability: engineOf(), inputProcessors: [keeping as never] });
    const failure = { code: 'durable/unkept-value', path: 'slots.keeping.state.client' };
    await expect(agent.generate(prompt, { runId: 'one' })).rejects.toMatchObject(failure);
    await expect(agent.attach('one').then((stream) => stream.getFullOutput())).rejects.toMatchObject(failure);
  });
});

describe('a sub-agent with an engine', () => {
  it.each([undefined, memoryEngine()])('responds to its supervisor within the run of the supervisor', async (durability) => {
    const sub = new InterlockAgent({
      id: 'sub',
      name: 'sub',
      description: 'Knows it.',
      instructions: 'Answer.',
      model: scriptedModel({ steps: () => ({ text: 'It is so.' }) }),
      durability: memoryEngine(),
    });
    const model = scriptedModel({
      steps: [{ toolCalls: [{ name: 'agent-sub', args: { prompt: 'Is it?' } }] }, { text: 'Done.' }],
    });
    const supervisor = new InterlockAgent({ id: 'lead', name: 'Lead', instructions: 'Ask.', model, agents: { sub }, durability });
    const { toolResults } = await supervisor.generate(prompt);
    expect(toolResults).toMatchObject([{ output: { text: 'It is so.' } }]);
  });
});

describe('an agent without an engine', () => {
  it('rejects operations on runs', async () => {
    const agent = (scenarios['tools'] as () => Scenario)().agent();
    for (const act of [() => agent.attach('one'), () => agent.resume('one', {}), () => agent.cancel('one')])
      await expect(act()).rejects.toMatchObject({ code: 'durable/no-engine' });
  });

  it('with an engine, an unknown run id is rejected', async () => {
    const agent = (scenarios['tools'] as () => Scenario)().agent({ durability: memoryEngine() });
    for (const act of [() => agent.attach('one'), () => agent.resume('one', {}), () => agent.cancel('one')])
      await expect(act()).rejects.toMatchObject({ code: 'durable/no-run' });
  });
});
