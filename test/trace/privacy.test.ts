import { createTool } from '@mastra/core/tools';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { collectTraces, formatTrace, guardView, redactTrace, traceOfKind, type Trace } from '../../src/replay.js';
import { phases, type InterlockCallOptions, type Phase } from '../../src/index.js';
import { scriptedModel } from '../../src/testing/index.js';
import { createAgent, guardOn, laned, modes, type HookArgs, type Mode, type Step } from '../promises/support.js';

/** Rejected text, which no public output may contain. */
const secret = 'ZEBRA';

const leaking: Step = {
  reasoning: `They want ${secret}.`,
  text: ['The code ', `is ${secret}. `],
  toolCalls: [{ name: 'fetch', args: { code: secret } }],
};
const call: Step = { text: 'A moment. ', toolCalls: [{ name: 'fetch', args: { code: 'any' } }] };

interface Case {
  phase: Phase;
  steps?: Step[];
  prompt?: string;
  result?: string;
  when?: (args: HookArgs) => boolean;
}

const cases: Case[] = [
  { phase: 'input', prompt: `Say ${secret}.` },
  { phase: 'inputStep', prompt: `Say ${secret}.` },
  { phase: 'llmRequest', prompt: `Say ${secret}.` },
  { phase: 'apiError', steps: [{ ...leaking, error: new Error('cut off') }] },
  { phase: 'outputStream', steps: [leaking], when: ({ part }) => part?.type === 'tool-call' },
  { phase: 'llmResponse', steps: [leaking] },
  { phase: 'outputStep', steps: [leaking] },
  { phase: 'toolResult', steps: [call], result: secret },
  { phase: 'outputResult', steps: [call, { text: ['The code ', `is ${secret}.`] }] },
];

const fetchTool = (result: string) =>
  createTool({
    id: 'fetch',
    description: 'Fetches a code.',
    inputSchema: z.object({ code: z.string() }),
    execute: async ({ code }, { writer }) => {
      await writer?.write({ type: 'data-progress', data: { code, result } });
      return { result };
    },
  });

const recordCase = async ({ phase, steps = [], prompt = 'Hello.', result = 'fine', when }: Case, mode: Mode, retry: boolean) => {
  const rejecting = guardOn(phase, ({ abort }) => abort('not to be told', { retry }), { when, times: retry ? 1 : undefined });
  const model = scriptedModel({ steps: ({ index }) => steps[index] ?? { text: 'I must not tell.' } });
  const agent = createAgent({ model, tools: { fetch: fetchTool(result) }, maxProcessorRetries: 1, ...laned([phase, rejecting]) });
  const recording = collectTraces();
  const options: InterlockCallOptions = { record: recording.record, recordEdits: true };
  if (mode === 'generate') await agent.generate(prompt, options).catch(() => undefined);
  else await (await agent.stream(prompt, options)).consumeStream();
  return recording.trace;
};

it('the cases cover every phase', () => {
  expect(cases.map(({ phase }) => phase).toSorted()).toEqual(Object.keys(phases).toSorted());
});

describe.each(cases.flatMap((one) => modes.map((mode) => ({ ...one, mode }))))('rejected in $phase, $mode', (one) => {
  it('after a trip: the trace contains it, and its public view does not', async () => {
    const trace = await recordCase(one, one.mode, false);
    expect(traceOfKind(trace, 'result')).toMatchObject([{ status: 'tripwire' }]);
    // In generate mode an answer that breaks off is lost completely.
    expect(formatTrace(trace).includes(secret)).toBe(!(one.phase === 'apiError' && one.mode === 'generate'));
    expect(formatTrace(redactTrace(trace))).not.toContain(secret);
  });

  it('after a retry: the same, and the accepted text is present', async () => {
    const trace = await recordCase({ ...one, prompt: 'Hello.' }, one.mode, true);
    const redacted = formatTrace(redactTrace(trace));
    if (one.steps) expect(redacted).not.toContain(secret);
    expect(redacted).toContain('I must not tell.');
    expect(redacted).toContain('Hello.');
  });
});

describe('the public view', () => {
  it('describes the parts and has an entry for each', async () => {
    const trace = await recordCase({ phase: 'outputStep', steps: [leaking] }, 'stream', false);
    const redacted = redactTrace(trace);
    expect(redacted.map(({ seq, kind }) => [seq, kind])).toEqual(trace.map(({ seq, kind }) => [seq, kind]));
    expect(traceOfKind(redacted, 'came').map(({ part }) => part)).toEqual(traceOfKind(trace, 'came').map(({ part }) => part));
  });

  it.each(['outputStep', 'outputResult'] as const)('omits what left before a guard failed in %s', async (phase) => {
    const source = { type: 'source', sourceType: 'url', id: 's', url: `https://a.example/${secret}`, title: secret };
    const usage = { inputTokens: 1, outputTokens: 1, totalTokens: 2 };
    const file = { type: 'file', mediaType: 'text/plain', data: Buffer.from(secret).toString('base64') };
    const parts = [source, file, { type: 'finish', finishReason: 'stop', usage }];
    const failing = guardOn(phase, () => {
      throw new Error('Down.');
    });
    const model = scriptedModel({ steps: [{ parts: parts as never }] });
    const recording = collectTraces();
    const stream = await createAgent({ model, ...laned([phase, failing]) }).stream('Hello.', { record: recording.record });
    await stream.consumeStream();
    const shown = JSON.stringify(redactTrace(recording.trace));
    for (const words of [secret, file.data]) {
      expect(JSON.stringify(recording.trace)).toContain(words);
      expect(shown).not.toContain(words);
    }
  });

  it('keeps the requested kinds', async () => {
    const trace = await recordCase({ phase: 'outputStep', steps: [leaking] }, 'stream', false);
    expect(traceOfKind(redactTrace(trace, { keep: ['came'] }), 'came')).toEqual(traceOfKind(trace, 'came'));
  });

  it('shows the input only if it reached the model unchanged', async () => {
    const recording = collectTraces();
    const model = scriptedModel({ steps: [{ text: 'Fine.' }] });
    const agent = createAgent({
      model,
      inputProcessors: [
        {
          id: 'masks',
          processInput: ({ messages }) =>
            messages.map((one) => ({
              ...one,
              content: { ...one.content, parts: [{ type: 'text' as const, text: 'I am [name].' }] },
            })),
        },
      ],
    });
    await agent.generate('I am Zerubbabel.', { record: recording.record });
    expect(formatTrace(recording.trace)).toContain('Zerubbabel');
    expect(formatTrace(redactTrace(recording.trace))).not.toContain('Zerubbabel');
  });
});

describe('guardView', () => {
  const guardEvents = (trace: Trace, phase: Phase) =>
    traceOfKind(trace, 'event').filter(({ event }) => event.type === 'guard' && event.phase === phase);

  it('shows the input and output of a guard', async () => {
    const recording = collectTraces();
    const agent = createAgent({
      model: scriptedModel({ steps: [{ text: ['one ', 'two'] }] }),
      inputProcessors: [
        { id: 'first', processInput: ({ messages }) => prompt(messages, 'Hi', 'Hello') },
        { id: 'last', processInput: ({ messages }) => prompt(messages, 'Bo', '[name]') },
      ],
      outputProcessors: [
        {
          id: 'stars',
          processOutputStream: async ({ part }) =>
            part.type === 'text-delta' && part.payload.text === 'two'
              ? { ...part, payload: { ...part.payload, text: '***' } }
              : part,
        },
        { id: 'calm', processOutputStream: async ({ part }) => part },
      ],
    });
    await (await agent.stream('Hi Bo', { record: recording.record })).consumeStream();
    const views = guardEvents(recording.trace, 'input').map(({ seq }) => guardView(recording.trace, seq));
    const textOf = (texts: readonly { target: string; text: string }[]) =>
      texts.find(({ target }) => target === 'messages.0.content.parts.0.text')?.text;
    expect(views.map(({ processorId, received, returned }) => [processorId, textOf(received), textOf(returned)])).toEqual([
      ['first', 'Hi Bo', 'Hello Bo'],
      ['last', 'Hello Bo', 'Hello [name]'],
    ]);
    const [stars, calm] = guardEvents(recording.trace, 'outputStream').map(({ seq }) => guardView(recording.trace, seq));
    expect(stars).toMatchObject({ processorId: 'stars', received: [{ text: 'two' }], returned: [{ text: '***' }] });
    expect(calm?.received).toEqual(calm?.returned);
  });

  it('has no output for a guard that stopped', async () => {
    for (const phase of ['outputStep', 'outputStream'] as const) {
      const trace = await recordCase({ phase, steps: [leaking] }, 'stream', false);
      const event = guardEvents(trace, phase).find(({ event: one }) => one.type === 'guard' && one.verdict === 'trip');
      const view = guardView(trace, event?.seq ?? 0);
      expect(JSON.stringify(view.received)).toContain(phase === 'outputStep' ? secret : 'The code');
      expect(view.returned).toEqual([]);
    }
  });

  it('rejects an entry without a guard and a redacted entry', async () => {
    const trace = await recordCase({ phase: 'outputStep', steps: [leaking] }, 'stream', false);
    expect(() => guardView(trace, 0)).toThrow('trace/invalid');
    const [event] = guardEvents(trace, 'outputStep');
    expect(() => guardView(redactTrace(trace), event?.seq ?? 0)).toThrow('trace/redacted');
  });
});

const prompt = <M extends { content: { parts: readonly unknown[] } }>(messages: readonly M[], from: string, to: string): M[] =>
  messages.map((one) => ({
    ...one,
    content: {
      ...one.content,
      parts: one.content.parts.map((part) => {
        const { text } = part as { text?: string };
        return text === undefined ? part : { ...(part as object), text: text.replace(from, to) };
      }),
    },
  }));
