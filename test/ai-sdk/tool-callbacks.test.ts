import type { Processor } from '@mastra/core/processors';
import { generateText, isStepCount, streamText, tool } from 'ai';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createGuardedRun, guardTools, toStreamTransform } from '../../src/ai-sdk/index.js';
import { rejectToolCall, requireApproval, type ToolCallChunk } from '../../src/index.js';
import { scriptedModel } from '../../src/testing/index.js';
import { closing, guardOn, isStreamed, runGuarded, statusOf, toolResultsIn, ways, type Step } from './support.js';

/** A tool that logs each of its functions. */
const loggingTool = (log: unknown[], needsApproval = false) =>
  tool({
    inputSchema: z.object({ amount: z.number() }),
    onInputStart: () => void log.push('start'),
    onInputDelta: ({ inputTextDelta }) => void log.push(`delta ${inputTextDelta}`),
    onInputAvailable: ({ input }) => void log.push(`available ${input.amount}`),
    needsApproval: ({ amount }) => {
      log.push(`approval ${amount}`);
      return needsApproval;
    },
    execute: ({ amount }) => {
      log.push(`run ${amount}`);
      return amount;
    },
  });

const onCalls = (act: (part: ToolCallChunk) => unknown): Processor => ({
  id: 'calls',
  processOutputStream: async ({ part }) => (part.type === 'tool-call' ? act(part) : part) as never, // any chunk
});

const charging: Step = { text: ['Paying.'], toolCalls: [{ name: 'charge', args: { amount: 1 }, fragments: 3 }] };

const runCharge = async (way: (typeof ways)[number], guard: Processor, steps: Step[] = [charging, closing]) => {
  const log: unknown[] = [];
  const model = scriptedModel({ specificationVersion: 'v4', steps });
  const settings = { tools: { charge: loggingTool(log) } };
  const ran = await runGuarded(way, { guards: [guard], model, settings, guardOptions: { hold: 'chunk' } });
  return { log, ran, model };
};

const textAfterCall: Step = {
  parts: [
    { type: 'tool-input-start', id: 'c', toolName: 'charge' },
    { type: 'tool-input-delta', id: 'c', delta: '{"amount":1}' },
    { type: 'tool-input-end', id: 'c' },
    { type: 'tool-call', toolCallId: 'c', toolName: 'charge', input: '{"amount":1}' },
    { type: 'text-start', id: 't' },
    { type: 'text-delta', id: 't', delta: 'a secret' },
    { type: 'text-end', id: 't' },
  ],
};

describe.each(ways)('the functions of a tool, %s', (way) => {
  it.each<[string, Processor, Step]>([
    ['an outputStep guard', guardOn('outputStep', ({ abort }) => abort('no')), charging],
    [
      'a stream guard',
      guardOn('outputStream', ({ abort }) => abort('no'), { when: ({ part }) => part?.type === 'tool-call' }),
      charging,
    ],
    ['a stream guard of the text after it', guardOn('outputStream', ({ abort }) => abort('no')), textAfterCall],
  ])('do not run for a call that %s blocks', async (_, guard, step) => {
    const { log, ran } = await runCharge(way, guard, [step]);
    expect(statusOf(ran)).toBe('tripwire');
    expect(log).toEqual([]);
  });

  it('do not run for a rejected call', async () => {
    const { log, ran, model } = await runCharge(
      way,
      onCalls((part) => rejectToolCall(part, 'Once is enough.')),
    );
    expect(statusOf(ran)).toBe('success');
    expect(log).toEqual([]);
    expect(JSON.stringify(model.calls[1]?.prompt)).toContain('Once is enough.');
  });

  it('wait for the approval that a guard requires', async () => {
    const { log, ran } = await runCharge(
      way,
      onCalls((part) => requireApproval(part)),
    );
    expect(statusOf(ran)).toBe('success');
    expect(log).toEqual([]);
  });

  it('get the arguments of an allowed call as guards left them', async () => {
    const edit = onCalls((part) => ({ ...part, payload: { ...part.payload, args: { amount: 7 } } }));
    const { log } = await runCharge(way, edit);
    const deltas = isStreamed(way) ? ['delta {"amount":7}'] : [];
    expect(log.filter((entry) => entry !== 'approval 7')).toEqual(['start', ...deltas, 'available 7', 'run 7']);
    expect(log).toContain('approval 7');
  });

  it('run as in the AI SDK if no guard can reject a call', async () => {
    const { log } = await runCharge(
      way,
      guardOn('input', () => undefined),
    );
    const deltas = log.filter((entry) => String(entry).startsWith('delta'));
    expect(deltas).toHaveLength(isStreamed(way) ? 3 : 0);
    expect(log.slice(-2)).toEqual(['approval 1', 'run 1']);
  });
});

it('a call that no guarded model judged is judged before the functions of its tool run, and once', async () => {
  const log: unknown[] = [];
  let judged = 0;
  const guard = onCalls((part) => {
    judged += 1;
    return (part.payload.args as { amount?: number }).amount === 1 ? rejectToolCall(part, 'No.') : part;
  });
  const run = createGuardedRun([guard]);
  toStreamTransform(run); // honours the stream guard
  const { charge } = guardTools({ charge: loggingTool(log) }, run);
  const options = (toolCallId: string) => ({ toolCallId, messages: [], context: undefined as never });
  const { needsApproval, onInputStart, onInputAvailable, execute } = charge;
  const callTool = async (amount: number): Promise<unknown> => {
    const own = options(`call-${amount}`);
    await onInputStart?.(own);
    await onInputAvailable?.({ ...own, input: { amount } });
    if (typeof needsApproval === 'function') await needsApproval({ amount }, own);
    return execute?.({ amount }, own);
  };
  await expect(callTool(1)).rejects.toThrow('No.');
  expect(log).toEqual([]);
  expect(await callTool(2)).toBe(2);
  expect(log).toEqual(['start', 'available 2', 'approval 2', 'run 2']);
  expect(judged).toBe(2);
});

describe.each(ways)('a rejected call of a tool that requires arguments, %s', (way) => {
  const call = (name: string, args: object) => ({ name, args });
  const tools = (log: string[]) =>
    Object.fromEntries(
      ['one', 'two', 'three'].map((name) => [
        name,
        tool({
          inputSchema: z.object({ amount: z.number() }),
          execute: ({ amount }) => {
            log.push(`${name} ${amount}`);
            return 'done';
          },
        }),
      ]),
    );
  const rejecting = (rejected: readonly string[], times = Infinity): Processor => {
    let remaining = times;
    return onCalls((part) => {
      const { toolName } = part.payload;
      return rejected.includes(toolName) && (remaining -= 1) >= 0 ? rejectToolCall(part, `No ${toolName}.`) : part;
    });
  };

  it('gives the model the reason of the guard', async () => {
    const log: string[] = [];
    const model = scriptedModel({
      specificationVersion: 'v4',
      steps: [
        { toolCalls: [call('one', { amount: 1 })] },
        { toolCalls: [call('two', {})] },
        { toolCalls: [call('one', { amount: 2 }), call('three', {})] },
        closing,
      ],
    });
    const ran = await runGuarded(way, { guards: [rejecting(['two', 'three'])], model, settings: { tools: tools(log) } });
    expect(statusOf(ran)).toBe('success');
    expect(log).toEqual(['one 1', 'one 2']);
    const prompts = JSON.stringify(model.calls.at(-1)?.prompt);
    expect(prompts).toContain('No two.');
    expect(prompts).toContain('No three.');
    expect(prompts).not.toContain('InvalidToolInput');
    expect(toolResultsIn(model.calls[3] as never)).toBe(4);
    const inputs = model.calls[3]?.prompt.flatMap(({ role, content }) =>
      role === 'assistant' ? content.flatMap((part) => (part.type === 'tool-call' ? [part.input] : [])) : [],
    );
    expect(inputs).toEqual([{ amount: 1 }, {}, { amount: 2 }, {}]);
  });

  it('does not make invalid arguments of allowed calls valid', async () => {
    const log: string[] = [];
    const model = scriptedModel({
      specificationVersion: 'v4',
      steps: [{ toolCalls: [call('one', {}), call('one', {})] }, { toolCalls: [call('one', {})] }, closing],
    });
    const ran = await runGuarded(way, { guards: [rejecting(['one'], 1)], model, settings: { tools: tools(log) } });
    expect(statusOf(ran)).toBe('success');
    expect(log).toEqual([]);
    const prompt = JSON.stringify(model.calls[2]?.prompt);
    expect(prompt.split('No one.')).toHaveLength(2);
    expect(prompt.split('Invalid input for tool one')).toHaveLength(3);
  });
});

describe.each(['generateText', 'streamText'] as const)('the functions of a tool that is guarded alone, %s', (way) => {
  const callWith = async (guard: Processor, needsApproval?: boolean): Promise<unknown[]> => {
    const log: unknown[] = [];
    const model = scriptedModel({ specificationVersion: 'v4', steps: [charging, closing] });
    const tools = guardTools({ charge: loggingTool(log, needsApproval) }, [guard], { uncalled: ['outputStream'] });
    const settings = { model, tools, prompt: 'Pay.', stopWhen: isStepCount(2) };
    if (way === 'generateText') await generateText(settings);
    else await streamText({ ...settings, onError: () => undefined }).consumeStream();
    return log;
  };

  it.each<[string, Processor]>([
    ['blocks', guardOn('outputStream', ({ abort }) => abort('no'), { when: ({ part }) => part?.type === 'tool-call' })],
    ['rejects', onCalls((part) => rejectToolCall(part, 'Once is enough.'))],
  ])('do not run for a call that a guard %s', async (_, guard) => {
    expect(await callWith(guard)).toEqual([]);
  });

  it('get the arguments that the guard left', async () => {
    const guard = onCalls((part) => ({ ...part, payload: { ...part.payload, args: { amount: 7 } } }));
    const started = way === 'streamText' ? ['start', 'delta {"amount":7}'] : ['start'];
    const log = await callWith(guard);
    expect(new Set(log)).toEqual(new Set([...started, 'available 7', 'approval 7', 'run 7'])); // the AI SDK calls some at the same time
    expect(log.at(-1)).toBe('run 7');
  });

  it('get the messages of their own run, if runs make calls with the same id at the same time', async () => {
    const log: string[] = [];
    const charge = tool({
      inputSchema: z.object({ amount: z.number() }),
      onInputStart: ({ messages }) => void log.push(JSON.stringify(messages)),
      execute: () => 'done',
    });
    const tools = guardTools({ charge }, [onCalls((part) => part)], { uncalled: ['outputStream'] });
    const pay = async (prompt: string): Promise<void> => {
      const settings = { model: scriptedModel({ specificationVersion: 'v4', steps: [textAfterCall] }), tools, prompt };
      if (way === 'generateText') await generateText(settings);
      else await streamText(settings).consumeStream();
    };
    await Promise.all(['Pay A.', 'Pay B.'].map(pay));
    expect(new Set(log.map((one) => /Pay ./u.exec(one)?.[0]))).toEqual(new Set(['Pay A', 'Pay B']));
  });
});
