import { describe, expect, it } from 'vitest';

import { type InterlockCallOptions } from '../../src/index.js';
import { callThen, echo, makeAgent, modes, type Mode } from './support.js';

type Steps = Parameters<typeof makeAgent>[0];
type CallbackCall = [name: string, value: Record<string, unknown>];
const names = ['onFinish', 'onStepFinish', 'onError', 'onAbort', 'onChunk'] as const;

const callbacks = (calls: CallbackCall[]): InterlockCallOptions =>
  Object.fromEntries(names.map((name) => [name, (value: unknown) => void calls.push([name, value as Record<string, unknown>])]));

const run = async (mode: Mode, steps: Steps, options: InterlockCallOptions = {}, config: object = { tools: { echo } }) => {
  const calls: CallbackCall[] = [];
  const { agent } = makeAgent(steps, config);
  const all = { ...callbacks(calls), ...options };
  const result =
    mode === 'generate' ? agent.generate('Hi', all) : agent.stream('Hi', all).then((stream) => stream.getFullOutput());
  await result.catch(() => undefined);
  return (name: (typeof names)[number]) => calls.filter(([own]) => own === name).map(([, value]) => value);
};

describe.each(modes)('callbacks of %s', (mode) => {
  it('onFinish receives the whole answer, once', async () => {
    const calls = await run(mode, callThen('echo', { say: 'hi' }, 'Done.'), { runId: 'run-7' });
    expect(calls('onFinish')).toMatchObject([
      {
        text: 'Done.',
        finishReason: 'stop',
        runId: 'run-7',
        model: { modelId: 'scripted-model', provider: 'scripted', version: 'v2' },
        totalUsage: { inputTokens: 20, outputTokens: 10, totalTokens: 30 },
        steps: [{ finishReason: 'tool-calls' }, { finishReason: 'stop' }],
        toolCalls: [{ payload: { toolName: 'echo' } }],
        toolResults: [{ payload: { result: { said: 'hi' } } }],
        staticToolCalls: [],
        dynamicToolCalls: [],
        messages: [{ role: 'assistant' }, { role: 'tool' }, { role: 'assistant' }],
        response: { modelId: 'scripted-model', dbMessages: [{ role: 'assistant' }] },
      },
    ]);
    expect([...calls('onError'), ...calls('onAbort')]).toEqual([]);
  });

  it('onStepFinish receives each step', async () => {
    const calls = await run(mode, callThen('echo', { say: 'hi' }, 'Done.'), { runId: 'run-7' });
    const model = { modelId: 'scripted-model', provider: 'scripted', version: 'v2' };
    expect(calls('onStepFinish')).toMatchObject([
      {
        stepType: 'initial',
        text: '',
        finishReason: 'tool-calls',
        toolCalls: [{ payload: { toolName: 'echo' } }],
        model,
        runId: 'run-7',
      },
      { stepType: 'tool-result', text: 'Done.', finishReason: 'stop', usage: { totalTokens: 15 }, model, staticToolResults: [] },
    ]);
  });

  it('onChunk receives each emitted chunk', async () => {
    const calls = await run(mode, ['Hel', 'lo.']);
    const texts = calls('onChunk').filter(({ type }) => type === 'text-delta');
    expect(texts.map(({ payload }) => (payload as { text: string }).text).join('')).toBe('Hello.');
    expect(texts[0]).toMatchObject({ from: 'AGENT', payload: { id: expect.any(String) } });
  });

  it('onError receives the error of a failed run', async () => {
    const calls = await run(mode, [{ error: new Error('refused') }]);
    expect(calls('onError')).toMatchObject([{ error: { message: 'refused' } }]);
    expect([...calls('onFinish'), ...calls('onAbort')]).toEqual([]);
  });

  it('onAbort receives the output before the cancellation', async () => {
    const controller = new AbortController();
    const steps = [{ toolCalls: [{ name: 'echo', args: { say: 'hi' } }] }, { text: ['Half ', 'an answer'], hang: true }];
    const onStepFinish = () => void setTimeout(() => controller.abort(), 50);
    const calls = await run(mode, steps, { abortSignal: controller.signal, onStepFinish });
    const text = mode === 'stream' ? 'Half an answer' : ''; // a call without a stream has no output before its end
    expect(calls('onAbort')).toMatchObject([{ steps: [{ toolCalls: [{ payload: { toolName: 'echo' } }] }], text }]);
    expect([...calls('onFinish'), ...calls('onError')]).toEqual([]);
  });

  it('onFinish receives a tripwire', async () => {
    const outputProcessors = [
      { id: 'guard', processOutputResult: ({ abort }: { abort: (reason: string) => never }) => abort('No.') },
    ];
    const calls = await run(mode, 'Hi.', {}, { outputProcessors });
    expect(calls('onFinish')).toMatchObject([
      { text: '', finishReason: 'other', tripwire: { reason: 'No.', processorId: 'guard' } },
    ]);
  });

  it('callbacks of a call replace those of the defaults by name', async () => {
    const seen: string[] = [];
    const defaultOptions = { onFinish: () => void seen.push('default'), onStepFinish: () => void seen.push('default step') };
    const { agent } = makeAgent('Hi.', { defaultOptions });
    await (
      await agent[mode]('Hi', { onFinish: () => void seen.push('call') })
    ).text;
    expect(seen).toEqual(['default step', 'call']);
  });

  it.each([
    [
      'throw',
      () => {
        throw new Error('callback failed');
      },
    ],
    ['reject', async () => Promise.reject(new Error('callback failed'))],
  ])('that %s never affect the run', async (_how, callback) => {
    const onRunEvent: () => unknown = callback; // the type does not allow a callback that rejects
    const throwing = { ...Object.fromEntries(names.map((name) => [name, callback])), onRunEvent };
    const { agent } = makeAgent(callThen('echo', { say: 'hi' }, 'Done.'), {
      tools: { echo },
      onRunEvent,
    });
    expect(await (await agent[mode]('Hi', throwing)).text).toBe('Done.');
    const failing = makeAgent([{ error: new Error('refused') }]).agent;
    const failed =
      mode === 'generate' ? failing.generate('Hi', throwing) : (await failing.stream('Hi', throwing)).getFullOutput();
    await expect(failed).rejects.toThrow('refused');
  });

  it('run events reach the listeners of the agent and of the call', async () => {
    const calls: string[] = [];
    const { agent } = makeAgent('Hi.', { onRunEvent: ({ type }) => void calls.push(`agent ${type}`) });
    await (
      await agent[mode]('Hi', { onRunEvent: ({ type }) => void calls.push(`call ${type}`) })
    ).text;
    expect(calls.slice(0, 2)).toEqual(['agent run-start', 'call run-start']);
    expect(calls.slice(-2)).toEqual(['agent run-finish', 'call run-finish']);
  });
});
