import { setTimeout as sleep } from 'node:timers/promises';

import { createTool } from '@mastra/core/tools';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import type { Phase } from '../../src/index.js';
import { scriptedModel } from '../../src/testing/index.js';
import { before } from './before-verdict.js';
import {
  closing,
  createAgent,
  everyHook,
  guardOn,
  laned,
  modelFor,
  modes,
  opening,
  recovering,
  runAgent,
  textOnWire,
  toolResultsIn,
  wire,
  wirings,
  type HookArgs,
} from './support.js';

/** A guard that trips and records it. */
const trippingGuard = (phase: Phase, log: string[], when?: (args: HookArgs) => boolean) =>
  guardOn(
    phase,
    ({ abort }) => {
      log.push('trip');
      return abort('blocked');
    },
    { when },
  );

/** A common way to call a judge: its errors count as failures of the judge, and the guard continues. */
const ignoring = (judge: () => never): undefined => {
  try {
    judge();
  } catch {
    return undefined;
  }
};

describe('P1 No tool runs after a tripwire', () => {
  describe.each(everyHook)('$hook, $mode', ({ phase, mode }) => {
    it.each(wirings)('a trip of a guard that is %s is the last effect [spec 2.31]', async (wiring) => {
      const log: string[] = [];
      const model = modelFor(phase);
      const guards = laned([phase, ...wire(phase, trippingGuard(phase, log), wiring)]);
      const ran = await runAgent(createAgent({ model, log, ...guards }), mode);
      expect(ran.status).toBe('tripwire');
      expect(log).toEqual([...before[phase].effects, 'trip']);
      expect(model.calls).toHaveLength(before[phase].modelCalls);
    });

    it('a retry beyond the budget is a trip', async () => {
      const log: string[] = [];
      const model = modelFor(phase);
      const guard = guardOn(phase, ({ abort }) => abort('again', { retry: true }));
      const ran = await runAgent(createAgent({ model, log, maxProcessorRetries: 0, ...laned([phase, guard]) }), mode);
      expect(ran.status).toBe('tripwire');
      expect(log).toEqual(before[phase].effects);
      expect(model.calls).toHaveLength(before[phase].modelCalls);
    });

    it('a failing guard prevents tools, too', async () => {
      const log: string[] = [];
      const guard = guardOn(phase, () => Promise.reject(new Error('out of order')));
      const ran = await runAgent(createAgent({ model: modelFor(phase), log, ...laned([phase, guard]) }), mode);
      expect(ran.status).toBe('failed');
      expect(log).toEqual(before[phase].effects);
    });

    it.each<[string, (judge: () => never) => unknown]>([
      ['synchronously', (judge) => ignoring(judge)],
      ['asynchronously', async (judge) => ignoring(await Promise.resolve(judge))],
    ])('a trip that the hook catches %s is still a trip', async (_when, run) => {
      const log: string[] = [];
      const guard = guardOn(phase, ({ abort }) => run(() => abort('blocked', { metadata: { score: 1 } })));
      const ran = await runAgent(createAgent({ model: modelFor(phase), log, ...laned([phase, guard]) }), mode);
      expect(ran).toMatchObject({ status: 'tripwire', result: { tripwire: { reason: 'blocked', metadata: { score: 1 } } } });
      expect(log).toEqual(before[phase].effects);
    });

    it('a trip on a data part of the hook stops them, even if the hook catches it', async () => {
      const log: string[] = [];
      const writing = guardOn(phase, async ({ writer }) => {
        await writer?.custom({ type: 'data-note', data: 1 }).catch(() => undefined);
      });
      const reading = guardOn('outputStream', ({ abort }) => abort('no notes'), {
        id: 'reading',
        when: ({ part }) => part?.type === 'data-note',
        processDataParts: true,
      });
      const guards = laned([phase, writing], ['outputStream', reading]);
      const ran = await runAgent(createAgent({ model: modelFor(phase), log, ...guards }), mode);
      expect(ran).toMatchObject({ status: 'tripwire', result: { tripwire: { reason: 'no notes', processorId: reading.id } } });
      expect(log).toEqual(before[phase].effects);
    });
  });

  describe.each(modes)('a trip that a hook catches, %s', (mode) => {
    const reading = () =>
      guardOn('outputStream', ({ abort }) => abort('no notes'), {
        id: 'reading',
        when: ({ part }) => part?.type === 'data-note',
        processDataParts: true,
      });
    const writing = (phase: Phase) =>
      guardOn(phase, async ({ writer }) => {
        await writer?.custom({ type: 'data-note', data: 1 }).catch(() => undefined);
      });

    it('ends the stream: no more output and no more reads from the provider', async () => {
      const model = scriptedModel({ steps: [{ text: ['One ', 'two ', 'three ', 'four.'] }] });
      const ran = await runAgent(createAgent({ model, outputProcessors: [writing('outputStream'), reading()] }), mode);
      expect(ran.status).toBe('tripwire');
      expect(textOnWire(ran)).toBe('');
      if (mode === 'stream') expect(model.pulled).toBe(4); // its start, metadata, the text's start, one word
    });

    it.each<[name: string, hidden: { retry: boolean }, own: (args: HookArgs) => unknown, status: string]>([
      ['a caught trip and a failure', { retry: false }, () => Promise.reject(new Error('out of order')), 'tripwire'],
      ['a caught retry and a trip', { retry: true }, ({ abort }) => abort('blocked'), 'tripwire'],
      ['a caught retry and a failure', { retry: true }, () => Promise.reject(new Error('out of order')), 'failed'],
      ['a caught retry', { retry: true }, () => undefined, 'success'],
    ])('counts by its strictness: %s', async (_, hidden, own, status) => {
      const guard = guardOn(
        'outputStep',
        async (args) => {
          await args.writer?.custom({ type: 'data-note', data: 1 }).catch(() => undefined);
          return own(args);
        },
        { times: 1 },
      );
      const stopping = guardOn('outputStream', ({ abort }) => abort('no notes', hidden), {
        id: 'stopping',
        when: ({ part }) => part?.type === 'data-note',
        processDataParts: true,
      });
      const agent = createAgent({ model: modelFor('input'), maxProcessorRetries: 1, outputProcessors: [guard, stopping] });
      expect((await runAgent(agent, mode)).status).toBe(status);
    });

    it('ends the work: no guard of a later phase runs', async () => {
      const calls: string[] = [];
      const later = guardOn('outputStep', () => void calls.push('outputStep'), { id: 'later' });
      const guards = laned(['llmResponse', writing('llmResponse')], ['outputStream', reading()], ['outputStep', later]);
      const ran = await runAgent(createAgent({ model: modelFor('outputStep'), ...guards }), mode);
      expect(ran.status).toBe('tripwire');
      expect(calls).toEqual([]);
    });
  });

  describe.each(modes)('in a later step, %s', (mode) => {
    const second = { text: 'And once more.', toolCalls: [{ name: 'charge', args: { amount: 3 } }] };
    const threeSteps = () =>
      scriptedModel({ steps: (call) => [opening, second, closing][[0, 2, 3].indexOf(toolResultsIn(call))] ?? closing });
    const asks3 = (args: unknown) => JSON.stringify(args ?? null) === '{"amount":3}';

    it.each<[Phase, (args: HookArgs) => boolean]>([
      ['inputStep', ({ stepNumber }) => stepNumber === 1],
      ['llmRequest', ({ stepNumber }) => stepNumber === 1],
      ['outputStream', ({ part }) => part?.type === 'tool-call' && asks3((part.payload as { args: unknown }).args)],
      ['llmResponse', ({ stepNumber }) => stepNumber === 1],
      ['outputStep', ({ toolCalls }) => toolCalls?.some(({ args }) => asks3(args)) ?? false],
    ])('%s: the tools of earlier steps have run, those of the tripping step do not', async (phase, when) => {
      const log: string[] = [];
      const guards = laned([phase, trippingGuard(phase, log, when)]);
      const ran = await runAgent(createAgent({ model: threeSteps(), log, ...guards }), mode);
      expect(ran.status).toBe('tripwire');
      expect(log).toEqual(['charge 1', 'charge 2', 'trip']);
    });

    it('toolResult: no tool runs after the tool with the tripping result', async () => {
      const log: string[] = [];
      const guards = laned(['toolResult', trippingGuard('toolResult', log, ({ args }) => asks3(args))]);
      await runAgent(createAgent({ model: threeSteps(), log, ...guards }), mode);
      expect(log).toEqual(['charge 1', 'charge 2', 'charge 3', 'trip']);
    });

    it('apiError: the call is not repeated after the trip', async () => {
      const log: string[] = [];
      const model = scriptedModel({ steps: (call) => (toolResultsIn(call) === 0 ? opening : { error: new Error('down') }) });
      const guards = laned(['apiError', trippingGuard('apiError', log), recovering()]);
      const ran = await runAgent(createAgent({ model, log, ...guards }), mode);
      expect(ran.status).toBe('tripwire');
      expect(log).toEqual(['charge 1', 'charge 2', 'trip']);
      expect(model.calls).toHaveLength(2);
    });
  });

  // The calls of one accepted step run in parallel, so the others have started when one result trips.
  describe.each(modes)('among the calls of one step, %s', (mode) => {
    const firstResult = ({ args }: HookArgs) => JSON.stringify(args) === '{"amount":1}';

    it('a queued call does not start after a trip', async () => {
      const log: string[] = [];
      const guards = laned(['toolResult', trippingGuard('toolResult', log, firstResult)]);
      const agent = createAgent({ model: modelFor('toolResult'), log, ...guards });
      const ran = await runAgent(agent, mode, { toolCallConcurrency: 1 });
      expect(ran.status).toBe('tripwire');
      expect(log).toEqual(['charge 1', 'trip']);
    });

    it('a trip cancels running tools without waiting for them', async () => {
      const log: string[] = [];
      let begin: () => void = () => undefined;
      const started = new Promise<void>((resolve) => (begin = resolve));
      const guards = laned(['toolResult', trippingGuard('toolResult', log, firstResult)]);
      const charge = createTool({
        id: 'charge',
        description: 'Charges an amount.',
        inputSchema: z.object({ amount: z.number() }),
        execute: async ({ amount }: { amount: number }, context) => {
          if (amount === 1) return started;
          context.abortSignal?.addEventListener('abort', () => log.push('canceled'));
          begin();
          return new Promise(() => undefined); // hangs: the trip does not wait for it
        },
      });
      const ran = await runAgent(createAgent({ model: modelFor('toolResult'), tools: { charge }, ...guards }), mode);
      expect(ran.status).toBe('tripwire');
      expect(log).toEqual(['trip', 'canceled']);
    });

    it('a trip on a chunk of a tool ends the step, and later chunks of the tool are ignored', async () => {
      const log: string[] = [];
      let writeMore: () => Promise<unknown> = async () => undefined;
      const charge = createTool({
        id: 'charge',
        description: 'Charges an amount.',
        inputSchema: z.object({ amount: z.number() }),
        execute: async ({ amount }: { amount: number }, context) => {
          log.push(`charge ${amount}`);
          const write = (type: `data-${string}`) => context.writer?.custom({ type, data: amount });
          writeMore = async () => write('data-late');
          await write('data-card');
          return new Promise(() => undefined); // hangs: the trip does not wait for it
        },
      });
      const reading = guardOn('outputStream', ({ abort }) => abort('no cards'), {
        when: ({ part }) => part?.type === 'data-card',
        processDataParts: true,
      });
      const agent = createAgent({ model: modelFor('toolResult'), tools: { charge }, outputProcessors: [reading] });
      const ran = await runAgent(agent, mode, { toolCallConcurrency: 1 });
      await writeMore();
      await sleep(5); // time for a call that should not start
      expect(ran).toMatchObject({ status: 'tripwire', result: { tripwire: { reason: 'no cards' } } });
      expect(log).toEqual(['charge 1']);
      expect(ran.chunks.map(({ type }) => type).filter((type) => type.startsWith('data-'))).toEqual(['data-interlock-retract']);
    });
  });
});
