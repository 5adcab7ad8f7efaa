import { ConsoleLogger } from '@mastra/core/logger';
import { Mastra } from '@mastra/core/mastra';
import { describe, expect, it } from 'vitest';

import { InterlockAgent } from '../../src/index.js';
import { scriptedModel, tripping } from '../../src/testing/index.js';
import { callThen, echo, expectRefusal, makeAgent, modes } from './support.js';

class Kept extends ConsoleLogger {
  readonly warnings: string[] = [];
  override warn = (message: string): void => void (message.includes('without an effect') && this.warnings.push(message));
  override child = (): this => this;
}

/** A registered agent, and the warnings about it. */
const registered = (config: object = {}) => {
  const model = scriptedModel({ steps: () => ({ text: 'Hello.' }) });
  const logger = new Kept();
  const agent = new InterlockAgent({ id: 'desk', name: 'Desk', model, ...config });
  const mastra = new Mastra({ agents: { agent }, logger });
  return { mastra, agent, model, warnings: () => logger.warnings };
};

/** Options that Mastra ignores, or that need a loop without promises, with a part of the advice. */
const ignored: [name: string, value: unknown, advice: string][] = [
  ['temperature', 0.5, 'put it into modelSettings'],
  ['topP', 0.5, 'put it into modelSettings'],
  ['maxRetries', 2, 'put it into modelSettings'],
  ['output', {}, 'use structuredOutput'],
  ['format', 'aisdk', 'toAISdkStream'],
  ['telemetry', { isEnabled: true }, 'use tracingOptions'],
  ['runtimeContext', {}, 'requestContext'],
  ['autoResumeSuspendedTools', true, 'call resumeStream or resumeGenerate'],
  ['eagerToolExecution', true, 'no tool runs before its step is judged'],
  ['maxSteps', 0, 'an integer of 1 or more'],
  ['maxStep', 3, 'did you mean maxSteps?'],
  ['nonsense', 3, 'there is no such option'],
];

describe.each(modes)('an option without an effect in %s', (mode) => {
  it.each(ignored)('%s is one warning per agent, with the alternative', async (name, value, advice) => {
    const { agent, warnings } = registered();
    for (const call of [1, 2])
      expect(await (await agent[mode]('Hi', { [name]: value } as object)).text, `${call}`).toBe('Hello.');
    expect(warnings()).toHaveLength(1);
    expect(warnings()[0]).toContain(`Agent "desk" ignores options without an effect here:\n- "${name}": `);
    expect(warnings()[0]).toContain(advice);
  });

  it('is reported in the defaults of an agent, too', async () => {
    const { agent, warnings } = registered({ defaultOptions: () => ({ temperature: 0.5 }) });
    for (const prompt of ['Hi', 'Ho']) await (await agent[mode](prompt)).text;
    expect(warnings()).toEqual([expect.stringContaining('modelSettings')]);
  });

  it('is no longer reported after 20 names, which may come from a request', async () => {
    const { agent, warnings } = registered();
    for (let at = 0; at < 30; at += 1) await (await agent[mode]('Hi', { [`field-${at}`]: at } as object)).text;
    expect(warnings()).toHaveLength(20);
  });

  it.each(ignored.map(([name]) => name).concat('memory', 'abortSignal', 'requestContext', 'inputProcessors', 'threadId'))(
    '%s: null is absent',
    async (name) => {
      const { agent, warnings } = registered();
      expect(await (await agent[mode]('Hi', { [name]: null } as object)).text).toBe('Hello.');
      expect(warnings()).toEqual([]);
    },
  );

  it('null does not remove a guard, an approval or a default', async () => {
    const { agent, model } = makeAgent('Hi.', { inputProcessors: [tripping('processInput', 'No.')] });
    const stopped = await agent[mode]('Hi', { inputProcessors: null } as never);
    await stopped.text;
    expect(stopped.tripwire).toBeDefined();
    expect(model.calls).toEqual([]);
    const approving = makeAgent(callThen('echo', { say: 'a' }), {
      tools: { echo },
      defaultOptions: { requireToolApproval: true },
    });
    const waiting = await approving.agent[mode]('Hi', { requireToolApproval: null } as never);
    expect(await waiting.finishReason).toBe('suspended');
  });

  it.each([
    ['inputProcesors', [tripping('processInput', 'No.')], 'did you mean inputProcessors?'],
    ['requireToolAproval', true, 'did you mean requireToolApproval?'],
    ['hook', {}, 'did you mean hooks?'],
    ['window', 'delta', 'it is an option of the configuration'],
    ['effects', {}, 'it is an option of the configuration'],
  ])('%s is rejected, because a promise depends on it', async (name, value, advice) => {
    const { agent, model } = makeAgent();
    const error = await expectRefusal('agent/unknown-option', model, () => agent[mode]('Hi', { [name]: value } as object));
    expect(error.message).toContain(advice);
  });

  it('maxSteps of 0 leaves the limit of the agent', async () => {
    const { agent, model } = makeAgent([...callThen('echo', { say: 'a' }), { text: 'Never.' }], {
      tools: { echo },
      defaultOptions: { maxSteps: 1 },
    });
    await (
      await agent[mode]('Hi', { maxSteps: 0 })
    ).text;
    expect(model.calls).toHaveLength(1);
  });
});

describe('a configuration', () => {
  it('with options without an effect is one warning when the agent is registered', async () => {
    const { agent, warnings } = registered({
      maxSteps: 3,
      durable: true,
      temperature: 1,
      nmae: 'typo',
      memory: null,
      defaultOptions: { output: {} },
    });
    const advice = [
      '- "maxSteps": it is an option of calls; put it into defaultOptions.',
      '- "durable": set the engine as durability.',
      '- "temperature": it is a setting of the model; put it into defaultOptions.modelSettings.',
      '- "nmae": there is no such option.',
      '- "defaultOptions.output": use structuredOutput instead.',
    ];
    const expected = [`Agent "desk" ignores options without an effect here:\n${advice.join('\n')}`];
    expect(warnings()).toEqual(expected);
    expect((await agent.generate('Hi')).text).toBe('Hello.');
    expect(warnings()).toEqual(expected);
  });

  it('a copy of an agent does not repeat the warning', async () => {
    const { agent, warnings } = registered({ durable: true });
    await agent['__fork']().generate('Hi');
    expect(warnings()).toHaveLength(1);
  });

  it('an agent without a Mastra instance warns with the first call', async () => {
    const { agent } = makeAgent('Hello.', { durable: true } as object);
    const logger = new Kept();
    agent['__setLogger'](logger);
    await agent.generate('Hi');
    expect(logger.warnings).toEqual([expect.stringContaining('set the engine as durability')]);
  });

  it.each([
    ['inputProcesors', 'did you mean inputProcessors?'],
    ['priority', 'it is an option of calls; put it into defaultOptions'],
  ])('%s is rejected, because a promise depends on it', async (name, advice) => {
    const model = scriptedModel({ steps: [] });
    const build = () => new InterlockAgent({ id: 'a', name: 'A', model, [name]: [] });
    expect((await expectRefusal('agent/unknown-option', model, build)).message).toContain(advice);
  });
});
