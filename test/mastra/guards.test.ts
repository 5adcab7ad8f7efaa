import type { Processor } from '@mastra/core/processors';
import { RequestContext } from '@mastra/core/request-context';
import { createStep as createMastraStep, createWorkflow as createMastraWorkflow } from '@mastra/core/workflows';
import { describe, expect, it } from 'vitest';

import { guard, InterlockAgent, otherwise, pipeline } from '../../src/index.js';
import { ProcessorStepSchema } from '../../schemas/index.js';
import type { Compilable, DynamicGuards } from '../../src/mastra/graph/to-graph.js';
import { scriptedModel } from '../../src/testing/index.js';
import { all, expectRefusal, makeAgent, modes, promptOf, sentText, withText } from './support.js';

const shouting = (id = 'shouting'): Processor & Required<Pick<Processor, 'processInput'>> => ({
  id,
  processInput: ({ messages }) => messages.map((message) => withText(message, (text) => text.toUpperCase())),
});

/** Allowed in JavaScript, but not in TypeScript: a promise of a value with its own `then`. */
const promising = (guards: Compilable): DynamicGuards => (() => Promise.resolve().then(() => guards as never)) as DynamicGuards;

const forms: Record<string, () => DynamicGuards> = {
  'an array of processors': () => [shouting()],
  'a committed pipeline': () => pipeline('loud').then(shouting()).commit(),
  'an uncommitted pipeline': () => pipeline('loud').then(shouting()),
  'an array with a pipeline': () => [pipeline('loud').then(shouting())],
  'an array with a committed pipeline': () => [pipeline('loud').then(shouting()).commit()],
  'a manual workflow': () =>
    createMastraWorkflow({ id: 'by-hand', inputSchema: ProcessorStepSchema, outputSchema: ProcessorStepSchema })
      .then(createMastraStep(shouting()) as never)
      .commit(),
  'a function that returns an array': () => () => [shouting()],
  'a function that returns a pipeline': () => () => pipeline('loud').then(shouting()),
  'a function that returns a committed pipeline': () => () => pipeline('loud').then(shouting()).commit(),
  'an asynchronous function that returns an array': () => async () => [pipeline('loud').then(shouting()).commit()],
};

const thenOf =
  <T>(value: T) =>
  (resolve: (made: T) => void): void =>
    resolve(value);

describe.each(modes)('guards of %s', (mode) => {
  it.each([
    ['a guard', {}, false],
    ['a guard with a policy', { deadlineMs: 60_000 }, false],
    ['a guard whose edits are recorded', {}, true],
  ])('%s, conditions and callbacks may return any object with then', async (_name, policy, recordEdits) => {
    /** Not a promise: its `then` returns nothing, and it has no `catch`. */
    const later = <T>(value: T) => Object.defineProperty({}, 'then', { value: thenOf(value) }) as Promise<T>;
    const loud = guard({ ...shouting(), processInput: (args) => later(shouting().processInput(args) as never[]) }, policy);
    const appending: Processor = {
      id: 'appending',
      processInput: ({ messages }) => messages.map((message) => withText(message, (text) => `${text}!`)),
    };
    const { agent, model } = makeAgent('Hi.', {
      recordEdits,
      inputProcessors: [loud, pipeline('p').branch([[() => later(true), appending]])],
      onRunEvent: (): unknown => later(undefined),
    });
    const onFinish = () => later(undefined);
    expect(await (await agent[mode]('hello', { onFinish })).text).toBe('Hi.');
    expect(sentText(model, 'user')).toBe('HELLO!');
  });

  it('may block with metadata that JSON does not have, and every chunk and result can be sent', async () => {
    const circular: Record<string, unknown> = { size: 1n, rule: 'a' };
    circular['self'] = circular;
    const throwing = Object.defineProperty({}, 'any', { enumerable: true, get: () => expect.fail('read') });
    for (const [metadata, sent] of [
      [circular, { size: 1, rule: 'a', self: '[Circular: 0]' }],
      [throwing, undefined],
      [new Map([['a', 1]]), new Map([['a', 1]])], // passed as it is
    ] as const) {
      const { agent } = makeAgent('Hi.', {
        outputProcessors: [{ id: 'g', processOutputStep: ({ abort }) => abort('No.', { metadata }) }],
      });
      const answer = await agent[mode]('hello');
      const chunks = 'fullStream' in answer ? await all(answer.fullStream) : [];
      for (const chunk of chunks) expect(JSON.stringify(chunk)).toBeTruthy();
      const { tripwire, steps } = 'fullStream' in answer ? await answer.getFullOutput() : answer;
      expect(tripwire?.metadata).toEqual(sent);
      expect(JSON.stringify(steps)).toContain('No.');
    }
  });

  it.each(Object.entries(forms))('can be %s', async (_name, guards) => {
    const { agent, model } = makeAgent('Hi.', { inputProcessors: guards() });
    expect(await (await agent[mode]('hello')).text).toBe('Hi.');
    expect(sentText(model, 'user')).toBe('HELLO');
  });

  it.each(Object.entries(forms))('can be %s in a call', async (_name, guards) => {
    const { agent, model } = makeAgent();
    await (
      await agent[mode]('hello', { inputProcessors: guards() as Compilable })
    ).text;
    expect(sentText(model, 'user')).toBe('HELLO');
  });

  it('in one array keep the paths of each of its agents, and a guard that is added later', async () => {
    const passing = (id: string): Processor => ({ id, processInput: ({ messages }) => messages });
    const shared = [passing('first')];
    const model = scriptedModel({ steps: () => ({ text: 'Hi.' }) });
    const agentNamed = (id: string) => new InterlockAgent({ id, name: id, instructions: '', model, inputProcessors: shared });
    const [one, two] = [agentNamed('one'), agentNamed('two')];
    const pathsOf = async (agent: InterlockAgent): Promise<string[]> => {
      const result = await agent[mode]('Hello');
      await result.text;
      return result.runEvents.flatMap((event) => (event.type === 'guard' ? [event.path] : []));
    };
    for (const agent of [one, two, one]) expect(await pathsOf(agent)).toEqual([`${agent.id}-input-processor/first`]);
    shared.push({ id: 'late', processInput: ({ abort }) => abort('No.') });
    const result = await one[mode]('Hello');
    await result.text;
    expect(result.tripwire?.processorId).toBe('late');
  });

  it('rejects an asynchronous function that returns a pipeline, with the reason', async () => {
    for (const guards of [pipeline('loud').then(shouting()), pipeline('loud').then(shouting()).commit()]) {
      const { agent, model } = makeAgent('Hi.', { inputProcessors: promising(guards) });
      await expectRefusal('pipeline/invalid-step', model, () => agent[mode]('hello'));
    }
  });

  it('a function receives the request context', async () => {
    const { agent, model } = makeAgent([{ text: 'Hi.' }, { text: 'Hi.' }], {
      inputProcessors: ({ requestContext }) => (requestContext.get('loud') ? [shouting()] : []),
    });
    await (
      await agent[mode]('hello', { requestContext: new RequestContext([['loud', true]]) })
    ).text;
    await (
      await agent[mode]('hello')
    ).text;
    expect([0, 1].map((call) => sentText(model, 'user', call))).toEqual(['HELLO', 'hello']);
  });

  it('of a call replace those of the agent, per array [spec 2.43]', async () => {
    const ran: string[] = [];
    const input = (id: string): Processor => ({ id, processInput: () => void ran.push(id) as never });
    const output = (id: string): Processor => ({ id, processOutputResult: () => void ran.push(id) as never });
    const { agent } = makeAgent([{ text: 'a' }, { text: 'b' }, { text: 'c' }], {
      inputProcessors: [input('own in')],
      outputProcessors: [output('own out')],
    });
    const run = async (options: object) => {
      ran.length = 0;
      await (
        await agent[mode]('hello', options)
      ).text;
      return [...ran];
    };
    expect(await run({ inputProcessors: [input('call in')] })).toEqual(['call in', 'own out']);
    expect(await run({ outputProcessors: () => [] })).toEqual(['own in']);
    expect(await run({})).toEqual(['own in', 'own out']);
  });

  it('the retry budget is that of the call, else of the agent, else 0 [spec 2.37, 2.48]', async () => {
    const never: Processor = { id: 'never', processOutputStep: ({ abort }) => abort('No.', { retry: true }) };
    const attempts = async (config: object, options: object) => {
      const { agent, model } = makeAgent(
        Array.from({ length: 20 }, () => ({ text: 'x' })),
        { outputProcessors: [never], ...config },
      );
      await (
        await agent[mode]('hello', options)
      ).text;
      return model.calls.length;
    };
    expect(await attempts({}, {})).toBe(1);
    expect(await attempts({ maxProcessorRetries: 2 }, {})).toBe(3);
    expect(await attempts({ maxProcessorRetries: 2 }, { maxProcessorRetries: 1 })).toBe(2);
    expect(await attempts({ errorProcessors: [{ id: 'mend', processAPIError: () => undefined }] }, {})).toBe(4);
  });

  it('an error hook runs in every array of its processor', async () => {
    for (const lane of ['inputProcessors', 'outputProcessors', 'errorProcessors'] as const) {
      const mend: Processor = {
        id: 'mend',
        processInput: () => undefined as never,
        processOutputResult: () => undefined as never,
        processAPIError: () => ({ retry: true }),
      };
      const { agent } = makeAgent([{ error: new Error('refused') }, { text: 'Mended.' }], { [lane]: pipeline('p').then(mend) });
      expect(await (await agent[mode]('hello')).text, lane).toBe('Mended.');
    }
  });

  it('an error hook runs once if its processor is in several arrays', async () => {
    const ran: string[] = [];
    const mend = (id: string): Processor => ({
      id,
      processInput: ({ messages }) => messages,
      processAPIError: () => void ran.push(id),
    });
    const shared = mend('shared');
    const plain: Processor = { id: 'plain', processInput: ({ messages }) => messages };
    const { agent } = makeAgent([{ error: new Error('refused') }], {
      inputProcessors: pipeline('in')
        .then(shared)
        .parallel([mend('a'), plain]),
      outputProcessors: pipeline('out')
        .branch([[otherwise, pipeline('deep').then(shared).then(mend('b'))]])
        .then(plain),
      errorProcessors: [mend('a'), mend('first')],
    });
    await expect(agent.generate('hello')).rejects.toThrow('refused');
    expect(ran).toEqual(['a', 'first', 'shared', 'b']);
  });
});

describe.each(modes)('prepareStep of %s', (mode) => {
  const systemMessage = (word: string) => () => ({ systemMessages: [{ role: 'system' as const, content: word }] });
  const systems = (model: Parameters<typeof promptOf>[0]) =>
    promptOf(model)
      .filter(([role]) => role === 'system')
      .flatMap(([, ...text]) => text);

  it.each([
    ['defaultOptions', { defaultOptions: { prepareStep: systemMessage('default') } }],
    ['defaultGenerateOptions', { defaultGenerateOptions: { prepareStep: systemMessage('default') } }],
    [
      'both methods’ own',
      {
        defaultGenerateOptions: { prepareStep: systemMessage('default') },
        defaultStreamOptions: { prepareStep: systemMessage('default') },
      },
    ],
  ])('has a default in %s', async (_name, config) => {
    const { agent, model } = makeAgent('Hi.', config);
    await (
      await agent[mode]('hello')
    ).text;
    expect(systems(model)).toEqual(['default']);
  });

  it('of a call overrides the default and runs after the guards', async () => {
    const { agent, model } = makeAgent('Hi.', {
      defaultOptions: { prepareStep: systemMessage('default') },
      inputProcessors: [{ id: 'first', processInputStep: systemMessage('guard') }],
    });
    const seen: unknown[] = [];
    const prepareStep = ({ systemMessages }: { systemMessages: { content: unknown }[] }) => {
      seen.push(systemMessages.map(({ content }) => content));
      return systemMessage('call')();
    };
    await (
      await agent[mode]('hello', { prepareStep })
    ).text;
    expect(seen).toEqual([['guard']]);
    expect(systems(model)).toEqual(['call']);
  });
});
