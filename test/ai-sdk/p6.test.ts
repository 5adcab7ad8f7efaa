import { describe, expect, it } from 'vitest';
import type { Phase } from '../../src/index.js';
import { scriptedModel, type ScriptedModel } from '../../src/testing/index.js';
import {
  closing,
  everyHook,
  guardOn,
  isStreamed,
  modelFor,
  opening,
  recovering,
  runGuarded,
  statusOf,
  textOnWire,
  toolResultsIn,
  ways,
} from './support.js';

const feedbackFor = (reason: string): string =>
  `[Processor Feedback] Your previous response was not accepted: ${reason}. Please try again with the feedback in mind.`;

/** The feedback in each model call. */
const feedbackPerCall = ({ calls }: ScriptedModel<'v4'>): string[][] =>
  calls.map(({ prompt }) =>
    prompt.flatMap(({ role, content }) => (role === 'system' && content.includes('[Processor Feedback]') ? [content] : [])),
  );

/** A result is judged inside the AI SDK's loop, which repeats no step: the model gets the feedback in the next one. */
const canRetry = (phase: Phase): boolean => phase !== 'toolResult';

/** The phases of an attempt before its model call. */
const beforeTheModel = new Set<Phase>(['input', 'inputStep', 'llmRequest']);

const failing = () => scriptedModel({ specificationVersion: 'v4', steps: () => ({ error: new Error('down') }) });

describe('P6 Retries are bounded transitions', () => {
  describe.each(everyHook.filter(({ phase }) => canRetry(phase)))('$hook, $way', ({ phase, way }) => {
    it.each([0, 1, 2])(
      'with %i retries, a guard that always rejects is called once more for each',
      async (maxProcessorRetries) => {
        const seen: number[] = [];
        const guard = guardOn(phase, ({ abort, retryCount }) => {
          seen.push(phase === 'apiError' ? seen.length : retryCount); // there, retryCount counts recoveries
          return abort(`no ${seen.length}`, { retry: true });
        });
        const model = phase === 'apiError' ? failing() : modelFor(phase);
        const ran = await runGuarded(way, { model, guards: [guard], guardOptions: { maxProcessorRetries } });
        const attempts = 1 + maxProcessorRetries;
        expect(seen).toEqual(Array.from({ length: attempts }, (_, index) => index));
        expect(ran.error).toMatchObject({ name: 'TripwireError', reason: `no ${attempts}`, retry: true, phase });
        expect(ran.events.filter(({ type }) => type === 'retry')).toHaveLength(maxProcessorRetries);
        if (!beforeTheModel.has(phase)) expect(model.calls).toHaveLength(attempts + (phase === 'outputResult' ? 1 : 0));
      },
    );

    it('a guard that passes at last succeeds, with only the accepted attempt in the result', async () => {
      const guard = guardOn(phase, ({ abort }) => abort('not yet', { retry: true }), { times: 2 });
      const model =
        phase === 'apiError'
          ? scriptedModel({
              specificationVersion: 'v4',
              steps: (call) => (call.index < 2 ? { error: new Error('down') } : toolResultsIn(call) === 0 ? opening : closing),
            })
          : modelFor(phase);
      const log: string[] = [];
      const ran = await runGuarded(way, { model, log, guards: [guard], guardOptions: { maxProcessorRetries: 2 } });
      expect(statusOf(ran)).toBe('success');
      expect(ran.result?.steps.map(({ text }) => text)).toEqual(['I will charge you. ', 'All is paid.']);
      expect(log).toEqual(['charge 1', 'charge 2']);
      if (isStreamed(way)) expect(textOnWire(ran)).toBe('I will charge you. All is paid.');
    });
  });

  describe.each(ways)('%s', (way) => {
    it.each(['llmRequest', 'outputStream', 'llmResponse', 'outputStep'] as const)(
      '%s: each attempt gets the feedback of the previous attempt only, a later step gets none',
      async (phase) => {
        let count = 0;
        const guard = guardOn(phase, ({ abort }) => abort(`no ${(count += 1)}`, { retry: true }), { times: 2 });
        const model = modelFor(phase);
        await runGuarded(way, { model, guards: [guard], guardOptions: { maxProcessorRetries: 2 } });
        const attempts = phase === 'llmRequest' ? [[feedbackFor('no 2')]] : [[], [feedbackFor('no 1')], [feedbackFor('no 2')]];
        expect(feedbackPerCall(model)).toEqual([...attempts, []]);
      },
    );

    it('a retry on a tool result becomes a tool error for the model; no tool runs again', async () => {
      const guard = guardOn('toolResult', ({ abort }) => abort('no', { retry: true }), { times: 1 });
      const model = modelFor('toolResult');
      const log: string[] = [];
      const ran = await runGuarded(way, { model, log, guards: [guard], guardOptions: { maxProcessorRetries: 1 } });
      expect(statusOf(ran)).toBe('success');
      expect(log).toEqual(['charge 1', 'charge 2']);
      const prompt = JSON.stringify(model.calls[1]?.prompt);
      expect(prompt).toContain(feedbackFor('no'));
      expect(prompt.match(/receipt \d/g)).toHaveLength(1); // that of the other, which was accepted
      expect(ran.events.filter(({ type }) => type === 'retry')).toMatchObject([{ phase: 'toolResult', retries: 1 }]);
    });

    it('grants retries on tool results only within the budget', async () => {
      for (const maxProcessorRetries of [0, 1, 3]) {
        const guard = guardOn('toolResult', ({ abort }) => abort('no', { retry: true }));
        const steps = () => ({ toolCalls: [{ name: 'charge', args: { amount: 1 } }] });
        const model = scriptedModel({ specificationVersion: 'v4', steps });
        const ran = await runGuarded(way, { model, guards: [guard], guardOptions: { maxProcessorRetries }, maxSteps: 9 });
        expect(ran.error).toMatchObject({ name: 'TripwireError', retry: true, phase: 'toolResult' });
        expect(model.calls).toHaveLength(1 + maxProcessorRetries);
      }
    });

    it('does not retry an attempt with emitted text; retries a call without streaming', async () => {
      const guard = guardOn('outputStep', ({ abort }) => abort('no', { retry: true }));
      const model = modelFor('outputStep');
      const guardOptions = { maxProcessorRetries: 3, hold: 'chunk' } as const;
      const ran = await runGuarded(way, { model, guards: [guard], guardOptions });
      expect(ran.error).toMatchObject({ name: 'TripwireError', retry: true });
      expect(model.calls).toHaveLength(isStreamed(way) ? 1 : 4);
    });

    it('all guards and steps share one retry budget per run', async () => {
      const guards = [
        guardOn('llmRequest', ({ abort }) => abort('a', { retry: true }), { times: 1 }),
        guardOn('outputStep', ({ abort }) => abort('b', { retry: true }), { when: ({ stepNumber }) => stepNumber === 1 }),
      ];
      const model = modelFor('outputStep');
      const ran = await runGuarded(way, { model, guards, guardOptions: { maxProcessorRetries: 2 } });
      expect(ran.error).toMatchObject({ name: 'TripwireError', reason: 'b' });
      expect(ran.events.filter(({ type }) => type === 'retry')).toMatchObject([
        { reason: 'a', retries: 1 },
        { reason: 'b', retries: 2 },
      ]);
    });

    it('repeats failed model calls on request of a guard, up to the budget', async () => {
      const model = failing();
      const ran = await runGuarded(way, { model, guards: [recovering()], guardOptions: { maxErrorRetries: 3 } });
      expect(statusOf(ran)).toBe('failed');
      expect(model.calls).toHaveLength(4);
    });

    it('repeats an interrupted model call if no text was emitted', async () => {
      const model = scriptedModel({
        specificationVersion: 'v4',
        steps: ({ index }) => (index === 0 ? { text: ['half'], error: new Error('cut off') } : { text: ['whole'] }),
      });
      const ran = await runGuarded(way, { model, guards: [recovering()], guardOptions: { hold: 'step' } });
      expect(ran.result?.text).toBe('whole');
      expect(model.calls).toHaveLength(2);
    });
  });
});
