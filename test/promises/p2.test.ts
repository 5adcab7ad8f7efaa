import { setTimeout as sleep } from 'node:timers/promises';
import type { Processor } from '@mastra/core/processors';
import { describe, expect, it } from 'vitest';
import {
  guard,
  pipeline,
  rejectToolCall,
  requireApproval,
  type GuardPolicy,
  type Pattern,
  type PipelineStep,
  type ToolCallChunk,
  type WindowedProcessor,
} from '../../src/index.js';
import { assertChunkInvariant, assertNoFragment, scriptedModel } from '../../src/testing/index.js';
import {
  chunksOf,
  createAgent,
  eventsOf,
  guardOn,
  modes,
  retractionsOf,
  runAgent,
  textOnWire,
  type Chunk,
  type HookArgs,
  type Ran,
} from './support.js';
import { isDeep } from '../modes.js';

// --- Guards. ---

/** A guard over e-mail addresses of up to 60 characters. */
const emails = (act: (context: HookArgs) => string, id = 'emails'): WindowedProcessor => {
  const pattern: Pattern = {
    maxLength: 60,
    find: (text, from) => {
      const regex = /[\w.+-]{1,20}@[a-z-]{1,25}\.[a-z]{2,13}/g;
      regex.lastIndex = from;
      return Array.from(regex[Symbol.matchAll](text), ({ 0: { length }, index }) => ({ start: index, end: index + length }));
    },
    replace: (_value, { context }) => act(context as never), // the context of any hook
  };
  return { id, window: { pattern }, processOutputStream: async ({ part }) => part };
};
const redacting = () => emails(() => '[email]');
const blocking = () => emails(({ abort }) => abort('No addresses.'));

const inWindow = (window: NonNullable<GuardPolicy['window']>, act: (args: HookArgs) => unknown, id = 'judge'): PipelineStep =>
  guard(guardOn('outputStream', act, { id }), { window });
const textIn = ({ part }: HookArgs): string => (part?.payload as { text?: string } | undefined)?.text ?? '';
const noWry = (args: HookArgs) => (textIn(args).includes('wry') ? args.abort('No such words.') : undefined);

const address = 'jane.doe@example.com';
const text = `Write to ${address} today.`;
const toolCalls = [{ name: 'charge', args: { amount: 1 } }];

/** The content of chunks with words, for any outcome of the run. */
const words = (ran: Ran): string => JSON.stringify(ran.chunks.map(({ type, payload, data }) => [type, payload, data]));

describe('P2 Nothing leaves before its verdict', () => {
  describe('a value that is split over chunks', () => {
    it('is redacted the same for every cut of the text', async () => {
      await assertChunkInvariant([redacting()], [text], { randomCuts: isDeep ? 500 : 100, seed: 11, shapes: ['text'] });
      await assertNoFragment([redacting()], [{ text, value: address }], {
        randomCuts: isDeep ? 500 : 100,
        seed: 12,
        shapes: ['text'],
      });
    });

    it('is redacted the same in reasoning, arguments, interleaved parts and texts', async () => {
      await assertChunkInvariant([redacting()], [text], { randomCuts: isDeep ? 30 : 12, seed: 13 });
      await assertNoFragment([redacting()], [{ text, value: address }], { randomCuts: isDeep ? 30 : 12, seed: 14 });
    });

    it('is blocked, and no part of it is emitted', async () => {
      await assertNoFragment([blocking()], [{ text, value: address }], { randomCuts: isDeep ? 30 : 12, seed: 15 });
      await assertChunkInvariant([blocking()], [text], { randomCuts: 10, seed: 16 });
    });

    it('is found by guards in a pipeline, in parallel and in a case', async () => {
      const lanes: PipelineStep[][] = [
        [
          pipeline('p')
            .parallel([redacting(), inWindow('sentence', () => undefined)])
            .commit(),
        ],
        [
          pipeline('p')
            .branch([[() => true, redacting()]])
            .commit(),
          inWindow({ chars: 7 }, () => undefined),
        ],
      ];
      for (const lane of lanes)
        await assertNoFragment(lane, [{ text, value: address }], {
          randomCuts: 10,
          shapes: ['text', 'around-sources', 'arguments'],
        });
    });
  });

  it('a judge that trips while the provider is silent ends the call', async () => {
    const model = scriptedModel({ steps: [{ text: ['This is wry. ', 'And'], hang: true }] });
    const judge = inWindow('sentence', async (args) => (await sleep(5), noWry(args)));
    const ran = await runAgent(createAgent({ model, outputProcessors: [judge] }), 'stream');
    expect(ran.status).toBe('tripwire');
    expect(textOnWire(ran)).toBe('');
    expect(model.calls[0]?.aborted || model.cancelled).toBe(true);
  });

  describe.each(modes)('%s', (mode) => {
    const run = (guards: readonly unknown[], step: object, options: object = {}, config: object = {}) =>
      runAgent(
        createAgent({
          model: scriptedModel({ steps: (call) => (call.index === 0 ? step : { text: ['All ', 'done.'] }) }),
          outputProcessors: guards as PipelineStep[],
          ...config,
        }),
        mode,
        options,
      );

    it.each(['chunk', 'sentence', { chars: 8 }, { tokens: 3 }, 'part', 'step'] as const)(
      'emits nothing of a blocked window %j',
      async (window) => {
        const ran = await run([inWindow(window, noWry)], { text: ['It is fine. ', 'This is ', 'wry', ' indeed. And more.'] });
        expect(ran.status).toBe('tripwire');
        expect(words(ran)).not.toContain('wry');
        expect(words(ran)).not.toContain('And more');
        expect(ran.result?.text).toBe('');
        expect(ran.chunks.slice(-2).map(({ type }) => type)).toEqual(['tripwire', 'finish']);
      },
    );

    it.each(['part', 'step'] as const)('emits nothing at all if the window is the %s', async (window) => {
      const ran = await run([inWindow(window, noWry)], { text: ['It is fine. ', 'This is wry.'] });
      expect(textOnWire(ran)).toBe('');
      expect(retractionsOf(ran)).toEqual([]);
    });

    it('the edit of a window is emitted and is in the answer', async () => {
      const masking = inWindow('sentence', ({ part }) => ({ ...part, payload: { ...(part?.payload as object), text: '*** ' } }));
      const ran = await run([masking], { text: ['One is ', 'here. Two', ' is not.'] });
      expect(textOnWire(ran)).toBe('*** *** ');
      expect(ran.result?.text).toBe('*** *** ');
      expect(JSON.stringify(ran.result?.steps)).not.toContain('here');
      expect(JSON.stringify(ran.result?.response)).not.toContain('here');
    });

    it('a slow judge delays the output until its verdict', async () => {
      let isCleared = false;
      const early: Chunk[] = [];
      const judge = inWindow('chunk', async () => {
        await sleep(10);
        isCleared = true;
      });
      const agent = createAgent({ model: scriptedModel({ steps: [{ text: ['One ', 'two.'] }] }), outputProcessors: [judge] });
      const onChunk = (chunk: Chunk) => void (isCleared || chunk.type !== 'text-delta' || early.push(chunk));
      if (mode === 'generate') await agent.generate('Go.', { onChunk });
      else for await (const chunk of (await agent.stream('Go.')).fullStream) onChunk(chunk);
      expect(early).toEqual([]);
      expect(isCleared).toBe(true);
    });

    it('a failing judge fails the run, and nothing is emitted', async () => {
      const ran = await run([inWindow('part', () => Promise.reject(new Error('down')))], { text: ['One.'] });
      expect(ran).toMatchObject({ status: 'failed', error: { code: 'guard/unavailable' } });
      expect(textOnWire(ran)).toBe('');
    });

    it('a policy applies to windows, too', async () => {
      const judge = guardOn('outputStream', () => Promise.reject(new Error('down')), { id: 'judge' });
      const passing = await run([guard(judge, { window: 'part', onUnavailable: 'pass' })], { text: ['One.'] });
      expect([passing.status, textOnWire(passing)]).toEqual(['success', 'One.']);
      const tripping = await run([guard(judge, { window: 'part', onUnavailable: 'trip' })], { text: ['One.'] });
      expect([tripping.status, textOnWire(tripping)]).toEqual(['tripwire', '']);
    });

    it('a retry retracts the output of the attempt', async () => {
      const once = guardOn(
        'outputStream',
        (args) => (textIn(args).includes('wry') ? args.abort('Mind.', { retry: true }) : undefined),
        { id: 'once' },
      );
      const ran = await run(
        [guard(once, { window: 'sentence' })],
        { text: ['It is fine. ', 'This is wry.'] },
        { maxProcessorRetries: 1 },
      );
      expect(ran.status).toBe('success');
      expect(textOnWire(ran)).toBe('It is fine. All done.');
      expect(retractionsOf(ran)).toMatchObject([{ attempt: 1, stepNumber: 0, partIds: [expect.any(String)] }]);
      expect(ran.result?.text).toBe('All done.');
    });

    it('output beyond maxHeldChars fails the run by name', async () => {
      const ran = await run(
        [inWindow('part', () => undefined)],
        { text: ['x'.repeat(60), 'y'.repeat(60)] },
        { maxHeldChars: 100 },
      );
      expect(ran).toMatchObject({ status: 'failed', error: { code: 'release/hold-exceeded' } });
      expect(textOnWire(ran)).toBe('');
    });

    it('a data part is judged only by guards with processDataParts', async () => {
      const seen: string[] = [];
      const logging = guardOn('outputStream', ({ part }) => void seen.push(`asking ${part?.type}`), {
        id: 'asking',
        when: ({ part }) => part?.type === 'data-note',
        processDataParts: true,
      });
      const other = guardOn('outputStream', ({ part }) => void seen.push(`other ${part?.type}`), {
        id: 'other',
        when: ({ part }) => part?.type === 'data-note',
      });
      const writing = guardOn('outputStep', async ({ writer }) => writer?.custom({ type: 'data-note', data: `by ${address}` }), {
        id: 'writing',
      });
      const guards = [guard(logging, { window: 'part' }), guard(other, { window: 'part' }), redacting(), writing];
      const ran = await run(guards, { text: ['One.'] });
      expect(seen).toEqual(['asking data-note']);
      expect(chunksOf(ran, 'data-note')).toMatchObject([{ data: `by ${address}` }]);
      const reading = Object.assign(redacting(), { processDataParts: true });
      expect(chunksOf(await run([reading, writing], { text: ['One.'] }), 'data-note')).toMatchObject([{ data: 'by [email]' }]);
    });

    describe('tool calls', () => {
      const onCall = (act: (part: ToolCallChunk) => unknown): Processor => ({
        id: 'calls',
        processOutputStream: (async ({ part }: { part: ToolCallChunk }) =>
          part.type === 'tool-call' ? act(part) : part) as never, // the hook's type does not accept a narrowed part
      });
      const runs = async (guards: readonly unknown[], options: object = {}) => {
        const log: string[] = [];
        const ran = await run(
          guards,
          { text: ['Now.'], toolCalls: [{ name: 'charge', args: { amount: 1, to: address } }] },
          options,
          { log },
        );
        return { ran, log };
      };
      const both = (act: (part: ToolCallChunk) => unknown) => [[onCall(act)], [guard(onCall(act), { window: 'part' })]];

      it('run with the cleared arguments, which alone are emitted', async () => {
        const { ran, log } = await runs([redacting()]);
        expect(log).toEqual(['charge 1']);
        expect(words(ran)).not.toContain(address);
        expect(chunksOf(ran, 'tool-call')).toMatchObject([{ payload: { args: { amount: 1, to: '[email]' } } }]);
        for (const guards of both((part) => ({ ...part, payload: { ...part.payload, args: { amount: 7 } } })))
          expect((await runs(guards)).log).toEqual(['charge 7']);
      });

      it('do not run if their arguments are blocked', async () => {
        const { ran, log } = await runs([blocking()]);
        expect(ran.status).toBe('tripwire');
        expect(log).toEqual([]);
        expect(words(ran)).not.toContain('jane');
        expect(chunksOf(ran, 'tool-call')).toEqual([]);
      });

      it('do not run if they are rejected, and the model receives the reason', async () => {
        for (const guards of both((part) => rejectToolCall(part, 'Not this one.'))) {
          const model = scriptedModel({ steps: (call) => (call.index === 0 ? { toolCalls } : { text: ['Sorry.'] }) });
          const log: string[] = [];
          const ran = await runAgent(createAgent({ model, log, outputProcessors: guards as PipelineStep[] }), mode);
          expect([ran.status, ran.result?.text, log]).toEqual(['success', 'Sorry.', []]);
          expect(eventsOf(ran, 'tool-finish')).toMatchObject([{ toolName: 'charge', outcome: 'denied' }]);
          expect(JSON.stringify(model.calls[1]?.prompt)).toContain('Not this one.');
          expect(chunksOf(ran, 'tool-error')).toMatchObject([{ payload: { error: 'Not this one.', args: {} } }]);
          expect(chunksOf(ran, 'tool-call')).toMatchObject([{ payload: { toolName: 'charge', args: {} } }]);
        }
      });

      it('suspend the run if they need approval, and no tool of the step runs', async () => {
        for (const guards of both((part) =>
          (part.payload.args as { amount: number }).amount === 2 ? requireApproval(part) : part,
        )) {
          const log: string[] = [];
          const step = { toolCalls: [...toolCalls, { name: 'charge', args: { amount: 2 } }] };
          const ran = await run(guards, step, {}, { log });
          expect([ran.status, ran.result?.status, log]).toEqual(['suspended', 'suspended', []]);
          expect(chunksOf(ran, 'tool-call-approval')).toMatchObject([{ payload: { toolName: 'charge', args: { amount: 2 } } }]);
          expect(ran.chunks.at(-1)).toMatchObject({ type: 'finish', payload: { stepResult: { reason: 'suspended' } } });
          expect(eventsOf(ran, 'tool-start')).toEqual([]);
        }
      });
    });

    describe('hold', () => {
      const twoSteps = { text: ['Let me see. '], toolCalls };
      const late = (phase: 'outputStep' | 'outputResult', retry: boolean, id = 'late') =>
        guardOn(phase, ({ abort, retryCount }) => (retryCount === 0 ? abort('Not so.', { retry }) : undefined), { id, times: 1 });

      it.each(['step', 'run'] as const)('%s: emits the same chunks of an accepted answer as without', async (hold) => {
        const held = await run([], twoSteps, { hold });
        const free = await run([], twoSteps);
        expect(held.chunks.map(({ type }) => type)).toEqual(free.chunks.map(({ type }) => type));
        expect([held.status, held.result?.text]).toEqual(['success', 'Let me see. All done.']);
      });

      it.each([
        ['step', 'outputStep', false],
        ['step', 'outputStep', true],
        ['run', 'outputStep', true],
        ['run', 'outputResult', false],
        ['run', 'outputResult', true],
      ] as const)('%s: never emits text that %s rejects (retry: %s)', async (hold, phase, retry) => {
        const ran = await run([late(phase, retry)], { text: ['Rejected words.'] }, { hold, maxProcessorRetries: 1 });
        expect(words(ran)).not.toContain('Rejected words');
        expect(retractionsOf(ran)).toEqual([]);
        expect(eventsOf(ran, 'retract')).toEqual([]);
        expect(ran.status).toBe(retry ? 'success' : 'tripwire');
        expect(textOnWire(ran)).toBe(retry ? 'All done.' : '');
        const kinds = ran.chunks.map(({ type }) => type).filter((type) => type.startsWith('step-'));
        expect(kinds).toEqual(Array.from(kinds, (_, index) => (index % 2 === 0 ? 'step-start' : 'step-finish')));
        expect(ran.chunks.at(-1)?.type).toBe('finish');
      });

      it('step: retracts emitted text that a guard of the result rejects', async () => {
        const ran = await run([late('outputResult', false)], { text: ['Rejected words.'] }, { hold: 'step' });
        expect(textOnWire(ran)).toBe('Rejected words.');
        expect(retractionsOf(ran)).toHaveLength(1);
      });

      it('of an agent applies to its calls, and a call can only hold more', async () => {
        const guards = () => [late('outputStep', false)];
        const reply = { text: ['Words.'] };
        expect(textOnWire(await run(guards(), reply, {}, { hold: 'step' }))).toBe('');
        expect(textOnWire(await run(guards(), reply, { hold: 'step' }, { hold: 'none' }))).toBe('');
        const strict = createAgent({ model: scriptedModel({ steps: [] }), hold: 'step' });
        await expect(strict[mode]('Go.', { hold: 'none' })).rejects.toMatchObject({ code: 'agent/loosened-option' });
        const agent = createAgent({ model: scriptedModel({ steps: [] }) });
        await expect(agent[mode]('Go.', { hold: 'week' as never })).rejects.toMatchObject({ code: 'agent/invalid-option' });
      });

      it('run: emits no held text of a failed or canceled run', async () => {
        const failing = guardOn('outputResult', () => Promise.reject(new Error('down')), { id: 'failing' });
        const ran = await run([failing], { text: ['Words.'] }, { hold: 'run' });
        expect([ran.status, textOnWire(ran)]).toEqual(['failed', '']);
        const controller = new AbortController();
        const canceling = guardOn('outputResult', () => controller.abort(), { id: 'canceling' });
        const canceled = await run([canceling], { text: ['Words.'] }, { hold: 'run', abortSignal: controller.signal });
        expect([canceled.status, textOnWire(canceled)]).toEqual(['canceled', '']);
      });
    });
  });
});
