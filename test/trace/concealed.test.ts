import { createTool } from '@mastra/core/tools';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { redactor } from '../../workflows/guards/index.js';
import { collectTraces, formatTrace, replay, traceOfKind, type Trace } from '../../src/replay.js';
import { createConcealedTexts } from '../../src/trace/plain-json.js';
import { scriptedModel } from '../../src/testing/index.js';
import { makeAgent, modes, type Mode } from '../mastra/support.js';

const address = 'bo.smith@example.com';

const lookup = createTool({
  id: 'lookup',
  description: 'Looks up a person.',
  inputSchema: z.object({ email: z.string() }),
  execute: async ({ email }) => ({ email, card: '4111 1111 1111 1111' }),
});

const record = async (mode: Mode, deltas: readonly string[], recordEdits: boolean) => {
  const guard = redactor({ strategy: 'restore' });
  const inputs: string[] = [];
  const reads = {
    id: 'reads',
    processOutputStream: async ({ part }: { part: { type: string; payload?: object } }) => {
      inputs.push(JSON.stringify(part));
      return part;
    },
  };
  const model = scriptedModel({
    steps: [{ toolCalls: [{ name: 'lookup', args: { email: '[EMAIL_1]' }, fragments: 3 }] }, { text: deltas }],
  });
  const recording = collectTraces();
  const { agent } = makeAgent('', {
    model,
    tools: { lookup },
    recordEdits,
    inputProcessors: [guard],
    outputProcessors: [guard, reads as never],
  });
  const options = { record: recording.record };
  const question = `I am ${address}, who am I?`;
  const text =
    mode === 'generate' ? (await agent.generate(question, options)).text : await (await agent.stream(question, options)).text;
  return { trace: recording.trace, text, agent, model, inputs };
};

const emittedText = (trace: Trace): string =>
  traceOfKind(trace, 'left')
    .map(({ chunk }) => chunk as { type: string; payload?: { text?: string } })
    .filter(({ type }) => type === 'text-delta')
    .map(({ payload }) => payload?.text ?? '')
    .join('');

const answer = 'You are [EMAIL_1], with the card [CARD_1]. Bye, [EMAIL_1]!';
const cuts: readonly (readonly string[])[] = [[answer], Array.from(answer), answer.match(/.{1,5}/g) ?? []];

describe.each(modes)('values of a vault, %s', (mode) => {
  it.each(cuts.map((deltas) => [deltas.length, deltas] as const))('are never in a trace, cut in %i', async (_count, deltas) => {
    for (const recordEdits of [false, true]) {
      const { trace, text, inputs } = await record(mode, deltas, recordEdits);
      expect(text).toContain(address); // restored for the caller
      expect(inputs.join('')).toContain('example'); // and guards saw it
      const written = formatTrace(trace);
      // Ids and times may contain the digits of the card, too, but no space or quotation mark next to them.
      for (const piece of [address, 'bo.smith', 'example.com', '4111 ', ' 1111', '"4111'])
        expect(written, piece).not.toContain(piece);
      expect(emittedText(trace)).toBe(answer);
      expect(traceOfKind(trace, 'header')[0]?.concealedFor).toEqual(['redactor']);
      expect(traceOfKind(trace, 'tool')[0]).toMatchObject({
        args: { email: '[EMAIL_1]' },
        outcome: { result: { email: '[EMAIL_1]' } },
      });
      expect(traceOfKind(trace, 'result')[0]?.text).toBe(answer);
    }
  });

  it('have placeholders in a replay, which gives the same trace', async () => {
    const { trace, agent } = await record(mode, cuts[2] ?? [], false);
    const replayed = await replay(trace, agent);
    expect(replayed.endedAt).toBeUndefined();
    expect(formatTrace(replayed.trace)).toBe(formatTrace(trace));
  });

  it('end a replay without the guard as an unrecorded model call', async () => {
    const { trace } = await record(mode, [answer], false);
    expect((await replay(trace, {})).endedAt?.reason).toContain('never asked');
  });
});

it('a split text never shows a value across its pieces', () => {
  const texts = createConcealedTexts((text) => text.replaceAll('secret', '[S]'));
  const pieces = Array.from(`${'x'.repeat(3_000)}secret${'y'.repeat(2_000)}secret`);
  const written = [...pieces.map((piece) => texts.push('a', piece)), texts.end('a')];
  expect(written.join('')).toBe(`${'x'.repeat(3_000)}[S]${'y'.repeat(2_000)}[S]`);
  expect(texts.open).toEqual([]);
});
