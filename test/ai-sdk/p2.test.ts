import { describe, expect, it } from 'vitest';
import type { Processor } from '@mastra/core/processors';
import { rejectToolCall, type WindowedProcessor } from '../../src/index.js';
import { scriptedModel } from '../../src/testing/index.js';
import { redactor } from '../../workflows/guards/index.js';
import { isStreamed, opening, runGuarded, textOnWire, toolResultsIn, closing, ways } from './support.js';

const address = 'jane.doe@example.com';
const answerText = `Write to ${address}, please.`;
const everyWayToCut = Array.from({ length: answerText.length - 1 }, (_, at) => [
  answerText.slice(0, at + 1),
  answerText.slice(at + 1),
]);

describe.each(ways)('P2 Nothing leaves before its verdict, %s', (way) => {
  it('redacts a whole value wherever chunks split it', async () => {
    for (const text of everyWayToCut) {
      const model = scriptedModel({ specificationVersion: 'v4', steps: [{ text }] });
      const ran = await runGuarded(way, { model, guards: [redactor({ strategy: 'replace', kinds: ['email'] })] });
      expect(ran.result?.text, text.join('|')).not.toContain('jane');
      expect(ran.result?.text).not.toContain('example.com');
      if (isStreamed(way)) expect(textOnWire(ran)).toBe(ran.result?.text);
    }
  });

  it('a stream guard with a window gets whole windows wherever chunks split the text', async () => {
    const guard: WindowedProcessor = {
      id: 'windowed',
      window: 'part',
      processOutputStream: async ({ part }) =>
        part.type === 'text-delta'
          ? { ...part, payload: { ...part.payload, text: part.payload.text.replaceAll(address, '[EMAIL]') } }
          : part,
    };
    for (const text of everyWayToCut) {
      const model = scriptedModel({ specificationVersion: 'v4', steps: [{ text }] });
      const ran = await runGuarded(way, { model, guards: [guard] });
      expect(ran.result?.text, text.join('|')).toBe('Write to [EMAIL], please.');
      if (isStreamed(way)) expect(textOnWire(ran)).toBe(ran.result?.text);
    }
  });

  it('a tripped guard with a window emits nothing of that window', async () => {
    const guard: WindowedProcessor = {
      id: 'windowed',
      window: 'part',
      processOutputStream: async ({ part, abort }) =>
        part.type === 'text-delta' && part.payload.text.includes(address) ? abort('an address') : part,
    };
    for (const text of everyWayToCut.slice(8, 20)) {
      const ran = await runGuarded(way, {
        model: scriptedModel({ specificationVersion: 'v4', steps: [{ text }] }),
        guards: [guard],
      });
      expect(ran.error).toMatchObject({ name: 'TripwireError', reason: 'an address' });
      expect(textOnWire(ran)).toBe('');
    }
  });

  it('redacts a value streamed letter by letter and keeps the surrounding text', async () => {
    const model = scriptedModel({ specificationVersion: 'v4', steps: [{ text: Array.from(answerText) }] });
    const ran = await runGuarded(way, { model, guards: [redactor({ strategy: 'replace', kinds: ['email'] })] });
    expect(ran.result?.text).toMatch(/^Write to .+, please\.$/u);
    expect(JSON.stringify([ran.parts, ran.callbackTexts])).not.toContain(address);
  });

  it('a rejected tool call does not run, and the run continues', async () => {
    const guard: Processor = {
      id: 'no-second',
      processOutputStream: async ({ part }) =>
        part.type === 'tool-call' && (part.payload.args as { amount?: number } | undefined)?.amount === 2
          ? rejectToolCall(part, 'Once is enough.', { args: { amount: 0 } })
          : part,
    };
    const log: string[] = [];
    const model = scriptedModel({ specificationVersion: 'v4', steps: (call) => (toolResultsIn(call) === 0 ? opening : closing) });
    const ran = await runGuarded(way, { model, log, guards: [guard] });
    expect(ran.result?.text).toBe('All is paid.');
    expect(log).toEqual(['charge 1']);
    expect(JSON.stringify(model.calls[1]?.prompt)).toContain('Once is enough.');
  });
});
