import { setTimeout as sleep } from 'node:timers/promises';
import { tool } from 'ai';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { before } from '../promises/before-verdict.js';
import { closing, everyHook, guardOn, modelFor, opening, recovering, runGuarded, statusOf, tripping, ways } from './support.js';
import { scriptedModel } from '../../src/testing/index.js';

describe('P1 No tool runs after a tripwire', () => {
  describe.each(everyHook)('$hook, $way', ({ phase, way }) => {
    it('a trip is the last thing that happens', async () => {
      const log: string[] = [];
      const model = modelFor(phase);
      const ran = await runGuarded(way, { model, log, guards: [tripping(phase)] });
      expect(statusOf(ran)).toBe('tripwire');
      expect(log).toEqual(before[phase].effects);
      expect(model.calls).toHaveLength(before[phase].modelCalls);
    });

    it('a retry that is out of budget is a trip', async () => {
      const log: string[] = [];
      const model = modelFor(phase);
      const guard = guardOn(phase, ({ abort }) => abort('again', { retry: true }));
      const ran = await runGuarded(way, { model, log, guards: [guard] });
      expect(ran.error).toMatchObject({ name: 'TripwireError', reason: 'again', retry: true });
      expect(log).toEqual(before[phase].effects);
      expect(model.calls).toHaveLength(before[phase].modelCalls);
    });

    it('a guard that fails stops the tools as well', async () => {
      const log: string[] = [];
      const guard = guardOn(phase, () => Promise.reject(new Error('out of order')));
      const ran = await runGuarded(way, { model: modelFor(phase), log, guards: [guard] });
      expect(statusOf(ran)).toBe('failed');
      expect(log).toEqual(before[phase].effects);
    });
  });

  describe.each(ways)('%s', (way) => {
    it('a trip in the second step: the tools of the first have run, no other', async () => {
      const log: string[] = [];
      const model = scriptedModel({ specificationVersion: 'v4', steps: [opening, opening, closing] });
      const guard = guardOn('outputStep', ({ abort }) => abort('no'), { when: ({ stepNumber }) => stepNumber === 1 });
      const ran = await runGuarded(way, { model, log, guards: [guard] });
      expect(statusOf(ran)).toBe('tripwire');
      expect(log).toEqual(['charge 1', 'charge 2']);
    });

    it('a call that waits for its turn does not start after a trip on the one before it', async () => {
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

    it('a trip on one result aborts the tools that still run', async () => {
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

    it('a trip on a result ends the run even where no further step would come', async () => {
      const ran = await runGuarded(way, { model: modelFor('toolResult'), guards: [tripping('toolResult')], maxSteps: 1 });
      expect(ran.error).toMatchObject({ name: 'TripwireError', phase: 'toolResult' });
      expect(ran.result).toBeUndefined();
    });

    it('a run that ends with an answer that asks for tools is judged as a result too', async () => {
      const ran = await runGuarded(way, { model: modelFor('outputResult'), guards: [tripping('outputResult')], maxSteps: 1 });
      expect(ran.error).toMatchObject({ name: 'TripwireError', phase: 'outputResult' });
      expect(ran.result).toBeUndefined();
    });

    it('arguments that a guard rewrites are what the tool is given', async () => {
      const log: string[] = [];
      const guard = guardOn(
        'outputStream',
        ({ part }) => ({ ...part, payload: { ...(part?.payload as object), args: { amount: 7 } } }),
        { when: ({ part }) => part?.type === 'tool-call' },
      );
      await runGuarded(way, { model: modelFor('outputStream'), log, guards: [guard] });
      expect(log).toEqual(['charge 7', 'charge 7']);
    });

    it('a call that a guard takes out is not made', async () => {
      const log: string[] = [];
      const guard = {
        id: 'drop',
        processOutputStream: ({ part }: { part: { type: string } }) => (part.type === 'tool-call' ? null : part),
      };
      const ran = await runGuarded(way, { model: modelFor('outputStream'), log, guards: [guard as never] });
      expect(statusOf(ran)).toBe('success');
      expect(log).toEqual([]);
    });

    it('a failed call that is made again is guarded like any other', async () => {
      const log: string[] = [];
      const ran = await runGuarded(way, { model: modelFor('apiError'), log, guards: [recovering(), tripping('outputStep')] });
      expect(statusOf(ran)).toBe('tripwire');
      expect(log).toEqual([]);
    });
  });
});
