import { Agent } from '@mastra/core/agent';
import { describe, expect, it } from 'vitest';

import { InterlockAgent } from '../../src/index.js';
import { scriptedModel } from '../../src/testing/index.js';
import { callThen, echo, modes, settled, type Mode } from './support.js';

const names = ['onFinish', 'onStepFinish', 'onError', 'onAbort', 'onChunk'] as const;
type Name = (typeof names)[number];
type Payload = Record<string, unknown>;
type CallbackValues = Record<Name, Payload[]>;

const calling = { toolCalls: [{ name: 'echo', args: { say: 'hi' } }] };
const scenarios = {
  answers: callThen('echo', { say: 'hi' }, 'Done.'),
  fails: [{ error: new Error('down') }],
  'is canceled': [calling, { text: ['Half ', 'an answer'], hang: true }],
};
type Scenario = keyof typeof scenarios;

/** The callbacks of one of the two agents for the same script. */
const tellings = async (Kind: typeof Agent | typeof InterlockAgent, mode: Mode, scenario: Scenario): Promise<CallbackValues> => {
  const values: CallbackValues = { onFinish: [], onStepFinish: [], onError: [], onAbort: [], onChunk: [] };
  const controller = new AbortController();
  const listen = (name: Name) => (value: unknown) => {
    values[name].push(value as Payload);
    if (name === 'onStepFinish' && scenario === 'is canceled') setTimeout(() => controller.abort(), 20);
  };
  const model = scriptedModel({ steps: scenarios[scenario] });
  const config = { id: 'tested', name: 'Tested', instructions: 'Answer.', model, tools: { echo }, maxRetries: 0 };
  const agent = new (Kind as typeof InterlockAgent)(config);
  const options = {
    ...Object.fromEntries(names.map((name) => [name, listen(name)])),
    runId: 'r',
    abortSignal: controller.signal,
  };
  const run =
    mode === 'generate' ? agent.generate('Hi', options) : agent.stream('Hi', options).then((one) => one.getFullOutput());
  await run.catch(() => undefined);
  await settled();
  return values;
};

/** The callbacks of both agents. */
const both = async (mode: Mode, scenario: Scenario) => ({
  stock: await tellings(Agent, mode, scenario),
  ours: await tellings(InterlockAgent, mode, scenario),
});

/** A value without random and time-dependent parts, and without the additional fields of our calls and results. */
const plain = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value, (key, inner: unknown) =>
      ['createdAt', 'providerOptions', 'timestamp', 'providerMetadata', 'id'].includes(key) || inner === '' ? undefined : inner,
    ) ?? 'null',
  );

/** Fields that are not compared by value, with the reason. */
const own: Partial<Record<string, string>> = {
  error: 'compared in the test of a failed run',
  steps: 'compared one by one in onStepFinish',
  usage: 'unknown for a failed step of Interlock',
  totalUsage: 'as usage',
  response: 'compared by its messages',
  request: 'specific to the provider',
  warnings: 'absent for a failed step of Mastra',
};

const expectSame = (stock: Payload, ours: Payload) => {
  expect(Object.keys(stock).filter((key) => stock[key] !== undefined && !(key in ours))).toEqual([]);
  for (const key of Object.keys(stock)) {
    if (key in own) continue;
    const [theirs, mine] = [plain(stock[key]), plain(ours[key])];
    if (typeof theirs === 'object' && theirs !== null) expect(mine, key).toMatchObject(theirs);
    else expect(mine, key).toEqual(theirs);
  }
};

describe.each(modes)('callbacks receive the same as in Mastra’s agent, %s', (mode) => {
  it('onStepFinish and onFinish of an answer have every field with its value', async () => {
    const { stock, ours } = await both(mode, 'answers');
    expect([ours.onStepFinish.length, ours.onFinish.length]).toEqual([stock.onStepFinish.length, stock.onFinish.length]);
    for (const name of ['onStepFinish', 'onFinish'] as const)
      for (const [index, stockValues] of stock[name].entries()) {
        expectSame(stockValues, ours[name][index] ?? {});
        const messages = ({ response }: Payload = {}) => plain((response as Payload)['messages']);
        expect(messages(ours[name][index])).toMatchObject(messages(stockValues) as object);
      }
  });

  it('a failed run calls onError once with the provider’s error, and onStepFinish with the reason and the model', async () => {
    const { stock, ours } = await both(mode, 'fails');
    expect([ours.onError.length, ours.onFinish.length]).toEqual([stock.onError.length, stock.onFinish.length]);
    const errorIn = ([told]: Payload[]) => told?.['error'] as Error | undefined;
    expect(errorIn(ours.onError)).toMatchObject({ message: errorIn(stock.onError)?.message });
    const [step] = stock.onStepFinish;
    expectSame(
      { finishReason: step?.['finishReason'], model: step?.['model'], runId: 'r', text: '' },
      ours.onStepFinish[0] ?? {},
    );
  });

  it('a canceled run calls onAbort with the completed steps', async () => {
    const { stock, ours } = await both(mode, 'is canceled');
    expect([ours.onAbort.length, ours.onFinish.length]).toEqual([stock.onAbort.length, stock.onFinish.length]);
    const steps = ({ onAbort }: CallbackValues) => onAbort[0]?.['steps'] as Payload[];
    expect(steps(ours)).toHaveLength(steps(stock).length);
    for (const [index, step] of steps(stock).entries())
      expectSame({ text: step['text'], content: step['content'] }, steps(ours)[index] ?? {});
  });

  it('onChunk receives every chunk of Mastra’s agent, in order, with its payload', async () => {
    const { stock, ours } = await both(mode, 'answers');
    const types = new Set(stock.onChunk.map(({ type }) => type));
    const same = ours.onChunk.filter(({ type }) => types.has(type));
    expect(same.map(({ type }) => type)).toEqual(stock.onChunk.map(({ type }) => type));
    for (const [index, { type, from, payload }] of stock.onChunk.entries()) {
      const { toolName: _known, dynamic: _dynamic, providerExecuted: _own, ...fields } = plain(payload) as Payload;
      expect(same[index]).toMatchObject({ type, from, payload: fields });
    }
  });
});

it('onChunk gets the same chunks from generate as from stream: the steps so far, and the answer with the last one', async () => {
  const chunksOf = async (mode: 'generate' | 'stream'): Promise<unknown[]> => {
    const chunks: { type: string; payload?: { output?: { steps?: unknown[] }; response?: object } }[] = [];
    const model = scriptedModel({ steps: [{ text: 'Hello.' }] });
    const agent = new InterlockAgent({ id: 'a', name: 'A', instructions: 'Help.', model });
    const options = { onChunk: (chunk: unknown) => void chunks.push(chunk as (typeof chunks)[number]) } as never;
    if (mode === 'generate') await agent.generate('Hi', options);
    else await (await agent.stream('Hi', options)).getFullOutput();
    const ends = chunks.filter(({ type }) => type === 'step-finish' || type === 'finish');
    return ends.map(({ type, payload }) => [type, payload?.output?.steps?.length, Boolean(payload?.response)]);
  };
  const generated = await chunksOf('generate');
  expect(generated).toEqual(await chunksOf('stream'));
  expect(generated).toContainEqual(['step-finish', 1, true]);
  expect(generated.at(-1)).toEqual(['finish', 1, true]);
});
