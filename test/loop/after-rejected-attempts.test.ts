import { describe, expect, it } from 'vitest';
import { scriptedModel } from '../../src/testing/index.js';
import type { Phase } from '../../src/index.js';
import {
  chunksOf,
  createAgent,
  guardOn,
  modes,
  recovering,
  retractionsOf,
  runAgent,
  toolResultsIn,
  type HookArgs,
} from '../promises/support.js';

describe.each(modes)('the traces of an attempt, %s', (mode) => {
  it('feedback of a retry in the input phase reaches only the first prompt', async () => {
    const model = scriptedModel({
      steps: ({ index }) => (index === 0 ? { toolCalls: [{ name: 'charge', args: { amount: 1 } }] } : { text: 'Done.' }),
    });
    const rejecting = guardOn('input', ({ abort }) => abort('say it nicely', { retry: true }), { times: 1 });
    const ran = await runAgent(createAgent({ model, maxProcessorRetries: 1, inputProcessors: [rejecting] }), mode);
    expect(ran.status).toBe('success');
    const hasFeedback = model.calls.map(({ prompt }) => JSON.stringify(prompt).includes('say it nicely'));
    expect(hasFeedback).toEqual([true, false]);
  });

  it('a failure leaves an empty step with reason error and emits no retraction', async () => {
    const steps: unknown[] = [];
    const model = scriptedModel({ steps: [{ text: ['Half ', 'of it'], error: new Error('Out of order.') }] });
    const ran = await runAgent(createAgent({ model }), mode, {
      onStepFinish: ({ text, reason, tripwire }: never) => void steps.push({ text, reason, tripwire }),
    } as never);
    expect(ran.status).toBe('failed');
    expect(steps).toEqual([{ text: '', reason: 'error', tripwire: undefined }]);
    expect(retractionsOf(ran)).toEqual([]);
    expect(chunksOf(ran, 'error')).toHaveLength(1);
  });

  it('a cancel leaves an empty step with reason error and emits no retraction', async () => {
    const controller = new AbortController();
    const model = scriptedModel({ steps: [{ text: 'Half of it.' }] });
    const giveUp = guardOn('outputStep', () => controller.abort());
    const ran = await runAgent(createAgent({ model, outputProcessors: [giveUp] }), mode, { abortSignal: controller.signal });
    expect(ran).toMatchObject({ status: 'canceled', result: { text: '', steps: [{ text: '', reason: 'error' }] } });
    expect(retractionsOf(ran)).toEqual([]);
  });

  it.each(['run', 'step', 'none'] as const)(
    'hold %s: earlier steps are sent after the next one is attempted again',
    async (hold) => {
      const again = (phase: Phase) =>
        guardOn(phase, ({ abort }) => abort('again', { retry: true }), { when: isSecond, times: 1 });
      const isSecond = (given: HookArgs) =>
        given.stepNumber === 1 || /"tool-result"/.test(JSON.stringify(Object(given).prompt ?? ''));
      const broken = () => ({ error: new Error('Out of order.') });
      const cases: Record<string, object> = {
        'a prompt that is rejected in inputStep': { inputProcessors: [again('inputStep')] },
        'a prompt that is rejected in llmRequest': { inputProcessors: [again('llmRequest')] },
        'a model that fails': { errorProcessors: [recovering()] },
      };
      for (const [name, config] of Object.entries(cases)) {
        let failures = name.includes('fails') ? 1 : 0;
        const model = scriptedModel({
          steps: (call) => {
            if (toolResultsIn(call) === 0) return { text: 'First. ', toolCalls: [{ name: 'charge', args: { amount: 1 } }] };
            return (failures -= 1) === 0 ? broken() : { text: 'Second. ' };
          },
        });
        const ran = await runAgent(createAgent({ model, hold, maxProcessorRetries: 1, ...config }), mode);
        const words = chunksOf(ran, 'text-delta').map(({ payload }) => (payload as { text: string }).text);
        expect([ran.status, ran.result?.text, words.join('')], name).toEqual(['success', 'First. Second. ', 'First. Second. ']);
        expect(chunksOf(ran, 'tool-result'), name).toHaveLength(1);
      }
    },
  );
});
