import { describe, expect, it } from 'vitest';

import { inTurn } from '../modes.js';
import { unreadableValues } from '../unreadable-values.js';
import { isInterlockError, pipeline, type InterlockError, type Phase } from '../../src/index.js';
import {
  chunksOf,
  createAgent,
  everyHook,
  finishOf,
  guardOn,
  laned,
  modelFor,
  modes,
  retractionsOf,
  runAgent,
  textOnWire,
  wire,
  wirings,
  type Chunk,
  type HookArgs,
  type Ran,
} from './support.js';

const broken = new Error('The judge is out of order.');
const outage = { code: 503 };

/** The ways in which a hook can fail. */
const failures: [name: string, thrown: unknown, act: () => Promise<never>][] = [
  [
    'throws',
    broken,
    () => {
      throw broken;
    },
  ],
  ['rejects', broken, () => Promise.reject(broken)],
  ['rejects with a text', 'no reason', () => Promise.reject('no reason')],
  ['rejects with an object', outage, () => Promise.reject(outage)],
];

/** The error of a run that failed closed, the same everywhere. */
const errorOf = (ran: Ran): InterlockError => {
  expect(ran.status).toBe('failed');
  expect(ran.result).toBeUndefined();
  expect(isInterlockError(ran.error)).toBe(true);
  const error = ran.error as InterlockError;
  expect(finishOf(ran.events)).toMatchObject({ status: 'failed', error: { code: error.code, message: error.message } });
  expect(finishOf(ran.events).tripwire).toBeUndefined();
  expect(chunksOf(ran, 'error').map(({ payload }) => payload)).toEqual([{ error }]);
  expect(chunksOf(ran, 'tripwire')).toEqual([]);
  expect(ran.chunks.at(-1)).toMatchObject({
    type: 'finish',
    payload: { stepResult: { reason: 'error' }, metadata: { status: 'failed' } },
  });
  return error;
};

describe('P3 A guard that fails, fails closed', () => {
  describe.each(everyHook)('$hook, $mode', ({ phase, hook, mode, turn }) => {
    const runWith = (guards: ReturnType<typeof laned>) => runAgent(createAgent({ model: modelFor(phase), ...guards }), mode);

    it.each(inTurn(wirings, turn))(
      'a guard that is %s and throws fails the run, with phase, processor and cause',
      async (wiring) => {
        const guard = guardOn(phase, () => Promise.reject(broken), { id: 'judge' });
        const error = errorOf(await runWith(laned([phase, ...wire(phase, guard, wiring)])));
        expect(error.code).toBe('guard/unavailable');
        expect(error.path).toMatch(new RegExp(`^${phase} .*judge$`, 'u'));
        expect(error.message).toContain(broken.message);
        expect(error.cause).toBe(broken);
      },
    );

    it('a hook that throws a value that cannot be read fails the run', async () => {
      for (const thrown of unreadableValues()) {
        const error = errorOf(await runWith(laned([phase, guardOn(phase, () => Promise.reject(thrown), { id: 'judge' })])));
        expect(error.code).toBe('guard/unavailable');
        expect(error.path).toMatch(/judge$/);
      }
    });

    it.each(inTurn(failures, turn, 2))('a hook that %s', async (_, thrown, act) => {
      const error = errorOf(await runWith(laned([phase, guardOn(phase, act)])));
      expect(error.code).toBe('guard/unavailable');
      expect(error.cause).toBe(thrown);
    });

    it('a hook that returns an invalid result', async () => {
      const error = errorOf(await runWith(laned([phase, guardOn(phase, () => 42, { id: 'judge' })])));
      expect(error.code).toBe('phase/invalid-result');
      expect(error.path).toBe(`${phase}/judge`);
    });

    it('a hook that writes an invalid data part', async () => {
      const guard = guardOn(phase, ({ writer }) => writer?.custom({ type: 'note' }).then(() => undefined));
      expect(errorOf(await runWith(laned([phase, guard]))).code).toBe('phase/invalid-data-part');
    });

    it('a branch condition that throws chooses no case', async () => {
      const judge = guardOn(phase, ({ abort }) => abort('was asked'), { id: 'judge' });
      const condition = (): boolean => {
        throw broken;
      };
      const branch = pipeline('house')
        .branch([[condition, judge]])
        .commit();
      const error = errorOf(await runWith(laned([phase, branch])));
      expect(error.code).toBe('pipeline/condition-failed');
      expect(error.cause).toBe(broken);
      expect(error.path).toContain('house/branch.0');
    });

    it.each(inTurn(failures, turn + 1, 2))('onViolation that %s does not change the trip', async (_, __, onViolation) => {
      const guard = { ...guardOn(phase, ({ abort }) => abort('blocked')), onViolation };
      const ran = await runWith(laned([phase, guard]));
      expect(ran).toMatchObject({ status: 'tripwire', error: undefined, result: { tripwire: { reason: 'blocked' } } });
    });

    it('its failure reaches no error hook', async () => {
      const errors: unknown[] = [];
      const guards = laned([phase, guardOn(phase, () => Promise.reject(broken))]);
      const listening = { id: 'listening', processAPIError: ({ error }: { error: unknown }) => void errors.push(error) };
      const errorProcessors = [...((guards.errorProcessors as object[] | undefined) ?? []), listening] as never; // an array, from laned
      await runWith({ ...guards, errorProcessors });
      expect(errors.filter((error) => error === broken || isInterlockError(error))).toEqual([]);
    });

    it(`${hook} that fails is not retried, even with a retry budget`, async () => {
      let calls = 0;
      const guard = guardOn(phase, () => {
        calls += 1;
        throw broken;
      });
      errorOf(await runWith({ ...laned([phase, guard]), maxProcessorRetries: 2 }));
      expect(calls).toBe(1);
    });
  });

  describe.each(modes)('the output after a failure, %s', (mode) => {
    const secret = 'charge you';
    const failing = (phase: Phase, when?: (args: HookArgs) => boolean) =>
      laned([phase, guardOn(phase, () => Promise.reject(broken), { when })]);

    it('has no text after the failure', async () => {
      const onSecret = ({ part }: HookArgs) =>
        part?.type === 'text-delta' && (part.payload as { text: string }).text.includes(secret);
      const ran = await runAgent(createAgent({ model: modelFor('outputStream'), ...failing('outputStream', onSecret) }), mode);
      expect(textOnWire(ran)).toBe(mode === 'stream' ? 'I will ' : ''); // generate gets the text in one piece
      expect(JSON.stringify(ran.chunks)).not.toContain(secret);
    });

    it.each<Phase>(['llmResponse', 'outputStep', 'toolResult', 'outputResult'])('%s: has no unjudged step', async (phase) => {
      const ran = await runAgent(createAgent({ model: modelFor(phase), ...failing(phase) }), mode);
      const start = ran.chunks.findIndex(({ type }) => type === (phase === 'outputResult' ? 'error' : 'step-finish'));
      const after: Chunk[] = ran.chunks.slice(start);
      expect(after.map(({ type }) => type)).toContain('finish');
      expect(JSON.stringify(after)).not.toMatch(/charge you|is paid|receipt 1/u);
    });
  });

  it.each<Phase>(['outputStream', 'llmResponse', 'outputStep', 'outputResult'])(
    '%s without a verdict retracts the emitted text',
    async (phase) => {
      const last = ({ part }: HookArgs) =>
        (part?.payload as { text?: string } | undefined)?.text?.includes('charge you') ?? false;
      const guards = laned([
        phase,
        guardOn(phase, () => Promise.reject(broken), { when: phase === 'outputStream' ? last : undefined }),
      ]);
      const ran = await runAgent(createAgent({ model: modelFor(phase), ...guards }), 'stream');
      const emittedIds = new Set(chunksOf(ran, 'text-delta').map(({ payload }) => (payload as { id: string }).id));
      expect(emittedIds.size).toBeGreaterThan(0);
      expect([...emittedIds].filter((id) => !retractionsOf(ran).some(({ partIds }) => partIds.includes(id)))).toEqual([]);
    },
  );

  it('the conversation of a stream does not contain the message on which a guard failed', async () => {
    const guards = laned(['toolResult', guardOn('toolResult', () => Promise.reject(broken))]);
    const stream = await createAgent({ model: modelFor('toolResult'), ...guards }).stream('Please charge me.');
    await expect(stream.getFullOutput()).rejects.toMatchObject({ code: 'guard/unavailable' });
    expect(JSON.stringify(stream.messageList)).not.toContain('receipt');
  });
});
