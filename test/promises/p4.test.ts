import { MockMemory } from '@mastra/core/memory';
import { createTool } from '@mastra/core/tools';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import type { Phase } from '../../src/index.js';
import { scriptedModel, type ScriptedModel } from '../../src/testing/index.js';
import {
  calm,
  chunksOf,
  createAgent,
  eventsOf,
  guardOn,
  laned,
  modes,
  retractionsOf,
  runAgent,
  textOnWire,
  toolResultsIn,
  type Chunk,
  type HookArgs,
  type Mode,
  type Ran,
  type Step,
} from './support.js';

/** The text of the first attempt, which no public output may contain after a guard rejected it. */
const secret = 'ZEBRA';

const leaking: Step = {
  reasoning: `They want ${secret}.`,
  text: ['The code ', `is ${secret}. `],
  toolCalls: [{ name: 'fetch', args: { code: secret } }],
};
const leakingAtLast: Step = { reasoning: `They want ${secret}.`, text: ['The code ', `is ${secret}.`] };
const harmlessCall: Step = { text: 'A moment. ', toolCalls: [{ name: 'fetch', args: { code: 'any' } }] };
const harmless: Step = { text: 'I must not tell.' };

interface Case {
  /** The rejecting phase. */
  phase: Phase;
  /** The first answers, up to the rejected one. */
  steps: Step[];
  /** Whether the words have left by then. */
  isStreamed: boolean;
  /** The tool's result. */
  result?: string;
  when?: (args: HookArgs) => boolean;
}

const cases: Case[] = [
  { phase: 'outputStream', steps: [leaking], isStreamed: true, when: ({ part }) => part?.type === 'tool-call' },
  { phase: 'llmResponse', steps: [leaking], isStreamed: true },
  { phase: 'outputStep', steps: [leaking], isStreamed: true },
  { phase: 'toolResult', steps: [harmlessCall], isStreamed: false, result: secret },
  { phase: 'outputResult', steps: [harmlessCall, leakingAtLast], isStreamed: true },
  { phase: 'apiError', steps: [{ ...leaking, error: new Error('cut off') }], isStreamed: true },
];

/** In generate mode an answer that breaks off is lost completely. */
const everyCase = cases.flatMap((one) =>
  modes.map((mode) => ({ ...one, mode, isStreamed: one.isStreamed && !(mode === 'generate' && one.phase === 'apiError') })),
);

const createModel = (steps: readonly Step[]): ScriptedModel => scriptedModel({ steps: ({ index }) => steps[index] ?? harmless });

const fetchTool = (result: string) =>
  createTool({
    id: 'fetch',
    description: 'Fetches a code.',
    inputSchema: z.object({ code: z.string() }),
    execute: async () => ({ result }),
  });

const memoryTarget = { thread: 'thread-1', resource: 'person-1' };

const withMemory = () => {
  const memory = new MockMemory({ enableMessageHistory: true });
  const saved = async (): Promise<string> => {
    const thread = await memory.getThreadById({ threadId: memoryTarget.thread });
    return thread
      ? JSON.stringify((await memory.recall({ threadId: thread.id, resourceId: memoryTarget.resource })).messages)
      : '';
  };
  return { memory, saved };
};

/** The output from the retraction of an answer on; all output if nothing was retracted. */
const afterRetraction = ({ chunks }: Ran): readonly Chunk[] =>
  chunks.slice(
    Math.max(
      0,
      chunks.findIndex(({ type }) => type === 'data-interlock-retract'),
    ),
  );

/** All visible data of a run once its answer was rejected: text streamed before is retracted on the wire. */
const publicView = (ran: Ran): string => JSON.stringify([ran.result, String(ran.error), ran.events, afterRetraction(ran)]);

interface Setup extends Case {
  mode: Mode;
  retry: boolean;
}

const runCase = async ({ phase, steps, result = 'fine', when, mode, retry }: Setup) => {
  const model = createModel(steps);
  const { memory, saved } = withMemory();
  const rejecting = guardOn(phase, ({ abort }) => abort('not to be told', { retry }), { when, times: retry ? 1 : undefined });
  const agent = createAgent({
    model,
    memory,
    tools: { fetch: fetchTool(result) },
    maxProcessorRetries: 1,
    ...laned([phase, rejecting]),
  });
  const ran = await runAgent(agent, mode, { memory: memoryTarget });
  return { ran, model, saved: await saved() };
};

describe('P4 Rejected content stays rejected', () => {
  describe.each(everyCase)('$phase, $mode', (one) => {
    it('after a trip: nothing public contains it', async () => {
      const { ran, saved } = await runCase({ ...one, retry: false });
      expect(ran.status).toBe('tripwire');
      expect(textOnWire(ran).includes(secret)).toBe(one.isStreamed); // otherwise there would be nothing to retract
      expect(publicView(ran)).not.toContain(secret);
      expect(saved).not.toContain(secret);
      expect(ran.result?.text).not.toContain(secret);
    });

    it('after a retry: nor does the next prompt, and the accepted text is present', async () => {
      const { ran, model, saved } = await runCase({ ...one, retry: true });
      expect(ran).toMatchObject({ status: 'success', result: { text: expect.stringContaining('I must not tell.') } });
      expect(publicView(ran)).not.toContain(secret);
      expect(JSON.stringify(model.calls.map(({ prompt }) => prompt))).not.toContain(secret);
      expect(saved).not.toContain(secret);
      expect(saved).toContain('I must not tell.');
    });

    it('the record of the rejected attempt has its position and none of its text', async () => {
      const { ran } = await runCase({ ...one, retry: true });
      const rejected = ran.result?.steps.filter((step) => step.tripwire) ?? [];
      expect(rejected).toHaveLength(1);
      expect(rejected[0]).toMatchObject({
        tripwire: { reason: 'not to be told', retry: true, processorId: `guard-${one.phase}` },
        attempt: 1,
        text: '',
        reasoningText: '',
        reasoning: [],
        content: [],
        toolCalls: [],
        toolResults: [],
        files: [],
        sources: [],
      });
    });

    it('the step callback does not receive it either', async () => {
      const callbackValues: unknown[] = [];
      const rejecting = guardOn(one.phase, ({ abort }) => abort('not to be told'), { when: one.when });
      const agent = createAgent({
        model: createModel(one.steps),
        tools: { fetch: fetchTool(one.result ?? '') },
        ...laned([one.phase, rejecting]),
      });
      await runAgent(agent, one.mode, { onStepFinish: (step: unknown) => void callbackValues.push(structuredClone(step)) });
      const last = one.phase === 'outputResult' ? callbackValues.slice(0, -1) : callbackValues; // the step was accepted before the result was judged
      expect(JSON.stringify(last)).not.toContain(secret);
    });
  });

  describe.each(modes)('before the model, %s', (mode) => {
    /** A guard that writes the secret into the conversation, in its first call. */
    const writing = (phase: Phase) =>
      guardOn(phase, ({ messageList }) => messageList.addSystem(`Remember ${secret}.`), { id: 'writing', times: 1 });

    it.each<Phase>(['input', 'inputStep'])(
      '%s: messages that guards add in a rejected attempt are not in the next prompt',
      async (phase) => {
        const model = createModel([]);
        const retrying = guardOn(phase, ({ abort }) => abort('again', { retry: true }), { times: 1 });
        const agent = createAgent({ model, maxProcessorRetries: 1, ...laned([phase, writing(phase), retrying]) });
        const ran = await runAgent(agent, mode);
        expect(ran.status).toBe('success');
        expect(JSON.stringify([model.calls, ran.result])).not.toContain(secret);
      },
    );

    it.each<Phase>(['input', 'inputStep'])('%s: a trip leaves the conversation unchanged', async (phase) => {
      const stored: string[] = [];
      const blocking = guardOn(phase, ({ abort, messageList }) => {
        stored.push(JSON.stringify(messageList));
        return abort('blocked');
      });
      const { memory, saved } = withMemory();
      const agent = createAgent({ model: createModel([]), memory, ...laned([phase, writing(phase), blocking]) });
      const stream = await agent.stream('Please charge me.', { memory: memoryTarget });
      await stream.consumeStream();
      expect(stored.join('')).toContain(secret);
      expect(JSON.stringify(stream.messageList)).not.toContain(secret);
      expect(await saved()).not.toContain(secret);
    });

    it('llmRequest: the next attempt does not reuse the prompt of a rejected attempt', async () => {
      const model = createModel([]);
      const rewriting = guardOn('llmRequest', () => ({ prompt: [{ role: 'user', content: [{ type: 'text', text: secret }] }] }), {
        id: 'rewriting',
        times: 1,
      });
      const retrying = guardOn('llmRequest', ({ abort }) => abort('again', { retry: true }), { times: 1 });
      const ran = await runAgent(
        createAgent({ model, maxProcessorRetries: 1, ...laned(['llmRequest', rewriting, retrying]) }),
        mode,
      );
      expect(ran.status).toBe('success');
      expect(JSON.stringify([model.calls, ran])).not.toContain(secret);
    });
  });

  describe.each(modes)('the whole result, %s', (mode) => {
    const twoSteps = () =>
      scriptedModel({
        steps: (call) => (toolResultsIn(call) === 0 ? { ...leaking, text: `First ${secret}. ` } : { text: `Last ${secret}.` }),
      });

    it('a trip in outputResult rejects every step, not only the last', async () => {
      const blocking = guardOn('outputResult', ({ abort }) => abort('blocked'));
      const { memory, saved } = withMemory();
      const agent = createAgent({ model: twoSteps(), memory, tools: { fetch: fetchTool(secret) }, outputProcessors: [blocking] });
      const ran = await runAgent(agent, mode, { memory: memoryTarget });
      expect(ran.result).toMatchObject({
        status: 'tripwire',
        text: '',
        toolCalls: [],
        toolResults: [],
        response: { uiMessages: [] },
      });
      expect(ran.result?.steps.map(({ tripwire, text }) => [tripwire?.reason, text])).toEqual([
        ['blocked', ''],
        ['blocked', ''],
      ]);
      expect(publicView(ran)).not.toContain(secret);
      expect(await saved()).not.toContain(secret);
    });

    it('retracts all output of the accepted steps', async () => {
      const blocking = guardOn('outputResult', ({ abort }) => abort('blocked'));
      const ran = await runAgent(
        createAgent({ model: twoSteps(), tools: { fetch: fetchTool('') }, outputProcessors: [blocking] }),
        mode,
      );
      const deltas = ran.chunks.flatMap(({ type, payload }) =>
        type === 'text-delta' || type === 'reasoning-delta' ? [(payload as { id: string }).id] : [],
      );
      const taken = retractionsOf(ran).map(({ partIds }) => partIds);
      expect(taken).toEqual([expect.arrayContaining(deltas)]);
      expect(eventsOf(ran, 'retract').map(({ partIds }) => partIds)).toEqual(taken);
    });
  });

  describe.each(modes)('additional data of the provider, %s', (mode) => {
    /** A model whose raw response and metadata repeat its words, like those of real providers. */
    const repeating = (): ScriptedModel => {
      const model = scriptedModel({
        steps: ({ index }) => ({
          parts: [
            { type: 'stream-start', warnings: [] },
            { type: 'text-start', id: '0' },
            { type: 'text-delta', id: '0', delta: index === 0 ? `The code is ${secret}.` : 'I must not tell.' },
            { type: 'text-end', id: '0' },
            {
              type: 'finish',
              finishReason: 'stop',
              usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 },
              providerMetadata: { scripted: { logprobs: index === 0 ? [secret] : [] } },
            },
          ],
        }),
      });
      const { doGenerate } = model;
      return Object.assign(model, {
        doGenerate: async (call: Parameters<typeof doGenerate>[0]) => {
          const result = await doGenerate(call);
          return { ...result, response: { ...result.response, body: { content: result.content } } };
        },
      });
    };

    it('a rejected attempt leaves no raw body and no metadata', async () => {
      const guard = guardOn('outputStep', ({ abort }) => abort('no', { retry: true }), { times: 1 });
      const ran = await runAgent(createAgent({ model: repeating(), maxProcessorRetries: 1, outputProcessors: [guard] }), mode);
      expect(ran).toMatchObject({ status: 'success', result: { text: 'I must not tell.' } });
      expect(publicView(ran)).not.toContain(secret);
    });

    it('the result does not have the raw body of a redacted answer, nor do guards of the response', async () => {
      const inputs: string[] = [];
      const watching = guardOn('llmResponse', (args) => void inputs.push(JSON.stringify(args)), { id: 'watching' });
      const redacting = guardOn(
        'outputStream',
        ({ part }) => JSON.parse(JSON.stringify(part).replaceAll(secret, '[code]')) as unknown,
      );
      const ran = await runAgent(
        createAgent({ model: repeating(), ...laned(['llmResponse', watching], ['outputStream', redacting]) }),
        mode,
      );
      expect(ran).toMatchObject({ status: 'success', result: { text: 'The code is [code].' } });
      expect(inputs.join('')).toContain('[code]');
      expect(inputs.join('')).not.toContain(secret);
      expect(JSON.stringify(ran.result?.response)).not.toContain(secret);
      expect(JSON.stringify(ran.result?.steps.map(({ response }) => response))).not.toContain(secret);
    });
  });

  describe.each(modes)('results of provider-executed tools, %s', (mode) => {
    const usage = { inputTokens: 1, outputTokens: 1, totalTokens: 2 };
    const search = { toolCallId: 'search-1', toolName: 'search' };
    const searchCall = { type: 'tool-call', ...search, input: '{"q":"any"}', providerExecuted: true } as const;
    const searchResult = { type: 'tool-result', ...search, result: { found: secret }, providerExecuted: true } as const;
    const text = (delta: string) =>
      [
        { type: 'text-start', id: '0' },
        { type: 'text-delta', id: '0', delta },
        { type: 'text-end', id: '0' },
      ] as const;
    const finish = (finishReason: 'stop' | 'tool-calls') => ({ type: 'finish', finishReason, usage }) as const;
    const searching: Step = { parts: [searchCall, searchResult, ...text('Here it is.'), finish('stop')] };

    it('are judged before they are emitted: a trip emits none of them', async () => {
      const guard = guardOn('toolResult', ({ abort }) => abort('no'));
      const ran = await runAgent(createAgent({ model: createModel([searching]), outputProcessors: [guard] }), mode);
      expect(ran.status).toBe('tripwire');
      expect(JSON.stringify(ran)).not.toContain(secret);
    });

    it('are edited everywhere as by the guard', async () => {
      const judged: unknown[] = [];
      const redacting = {
        id: 'redacting',
        processToolResult: ({
          result,
          providerExecuted,
          messages,
        }: {
          result: unknown;
          providerExecuted?: boolean;
          messages: unknown;
        }) => {
          judged.push({ result, providerExecuted });
          return JSON.parse(JSON.stringify(messages).replaceAll(secret, '[code]')) as never;
        },
      };
      const ran = await runAgent(createAgent({ model: createModel([searching]), outputProcessors: [redacting] }), mode);
      expect(judged).toEqual([{ result: { found: secret }, providerExecuted: true }]);
      expect(ran).toMatchObject({
        status: 'success',
        result: { text: 'Here it is.', toolResults: [{ output: { found: '[code]' } }] },
      });
      expect(chunksOf(ran, 'tool-result')).toMatchObject([{ payload: { toolCallId: 'search-1', result: { found: '[code]' } } }]);
      expect(JSON.stringify(ran)).not.toContain(secret);
    });

    it('belong to the step of their call, even if they come in a later one', async () => {
      const model = createModel([
        {
          parts: [
            searchCall,
            { type: 'tool-call', toolCallId: 'fetch-1', toolName: 'fetch', input: '{"code":"any"}' },
            finish('tool-calls'),
          ],
        },
        { parts: [searchResult, ...text('Here it is.'), finish('stop')] },
      ]);
      const ran = await runAgent(createAgent({ model, tools: { fetch: fetchTool('fine') } }), mode);
      expect(ran).toMatchObject({ status: 'success', result: { text: 'Here it is.' } });
      expect(ran.result?.steps.map(({ toolResults }) => toolResults.length)).toEqual([1, 1]);
      const tools = ran.result?.response.uiMessages?.flatMap(({ parts }) => parts.filter(({ type }) => type.startsWith('tool-')));
      expect(tools).toMatchObject([{ output: { found: secret } }, { output: { result: 'fine' } }]);
    });

    it('control: without a guard they are emitted in order', async () => {
      const ran = await runAgent(createAgent({ model: createModel([searching]) }), mode);
      expect(ran.chunks.map(({ type }) => type).indexOf('tool-result')).toBeLessThan(
        ran.chunks.map(({ type }) => type).indexOf('text-start'),
      );
      expect(ran.result?.toolResults).toMatchObject([{ output: { found: secret } }]);
    });
  });

  describe.each(modes)('edits of guards, %s', (mode) => {
    const redact = (text: string) => text.replaceAll(secret, '[code]');
    /** Edits every text of a hook's messages, and every tool result. */
    const redacting = (phase: 'outputStep' | 'outputResult') =>
      guardOn(
        phase,
        (args) => JSON.parse(redact(JSON.stringify((args as unknown as { messages: unknown }).messages))) as unknown,
      );

    it.each(['outputStep', 'outputResult'] as const)(
      '%s: redacted text and arguments are nowhere in the result',
      async (phase) => {
        const model = scriptedModel({ steps: (call) => (toolResultsIn(call) === 0 ? leaking : leakingAtLast) });
        const agent = createAgent({ model, tools: { fetch: fetchTool('fine') }, outputProcessors: [redacting(phase)] });
        const ran = await runAgent(agent, mode);
        expect(ran).toMatchObject({ status: 'success', result: { text: 'The code is [code]. The code is [code].' } });
        expect(ran.result?.steps.map(({ text }) => text)).toEqual(['The code is [code]. ', 'The code is [code].']);
        expect(JSON.stringify(ran.result)).not.toContain(secret);
        expect(JSON.stringify(chunksOf(ran, 'finish'))).not.toContain(secret);
      },
    );

    it('toolResult: an edited result is reported and sent to the model as edited', async () => {
      const model = scriptedModel({ steps: (call) => (toolResultsIn(call) === 0 ? harmlessCall : harmless) });
      const replacing = {
        id: 'replacing',
        processToolResult: ({ messages }: { messages: unknown }) => JSON.parse(redact(JSON.stringify(messages))) as never,
      };
      const agent = createAgent({ model, tools: { fetch: fetchTool(secret) }, outputProcessors: [replacing] });
      const ran = await runAgent(agent, mode);
      expect(ran.result?.toolResults.map((one) => (one as unknown as { output: unknown }).output)).toEqual([
        { result: '[code]' },
      ]);
      expect(JSON.stringify([ran, model.calls.map(({ prompt }) => prompt)])).not.toContain(secret);
    });

    it('a redaction that changes the number of parts puts the text in the last step', async () => {
      const model = scriptedModel({ steps: (call) => (toolResultsIn(call) === 0 ? leaking : leakingAtLast) });
      const dropping = guardOn('outputResult', (args) => {
        const { messages } = args as unknown as { messages: { content: { parts: { type: string; text?: string }[] } }[] };
        return messages.map((message) => ({
          ...message,
          content: { ...message.content, parts: [{ type: 'text', text: 'Nothing to tell.' }] },
        }));
      });
      const agent = createAgent({ model, tools: { fetch: fetchTool(secret) }, outputProcessors: [dropping] });
      const ran = await runAgent(agent, mode);
      expect(ran.result).toMatchObject({ text: 'Nothing to tell.', toolCalls: [], toolResults: [] });
      expect(JSON.stringify(ran.result)).not.toContain(secret);
    });
  });

  it.each(modes)('control: without a guard the same answers are public, %s', async (mode) => {
    const { memory, saved } = withMemory();
    const agent = createAgent({
      model: createModel([leaking]),
      memory,
      tools: { fetch: fetchTool('fine') },
      outputProcessors: [calm('outputStep', 'calm')],
    });
    const ran = await runAgent(agent, mode, { memory: memoryTarget });
    expect(publicView(ran)).toContain(secret);
    expect(await saved()).toContain(secret);
  });
});
