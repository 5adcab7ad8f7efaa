import { generateText, isStepCount, streamText, type UIMessageChunk } from 'ai';
import { describe, expect, it } from 'vitest';
import { guardedToolLoop, guardTools, toStreamTransform, withGuards, type GuardedRunEvent } from '../../src/ai-sdk/index.js';
import { phaseNames } from '../../src/phase/table.js';
import type { Phase } from '../../src/index.js';
import { createTools, everyHook, guardOn, modelFor, recovering, runGuarded, type HookArgs } from './support.js';

const note = { type: 'data-note', data: { found: 1 } };

/** A guard that writes in its first call. */
const writing = (phase: Phase, then?: (args: HookArgs) => unknown) =>
  guardOn(
    phase,
    async (args) => {
      await args.writer?.custom({ ...note, extra: 'for no client' });
      return then?.(args);
    },
    { times: 1 },
  );

const dataIn = (events: readonly GuardedRunEvent[]) => events.flatMap((event) => (event.type === 'data' ? [event.part] : []));

/** A failed call must be repeated, and then guards of it are called. */
const guardsWith = (phase: Phase, then?: (args: HookArgs) => unknown) => [
  writing(phase, then),
  ...(phase === 'apiError' ? [recovering()] : []),
];

describe.each(everyHook)('data that $hook writes, $way', ({ phase, way }) => {
  const run = (then?: (args: HookArgs) => unknown) =>
    runGuarded(way, { guards: guardsWith(phase, then), model: modelFor(phase) });

  it('is an event', async () => {
    const { events, error } = await run();
    expect(error).toBeUndefined();
    expect(dataIn(events)).toEqual([note]);
  });

  it('is no event if the hook then blocks', async () => {
    const { events, error } = await run(({ abort }) => abort('No.'));
    expect(error).toMatchObject({ name: 'TripwireError', phase });
    expect(dataIn(events)).toEqual([]);
  });
});

describe.each(phaseNames)('data that the hook of %s writes', (phase) => {
  it('is a part of UI messages, once', async () => {
    const agent = guardedToolLoop({
      model: modelFor(phase),
      tools: createTools([]),
      guards: guardsWith(phase),
      onError: () => undefined,
    });
    const result = await agent.stream({ prompt: 'Charge.' });
    const chunks: UIMessageChunk[] = [];
    for await (const chunk of result.toUIMessageStream()) chunks.push(chunk);
    expect(chunks.filter(({ type }) => type === 'data-note')).toEqual([note]);
    expect(chunks.map(({ type }) => type).slice(0, 1)).toEqual(['start']);
  });

  it('must be a data part', async () => {
    const guard = guardOn(phase, ({ writer }) => writer?.custom({ type: 'note' }), { times: 1 });
    const { error } = await runGuarded('agent.generate', { guards: [guard], model: modelFor(phase) });
    expect(error).toMatchObject({ cause: { code: 'phase/invalid-data-part' } });
  });
});

describe('data', () => {
  const judging = (act: (args: HookArgs) => unknown) =>
    Object.assign(guardOn('outputStream', act, { id: 'judging', when: ({ part }) => part?.type === 'data-note' }), {
      processDataParts: true,
    });

  it.each(['input', 'toolResult', 'outputStep'] as const)('is judged by guards of data parts, from %s', async (phase) => {
    const ask = (act: (args: HookArgs) => unknown) =>
      runGuarded('generateText', { guards: [writing(phase), judging(act)], model: modelFor(phase) });
    const removed = await ask(() => null);
    expect([removed.error, dataIn(removed.events)]).toEqual([undefined, []]);
    const changed = await ask(({ part }) => ({ ...part, data: 'changed' }));
    expect(dataIn(changed.events)).toEqual([{ type: 'data-note', data: 'changed' }]);
    const blocked = await ask(({ abort }) => abort('No notes.'));
    expect(blocked.error).toMatchObject({ name: 'TripwireError', reason: 'No notes.', processorId: 'judging' });
    expect(dataIn(blocked.events)).toEqual([]);
  });

  it.each(['inputStep', 'llmRequest', 'outputStep'] as const)('of a rejected attempt does not leave, from %s', async (phase) => {
    const guard = guardOn(phase, async ({ writer, abort, retryCount }) => {
      await writer?.custom({ type: 'data-note', data: retryCount });
      if (retryCount === 0) abort('Again.', { retry: true });
    });
    const { events, error } = await runGuarded('agent.stream', {
      guards: [guard],
      model: modelFor(phase, { opening: { text: ['One.'] } }),
      guardOptions: { maxProcessorRetries: 1 },
    });
    expect(error).toBeUndefined();
    expect(dataIn(events)).toEqual([{ type: 'data-note', data: 1 }]);
  });

  it('of adapters alone is an event', async () => {
    const events: GuardedRunEvent[] = [];
    const options = { onEvent: (event: GuardedRunEvent) => void events.push(event) };
    await generateText({
      model: modelFor('toolResult'),
      tools: guardTools(createTools([]), [writing('toolResult')], options),
      stopWhen: isStepCount(2),
      prompt: 'Charge.',
    });
    const transform = toStreamTransform([writing('outputStream')], options);
    await streamText({ model: modelFor('outputStream'), prompt: 'Charge.', experimental_transform: transform }).text;
    await generateText({ model: withGuards(modelFor('outputStep'), [writing('outputStep')], options), prompt: 'Charge.' });
    expect(dataIn(events)).toEqual([note, note, note]);
  });

  it('of a run whose result is rejected does not reach a late reader', async () => {
    const blocking = guardOn('outputResult', ({ abort }) => abort('No.'), { id: 'blocking' });
    const guards = [writing('toolResult'), blocking];
    const agent = guardedToolLoop({ model: modelFor('toolResult'), tools: createTools([]), guards, onError: () => undefined });
    const result = await agent.stream({ prompt: 'Charge.' });
    await Promise.resolve(result.text).catch(() => undefined);
    const types: string[] = [];
    for await (const { type } of result.toUIMessageStream()) types.push(type);
    expect(types).toContain('data-tripwire');
    expect(types).not.toContain('data-note');
  });
});
