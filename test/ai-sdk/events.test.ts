import { setImmediate } from 'node:timers/promises';
import type { Processor } from '@mastra/core/processors';
import { describe, expect, it } from 'vitest';

import { guardedToolLoop } from '../../src/ai-sdk/index.js';
import { guard, pipeline } from '../../src/index.js';
import { scriptedModel } from '../../src/testing/index.js';
import { guardOn, modelFor, runGuarded, ways } from './support.js';

const answering = () => scriptedModel({ specificationVersion: 'v4', steps: [{ text: ['Well.'] }] });

describe.each(ways)('the events of a guarded run, %s', (way) => {
  it('reports a guard without a verdict and with onUnavailable pass as a bypass, with the reason', async () => {
    const broken = guardOn('outputStep', () => {
      throw new Error('down');
    });
    const ran = await runGuarded(way, { model: answering(), guards: [guard(broken, { onUnavailable: 'pass' })] });
    expect(ran.result?.text).toBe('Well.');
    expect(ran.events.filter(({ type }) => type === 'guard-bypass')).toMatchObject([
      { processorId: 'guard-outputStep', phase: 'outputStep', reason: 'guard/unavailable' },
    ]);
    expect(ran.events.filter((event) => event.type === 'guard' && event.phase === 'outputStep')).toEqual([]);
  });

  it('reports a pass on messages that a sibling changed as a stale verdict', async () => {
    const reads = guardOn('input', () => undefined, { id: 'reads' });
    const writes: Processor = {
      id: 'writes',
      processInput: ({ messages }) =>
        messages.map((one) => ({ ...one, content: { ...one.content, parts: [{ type: 'text' as const, text: 'Changed.' }] } })),
    };
    const block = pipeline('block').parallel([reads, writes]).commit();
    const ran = await runGuarded(way, { model: answering(), guards: [block] });
    expect(ran.events.filter(({ type }) => type === 'stale-verdict')).toMatchObject([
      { phase: 'input', rerun: false, readers: ['reads'], authors: ['writes'] },
    ]);
  });

  it('reports an edit of earlier messages after the response as dropped', async () => {
    const phase = 'outputStep';
    const rewrites = guardOn(phase, ({ messages = [] }) =>
      messages.map((one) =>
        one.role === 'user' ? { ...one, content: { ...one.content, parts: [{ type: 'text', text: 'Rewritten.' }] } } : one,
      ),
    );
    const model = modelFor(phase);
    const ran = await runGuarded(way, { model, guards: [rewrites] });
    const dropped = ran.events.filter((event) => event.type === 'edit-dropped');
    expect(dropped.length).toBeGreaterThan(0);
    expect(dropped[0]).toMatchObject({ phase, messageIds: [expect.any(String)] });
    expect(JSON.stringify(model.calls.map(({ prompt }) => prompt))).not.toContain('Rewritten.');
    const calm = await runGuarded(way, { model: modelFor(phase), guards: [guardOn(phase, () => undefined)] });
    expect(calm.events.filter(({ type }) => type === 'edit-dropped')).toEqual([]);
  });
});

it('an onEvent that throws or rejects does not affect the run or the process', async () => {
  const throwing = () => {
    throw new Error('no');
  };
  const failing: readonly (() => unknown)[] = [throwing, () => Promise.reject(new Error('no'))];
  for (const onEvent of failing) {
    const guards = [guardOn('outputStep', () => undefined)];
    const result = await guardedToolLoop({
      model: answering(),
      guards,
      guardOptions: { onEvent },
    }).generate({ prompt: 'Hi' });
    expect(result.text).toBe('Well.');
    await setImmediate(); // vitest reports rejections that nothing handles
  }
});
