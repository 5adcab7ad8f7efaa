import { setTimeout as sleep } from 'node:timers/promises';
import { Agent } from '@mastra/core/agent';
import type { Processor } from '@mastra/core/processors';
import { describe, expect, it } from 'vitest';

import { guardsFor, InterlockAgent, otherwise, pipeline } from '../../src/index.js';
import type { Compilable } from '../../src/mastra/graph/to-graph.js';
import { scriptedModel, tripping, type ScriptedStep } from '../../src/testing/index.js';
import { callThen, echo, modes, promptOf, textOf, withText, type Mode } from './support.js';

type Step = ScriptedStep<'v2'>;

const replace = (id: string, from: string, to: string): Processor => ({
  id,
  processInput: ({ messages }) => messages.map((message) => withText(message, (text) => text.replace(from, to))),
});

/** Mastra's own agent with the guards of a pipeline, and its model's input. */
const stockWith = (
  source: Compilable,
  steps: readonly Step[] = [{ text: 'Hello.' }],
  how: (source: Compilable) => object = guardsFor,
) => {
  const model = scriptedModel({ steps });
  const agent = new Agent({
    id: 'a',
    name: 'A',
    instructions: 'Answer.',
    tools: { echo },
    model,
    maxProcessorRetries: 2,
    ...how(source),
  });
  return { agent, model };
};

const call = async (agent: Agent, mode: Mode) =>
  mode === 'generate' ? agent.generate('one two') : (await agent.stream('one two')).getFullOutput();

describe('guardsFor', () => {
  it('returns one processor for each array in which the pipeline has hooks, and one that learns the tools whose calls it judges', () => {
    const ids = (source: Compilable) => {
      const { inputProcessors, outputProcessors, errorProcessors } = guardsFor(source);
      return [inputProcessors, outputProcessors, errorProcessors].map((guards) => (guards as Processor[]).map(({ id }) => id));
    };
    expect(ids(pipeline('p').then(replace('a', 'one', '1')))).toEqual([['p'], [], []]);
    const both = [{ id: 'b', processOutputStep: () => [], processAPIError: () => undefined }];
    expect(ids(both)).toEqual([['processors'], ['processors'], ['processors']]);
    expect(Object.keys(guardsFor(pipeline('p').then(replace('a', 'one', '1'))).inputProcessors[0] ?? {})).toEqual([
      'id',
      'processInput',
    ]);
  });

  it('rejects invalid pipelines', () => {
    expect(() => guardsFor(pipeline('p'))).toThrow(/pipeline\/empty/);
    expect(() => guardsFor([{ id: 'idle' }])).toThrow(/pipeline\/no-hook/);
  });
});

describe.each(modes)('in Mastra’s own agent, %s', (mode) => {
  it.each<[string, () => Compilable]>([
    [
      'a sequence',
      () =>
        pipeline('p')
          .then(replace('a', 'one', '1'))
          .then(replace('b', '1 two', '12')),
    ],
    ['a parallel block', () => pipeline('p').parallel([replace('a', 'one', '1'), replace('b', 'two', '2')])],
    ['a branch', () => pipeline('p').branch([[otherwise, replace('a', 'one', '1')]])],
    ['a processor', () => replace('a', 'one', '1')],
    ['an array', () => [replace('a', 'one', '1'), pipeline('q').then(replace('b', 'two', '2'))]],
  ])('%s sends the model the same prompt as an InterlockAgent', async (_name, source) => {
    const { agent, model } = stockWith(source());
    await call(agent, mode);
    const ownModel = scriptedModel({ steps: [{ text: 'Hello.' }] });
    const own = new InterlockAgent({
      id: 'a',
      name: 'A',
      instructions: 'Answer.',
      model: ownModel,
      inputProcessors: source(),
    });
    await call(own, mode);
    expect(promptOf(model)).toEqual(promptOf(ownModel));
  });

  it('a guard changes every field of a step', async () => {
    const other = scriptedModel({ steps: [{ text: 'Other.' }] });
    const steps: Processor = {
      id: 'steps',
      processInputStep: ({ messages, systemMessages }) => ({
        model: other as never, // a model of the step
        toolChoice: 'none',
        messages: messages.map((message) => withText(message, (text) => text.toUpperCase())),
        systemMessages: [...systemMessages, { role: 'system', content: 'Be brief.' }],
      }),
    };
    const { agent } = stockWith(pipeline('p').then(steps));
    expect((await call(agent, mode)).text).toBe('Other.');
    expect(other.calls[0]?.options.toolChoice).toEqual({ type: 'none' });
    expect(promptOf(other)).toEqual([
      ['system', 'Answer.'],
      ['system', 'Be brief.'],
      ['user', 'ONE TWO'],
    ]);
  });

  const redact = (id: string, from: string): Processor => ({
    id,
    processInputStep: ({ messages }) => ({
      messages: messages.map((message) => withText(message, (text) => text.replace(from, '[x]'))),
    }),
    processOutputResult: ({ messages }) => messages.map((message) => withText(message, (text) => text.replace(from, '[x]'))),
  });

  it.each<[string, () => Compilable]>([
    ['a sequence', () => pipeline('p').then(redact('a', 'one')).then(redact('b', 'two'))],
    ['a parallel block', () => pipeline('p').parallel([redact('a', 'one'), redact('b', 'two')])],
    ['a branch', () => pipeline('p').branch([[() => true, redact('a', 'one')], [async () => true, redact('b', 'two')]])], // prettier-ignore
    ['a nested block', () => pipeline('p').then(pipeline('q').parallel([redact('a', 'one'), redact('b', 'two')]))],
  ])('the next processor gets the messages as %s edited them', async (_name, source) => {
    const model = scriptedModel({ steps: [{ text: 'one two' }] });
    const { inputProcessors, outputProcessors } = guardsFor(source());
    const seen: string[][] = [];
    const last: Processor = {
      id: 'last',
      processInputStep: ({ messages }) => ({ messages: messages.slice(-20) }),
      processOutputResult: ({ messages }) => {
        seen.push(messages.map((message) => `${message.role} ${textOf(message)}`));
        return messages;
      },
    };
    const agent = new Agent({
      id: 'a',
      name: 'A',
      instructions: 'Answer.',
      model,
      inputProcessors: [...inputProcessors, last as never], // it has several hooks
      outputProcessors: [...outputProcessors, last as never],
    });
    const { response } = await call(agent, mode);
    expect(promptOf(model).at(-1)).toEqual(['user', '[x] [x]']);
    expect(seen).toEqual([['assistant [x] [x]']]);
    expect(textOf(response.dbMessages?.at(-1))).toBe('[x] [x]');
  });

  it('a guard rewrites a prompt', async () => {
    const rewriting: Processor = {
      id: 'rewriting',
      processLLMRequest: ({ prompt }) => ({
        prompt: [...prompt, { role: 'user', content: [{ type: 'text', text: 'And be brief.' }] }],
      }),
    };
    const { agent, model } = stockWith(pipeline('p').then(rewriting));
    await call(agent, mode);
    expect(promptOf(model).at(-1)).toEqual(['user', 'And be brief.']);
  });

  it('guards change and drop chunks, each with its own state', async () => {
    const number = (id: string): Processor & Required<Pick<Processor, 'processOutputStream'>> => ({
      id,
      processOutputStream: async ({ part, state }) => {
        if (part.type !== 'text-delta') return part;
        const count = ((state['count'] as number | undefined) ?? 0) + 1;
        state['count'] = count;
        return count === 2 ? null : { ...part, payload: { ...part.payload, text: `${part.payload.text}${count} ` } };
      },
    });
    const steps = [{ text: ['x', 'y', 'z', 'w'] }, { text: 'x' }];
    const { agent } = stockWith(pipeline('p').then(number('a')).then(number('b')), steps);
    const bare = scriptedModel({ steps });
    const usual = new Agent({
      id: 'a',
      name: 'A',
      instructions: 'Answer.',
      model: bare,
      outputProcessors: [number('a'), number('b')],
    });
    for (let turn = 0; turn < steps.length; turn += 1)
      expect((await call(agent, mode)).text).toBe((await call(usual, mode)).text);
  });

  it('a guard changes an answer before it is returned', async () => {
    const signing: Processor = {
      id: 'signing',
      processOutputResult: ({ messages }) => messages.map((message) => withText(message, (text) => `${text} Yours.`)),
    };
    const { agent } = stockWith(pipeline('p').then(signing));
    const { response } = await call(agent, mode);
    expect(textOf(response.dbMessages?.at(-1))).toBe('Hello. Yours.');
  });

  it.each([
    'processInput',
    'processInputStep',
    'processLLMRequest',
    'processOutputStream',
    'processOutputStep',
    'processOutputResult',
  ] as const)('%s trips with the id of the guard', async (hook) => {
    const { agent } = stockWith(pipeline('p').then(pipeline('q').then(tripping(hook, 'No.', { id: 't', metadata: { a: 1 } }))));
    expect((await call(agent, mode)).tripwire).toMatchObject({ reason: 'No.', metadata: { a: 1 }, processorId: 't' });
  });

  it('a retry requests the answer again', async () => {
    const picky: Processor = {
      id: 'picky',
      processOutputStep: ({ text, abort }) => (text === 'Bad.' ? abort('Better.', { retry: true }) : []),
    };
    const { agent, model } = stockWith(pipeline('p').then(picky), [{ text: 'Bad.' }, { text: 'Good.' }]);
    expect((await call(agent, mode)).text).toBe('Good.');
    expect(model.calls).toHaveLength(2);
  });

  it('an error processor repeats a failed call', async () => {
    const mending: Processor = { id: 'mending', processAPIError: ({ retryCount }) => ({ retry: retryCount === 0 }) };
    const { agent } = stockWith(pipeline('p').then(mending), [{ error: new Error('busy') }, { text: 'Hello.' }]);
    expect((await call(agent, mode)).text).toBe('Hello.');
  });

  it('a failing guard fails the call', async () => {
    const broken: Processor = { id: 'broken', processInput: () => Promise.reject(new Error('out of order')) };
    const { agent, model } = stockWith(pipeline('p').then(broken));
    await expect(call(agent, mode)).rejects.toThrow('Input processor error');
    expect(model.calls).toHaveLength(0);
  });

  it('a failing stream guard trips as an outage and emits nothing', async () => {
    const broken: Processor = { id: 'broken', processOutputStream: () => Promise.reject(new Error('out of order')) };
    const { agent } = stockWith(pipeline('p').then(broken));
    const { tripwire, text } = await call(agent, mode);
    expect(tripwire).toMatchObject({ reason: 'The guard broken gave no verdict.', metadata: { code: 'guard/unavailable' } });
    expect(text).toBe('');
  });

  it('a guard sees a tool result', async () => {
    const seen: unknown[] = [];
    const watching: Processor = {
      id: 'watching',
      processToolResult: ({ toolName, args, result }) => void seen.push({ toolName, args, result }), // without changes
    };
    const { agent } = stockWith(pipeline('p').then(watching), callThen('echo', { say: 'a' }));
    await call(agent, mode);
    expect(seen).toEqual([{ toolName: 'echo', args: { say: 'a' }, result: { said: 'a' } }]);
  });

  const changing = (id: string, from: string, to: string): Processor => ({
    id,
    processToolResult: ({ toolName, toolCallId, args, result, messageList }) => {
      const text = (result as { said: string }).said;
      const toolInvocation = {
        state: 'result' as const,
        toolCallId,
        toolName,
        args,
        result: { said: text.replace(from, to) },
      };
      messageList.updateToolInvocation({ type: 'tool-invocation', toolInvocation });
      return messageList;
    },
  });

  it.each([
    ['guardsFor', guardsFor],
    ['Mastra’s engine', (source: Compilable) => ({ outputProcessors: [source] })],
  ])('two parallel guards both change a tool result: %s', async (_name, how) => {
    const source = pipeline('p')
      .parallel([changing('a', 'Ann', '[name]'), changing('b', 'Oslo', '[city]')])
      .commit();
    const { agent, model } = stockWith(source, callThen('echo', { say: 'Ann lives in Oslo today.' }), how);
    await call(agent, mode);
    expect(JSON.stringify(model.calls[1]?.prompt)).toContain('[name] lives in [city] today.');
  });

  it.each([
    ['guardsFor', guardsFor],
    ['Mastra’s engine', (source: Compilable) => ({ outputProcessors: [source] })],
  ])('guards edit a tool result in the messages: %s', async (_name, how) => {
    const renaming = (id: string, from: string, to: string): Processor => ({
      id,
      processToolResult: ({ messages }) =>
        JSON.parse(JSON.stringify(messages).replaceAll(`"said":"${from}`, `"said":"${to}`)) as typeof messages,
    });
    const source = pipeline('p')
      .then(renaming('a', 'Ann', 'Bea'))
      .then(renaming('b', 'Bea', 'Cleo'))
      .commit();
    const { agent, model } = stockWith(source, callThen('echo', { say: 'Ann.' }), how);
    const { toolResults } = await call(agent, mode);
    expect(toolResults.map(({ payload }) => payload.result)).toEqual([{ said: 'Cleo.' }]);
    expect(JSON.stringify(model.calls[1]?.prompt)).toContain('"said":"Cleo.');
    expect(JSON.stringify(model.calls[1]?.prompt)).not.toContain('"said":"Ann');
  });

  it('no step runs after a block of a tool result', async () => {
    const starts: string[] = [];
    const again: Step = { toolCalls: [{ name: 'echo', args: { say: 'a' } }] };
    const source = pipeline('p').then(tripping('processToolResult', 'No.'));
    const { agent, model } = stockWith(source, [again, again, { text: 'Done.' }]);
    const hooks = { beforeToolCall: ({ toolName }: { toolName: string }) => void starts.push(toolName) };
    const { tripwire } = await (mode === 'generate'
      ? agent.generate('one two', { hooks })
      : (await agent.stream('one two', { hooks })).getFullOutput());
    await sleep(50); // Mastra's loop would go on after the end of the stream
    expect(tripwire).toMatchObject({ reason: 'No.' });
    expect([model.calls.length, starts]).toEqual([1, ['echo']]);
  });

  it('an edited tool result stays in place if a parallel guard changes another message', async () => {
    const notes: Processor = {
      id: 'notes',
      processToolResult: ({ messages }) => messages.map((message) => withText(message, (text) => text.replace('one', 'ONE'))),
    };
    const source = pipeline('p').parallel([changing('a', 'Ann', '[name]'), notes]);
    const { agent, model } = stockWith(source, callThen('echo', { say: 'Ann lives in Oslo today.' }));
    await call(agent, mode);
    expect(JSON.stringify(model.calls[1]?.prompt)).toContain('[name] lives in Oslo today.');
    expect(JSON.stringify(model.calls[1]?.prompt)).toContain('ONE two');
  });

  it.each([
    ['guardsFor', guardsFor],
    ['Mastra’s engine', (source: Compilable) => ({ outputProcessors: [source] })],
  ])('a rejected tool result is not sent to the model: %s', async (_name, how) => {
    const rejecting = tripping('processToolResult', 'No.');
    const other = changing('b', 'Oslo', 'Bergen');
    const shapes = [
      () =>
        pipeline('p')
          .then(changing('a', 'Ann', 'Anna'))
          .then(rejecting),
      () =>
        pipeline('p')
          .then(changing('a', 'Ann', 'Anna'))
          .parallel([other, rejecting]),
      () =>
        pipeline('p')
          .parallel([changing('a', 'Ann', 'Anna'), other])
          .then(rejecting),
    ];
    for (const shape of shapes) {
      const { agent, model } = stockWith(shape().commit(), callThen('echo', { say: 'Ann lives in Oslo.' }), how);
      const { tripwire, messages } = await call(agent, mode);
      expect(tripwire).toMatchObject({ reason: 'No.' });
      expect(model.calls).toHaveLength(1);
      await sleep(20); // Mastra adds the messages that it holds to the list again
      expect(JSON.stringify(messages)).not.toContain('"said":"Ann');
    }
  });
});
