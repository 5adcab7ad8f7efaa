import type { MastraDBMessage } from '@mastra/core/agent/message-list';
import type { Processor } from '@mastra/core/processors';
import { describe, expect, it, vi } from 'vitest';

import { PrepareStepProcessor, type InterlockAgent } from '../../src/index.js';
import type { PrepareStep } from '../../src/mastra/call-options.js';
import { callThen, echo, echoAs, textOf, withText } from '../mastra/support.js';
import { conflictingNames, runExample, sentTo, titlesOf, world } from './example.js';

const document = '1-process-input-step';
const calling = { toolCalls: [{ name: 'echo', args: { say: 'a' } }] };
const oneCall = callThen('echo', { say: 'a' });
const manyCalls = (count: number) => [...Array.from({ length: count }, () => calling), { text: 'Done.' }];

/** A class that makes one processor, which is recorded. */
const watched = (id: string) => {
  const processInputStep = vi.fn<NonNullable<Processor['processInputStep']>>();
  class Watched {
    readonly id = id;
    readonly processInputStep = processInputStep;
  }
  return { Watched, processInputStep };
};

const prepareStepOf = async (title: string): Promise<PrepareStep> =>
  (await runExample<{ prepareStep: PrepareStep }>({ document, title })).prepareStep;

describe(`the examples of ${document}`, () => {
  it('are all here', ({ task }) => expect(conflictingNames(task)).toEqual(titlesOf(document)));

  it('prepareStep Integration', async ({ task: { name: title } }) => {
    const { agent, answers, calls } = world(manyCalls(4));
    const made: unknown[] = [];
    const Recorded = class extends PrepareStepProcessor {
      constructor(config: ConstructorParameters<typeof PrepareStepProcessor>[0]) {
        super(config);
        made.push(this);
      }
    };
    await runExample({
      document,
      title,
      scope: { agent: agent({ tools: { echo } }), PrepareStepProcessor: Recorded, userFunction: () => undefined },
      fill: { 'agent.generate({': "agent.generate({ prompt: 'Hello', maxSteps: 5," },
    });
    await Promise.all(answers);
    expect(calls.map(({ options }) => options.toolChoice?.type)).toEqual(['auto', 'auto', 'auto', 'auto', 'none']);
    expect(made).toMatchObject([{ id: 'prepare-step' }]);
  });

  it('1. Agent Constructor - Default inputProcessors', async ({ task: { name: title } }) => {
    const { Agent, answers } = world();
    const [first, second] = [watched('first'), watched('second')];
    const { agent } = await runExample<{ agent: InterlockAgent }>({
      document,
      title,
      scope: { Agent, MyCustomProcessor: first.Watched, AnotherProcessor: second.Watched },
    });
    expect(await Promise.all(answers)).toMatchObject([{ status: 'success', text: 'Hello.' }]);
    await (
      await agent.stream('Hello')
    ).text;
    expect(first.processInputStep).toHaveBeenCalledTimes(2);
    expect(second.processInputStep).toHaveBeenCalledTimes(2);
  });

  it('2. Agent Constructor - Default prepareStep', async ({ task: { name: title } }) => {
    const { Agent } = world(oneCall);
    const steps: number[] = [];
    const { agent } = await runExample<{ agent: InterlockAgent }>({
      document,
      title,
      scope: { Agent, steps },
      fill: { '// Runs before each step': 'steps.push(stepNumber)' },
    });
    await agent.generate('Hello', { toolsets: { all: { echo } } });
    expect(steps).toEqual([0, 1]);
  });

  it('3. Per-call inputProcessors', async ({ task: { name: title } }) => {
    const { agent, answers } = world();
    const [own, perCall] = [watched('own'), watched('per-call')];
    await runExample({
      document,
      title,
      scope: { agent: agent({ inputProcessors: [new own.Watched()] }), StepSpecificProcessor: perCall.Watched },
    });
    expect(await Promise.all(answers)).toMatchObject([{ text: 'Hello.' }]);
    expect(perCall.processInputStep).toHaveBeenCalledOnce();
    expect(own.processInputStep).not.toHaveBeenCalled();
  });

  it('4. Per-call prepareStep', async ({ task: { name: title } }) => {
    const { agent, answers, calls } = world(manyCalls(6));
    const scope = {
      agent: agent({ tools: { echo, searchTool: echoAs('searchTool') }, defaultOptions: { maxSteps: 7 } }),
    };
    await runExample({ document, title, scope });
    await Promise.all(answers);
    const choices = calls.map(({ options }) => options.toolChoice);
    expect(choices.at(0)).toEqual({ type: 'tool', toolName: 'searchTool' });
    expect(choices.slice(1, 6)).toEqual(Array.from({ length: 5 }, () => ({ type: 'auto' })));
    expect(choices.at(6)).toEqual({ type: 'none' });
  });

  it('5. Dynamic Model Switching', async ({ task: { name: title } }) => {
    const { agent, answers, calls, modelOf } = world(oneCall);
    await runExample({
      document,
      title,
      scope: { agent: agent({ tools: { echo } }), fast: modelOf('gpt-4o-mini'), powerful: modelOf('gpt-4o') },
      fill: { "'gpt-4o-mini'": 'fast', "'gpt-4o'": 'powerful' },
    });
    await Promise.all(answers);
    expect(calls.map(({ model }) => model)).toEqual(['gpt-4o-mini', 'gpt-4o']);
  });

  it('6. Message Transformation', async ({ task: { name: title } }) => {
    const { agent, calls } = world();
    const { ReasoningTransformer } = await runExample<{ ReasoningTransformer: new () => Processor }>({
      document,
      title,
      scope: { transformReasoning: (message: MastraDBMessage) => withText(message, (text) => text.toUpperCase()) },
    });
    await agent({ inputProcessors: [new ReasoningTransformer()] }).generate('hello');
    expect(sentTo(calls[0], 'user')).toEqual(['HELLO']);
  });

  it('prepareStep messages format changed [spec 1.32]', async ({ task: { name: title } }) => {
    const { agent } = world();
    const seen: unknown[] = [];
    const { prepareStep } = await runExample<{ prepareStep: PrepareStep }>({
      document,
      title,
      scope: { seen },
      fill: { '// ... use aiSdkMessages': 'seen.push(aiSdkMessages)' },
    });
    await agent().generate('hello', { prepareStep });
    expect(seen).toMatchObject([[{ role: 'user', content: [{ type: 'text', text: 'hello' }] }]]);
  });

  it('Return `{ systemMessages }` to REPLACE all system messages [spec 1.11, 1.29]', async ({ task: { name: title } }) => {
    const { agent, calls } = world(oneCall);
    await agent({ tools: { echo } }).generate('hello', { prepareStep: await prepareStepOf(title) });
    const both = ['Answer.', 'Additional instruction for this step'];
    expect(calls.map((call) => sentTo(call, 'system'))).toEqual([both, both]);
  });

  it('Include system messages in returned `messages[]` array to ADD [spec 1.30]', async ({ task: { name: title } }) => {
    const { agent, calls } = world(oneCall);
    const seen: string[][] = [];
    const watching = {
      id: 'watching',
      processInputStep: ({ messages }: { messages: MastraDBMessage[] }) => void seen.push(messages.map(textOf)),
    };
    await agent({ tools: { echo }, inputProcessors: [watching] }).generate('hello', { prepareStep: await prepareStepOf(title) });
    const both = ['Answer.', 'This gets added via addSystem()'];
    expect(calls.map((call) => sentTo(call, 'system'))).toEqual([both, both]);
    expect(seen).toEqual([['hello'], ['hello', '']]);
  });

  it('Processor Order (from llm-execution-step.ts) [spec 1.33]', async ({ task: { name: title } }) => {
    const first = watched('first');
    const scope = { inputProcessors: [new first.Watched()], options: { prepareStep: () => undefined }, PrepareStepProcessor };
    const { inputStepProcessors } = await runExample<{ inputStepProcessors: Processor[] }>({ document, title, scope });
    expect(inputStepProcessors).toMatchObject([{ id: 'first' }, { id: 'prepare-step' }]);
  });
});
