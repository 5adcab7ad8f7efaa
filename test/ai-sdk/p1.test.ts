import { setTimeout as sleep } from 'node:timers/promises';
import { tool } from 'ai';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { before } from '../promises/before-verdict.js';
import { closing, everyHook, guardOn, modelFor, opening, recovering, runGuarded, statusOf, tripping, ways } from './support.js';
import { scriptedModel } from '../../src/testing/index.js';

describe('P1 No tool runs after a tripwire', () => {
  describe.each(everyHook)('$hook, $way', ({ phase, way }) => {
    it('nothing runs after a trip', async () => {
      const log: string[] = [];
      const model = modelFor(phase);
      const ran = await runGuarded(way, { model, log, guards: [tripping(phase)] });
      expect(statusOf(ran)).toBe('tripwire');
      expect(log).toEqual(before[phase].effects);
      expect(model.calls).toHaveLength(before[phase].modelCalls);
    });

    it('a retry beyond the budget is a trip', async () => {
      const log: string[] = [];
      const model = modelFor(phase);
      const guard = guardOn(phase, ({ abort }) => abort('again', { retry: true }));
      const ran = await runGuarded(way, { model, log, guards: [guard] });
      expect(ran.error).toMatchObject({ name: 'TripwireError', reason: 'again', retry: true });
      expect(log).toEqual(before[phase].effects);
      expect(model.calls).toHaveLength(before[phase].modelCalls);
    });

    it('no tool runs after a guard fails', async () => {
      const log: string[] = [];
      const guard = guardOn(phase, () => Promise.reject(new Error('out of order')));
      const ran = await runGuarded(way, { model: modelFor(phase), log, guards: [guard] });
      expect(statusOf(ran)).toBe('failed');
      expect(log).toEqual(before[phase].effects);
    });
  });

  describe.each(ways)('%s', (way) => {
    it('after a trip in the second step, only the tools of the first have run', async () => {
      const log: string[] = [];
      const model = scriptedModel({ specificationVersion: 'v4', steps: [opening, opening, closing] });
      const guard = guardOn('outputStep', ({ abort }) => abort('no'), { when: ({ stepNumber }) => stepNumber === 1 });
      const ran = await runGuarded(way, { model, log, guards: [guard] });
      expect(statusOf(ran)).toBe('tripwire');
      expect(log).toEqual(['charge 1', 'charge 2']);
    });

    it('a queued call does not start after a trip on the previous result', async () => {
      const log: string[] = [];
      const ran = await runGuarded(way, {
        model: modelFor('toolResult'),
        log,
        guards: [tripping('toolResult')],
        settings: { toolCallConcurrency: 1 },
      });
      expect(statusOf(ran)).toBe('tripwire');
      expect(log).toEqual(['charge 1']);
    });

    it('a trip on one result aborts the running tools', async () => {
      const aborted: unknown[] = [];
      const tools = {
        charge: tool({
          inputSchema: z.object({ amount: z.number() }),
          execute: async ({ amount }, { abortSignal }) => {
            if (amount === 2)
              await sleep(5_000, undefined, { signal: abortSignal }).catch((error: unknown) => aborted.push(error));
            return amount;
          },
        }),
      };
      const ran = await runGuarded(way, { model: modelFor('toolResult'), guards: [tripping('toolResult')], settings: { tools } });
      expect(statusOf(ran)).toBe('tripwire');
      expect(aborted).toHaveLength(1);
    });

    it('a trip on a result ends the run even in the last step', async () => {
      const ran = await runGuarded(way, { model: modelFor('toolResult'), guards: [tripping('toolResult')], maxSteps: 1 });
      expect(ran.error).toMatchObject({ name: 'TripwireError', phase: 'toolResult' });
      expect(ran.result).toBeUndefined();
    });

    it('judges the result of a run that ends with tool calls', async () => {
      const ran = await runGuarded(way, { model: modelFor('outputResult'), guards: [tripping('outputResult')], maxSteps: 1 });
      expect(ran.error).toMatchObject({ name: 'TripwireError', phase: 'outputResult' });
      expect(ran.result).toBeUndefined();
    });

    it('tools get the arguments that a guard rewrote', async () => {
      const log: string[] = [];
      const guard = guardOn(
        'outputStream',
        ({ part }) => ({ ...part, payload: { ...(part?.payload as object), args: { amount: 7 } } }),
        { when: ({ part }) => part?.type === 'tool-call' },
      );
      await runGuarded(way, { model: modelFor('outputStream'), log, guards: [guard] });
      expect(log).toEqual(['charge 7', 'charge 7']);
    });

    it('a removed call does not run', async () => {
      const log: string[] = [];
      const guard = {
        id: 'drop',
        processOutputStream: ({ part }: { part: { type: string } }) => (part.type === 'tool-call' ? null : part),
      };
      const ran = await runGuarded(way, { model: modelFor('outputStream'), log, guards: [guard as never] });
      expect(statusOf(ran)).toBe('success');
      expect(log).toEqual([]);
    });

    it('a repeated model call is guarded, too', async () => {
      const log: string[] = [];
      const ran = await runGuarded(way, { model: modelFor('apiError'), log, guards: [recovering(), tripping('outputStep')] });
      expect(statusOf(ran)).toBe('tripwire');
      expect(log).toEqual([]);
    });
  });
});
