import { describe, expect, it } from 'vitest';
import { GuardUnavailableError, TripwireError } from '../../src/ai-sdk/index.js';
import { isInterlockError, pipeline, type InterlockError } from '../../src/index.js';
import { unreadableValues } from '../unreadable-values.js';
import { everyHook, guardOn, isStreamed, modelFor, partsOf, runGuarded, textOnWire, ways, type Ran } from './support.js';

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
  ['rejects with a text', 'no reason', () => Promise.reject('no reason')],
  ['rejects with an object', outage, () => Promise.reject(outage)],
];

/** The error of a run that failed closed, the same everywhere. */
const causeOf = (ran: Ran): InterlockError => {
  expect(ran.result).toBeUndefined();
  expect(GuardUnavailableError.isInstance(ran.error)).toBe(true);
  expect(TripwireError.isInstance(ran.error)).toBe(false);
  const { cause } = ran.error as GuardUnavailableError;
  expect(isInterlockError(cause)).toBe(true);
  expect(ran.events.filter(({ type }) => type === 'stop')).toMatchObject([{ kind: 'unavailable' }]);
  return cause as InterlockError;
};

describe('P3 A guard that fails, fails closed', () => {
  describe.each(everyHook)('$hook, $way', ({ phase, way }) => {
    const runWith = (...guards: Parameters<typeof runGuarded>[1]['guards']) =>
      runGuarded(way, { model: modelFor(phase), guards });

    it('a failed guard in a nested pipeline fails the run with phase, path and cause', async () => {
      const guard = guardOn(phase, () => Promise.reject(broken), { id: 'judge' });
      const ran = await runWith(pipeline('house').then(pipeline('room').then(guard)).commit());
      const cause = causeOf(ran);
      expect(cause.code).toBe('guard/unavailable');
      expect(cause.path).toBe(`${phase} processors/house/room/judge`);
      expect(cause.cause).toBe(broken);
      expect(ran.error).toMatchObject({ processorId: 'judge', phase, path: 'processors/house/room/judge' });
    });

    it.each(failures)('fails the run if a hook %s', async (_, thrown, act) => {
      const cause = causeOf(await runWith(guardOn(phase, act)));
      expect(cause.code).toBe('guard/unavailable');
      expect(cause.cause).toBe(thrown);
    });

    it('fails the run if a hook throws a value that cannot be read', async () => {
      for (const thrown of unreadableValues()) {
        const cause = causeOf(await runWith(guardOn(phase, () => Promise.reject(thrown), { id: 'judge' })));
        expect(cause.code).toBe('guard/unavailable');
        expect(cause.path).toMatch(/judge$/);
      }
    });

    it('fails the run if a hook returns an invalid value', async () => {
      const cause = causeOf(await runWith(guardOn(phase, () => 42, { id: 'judge' })));
      expect(cause.code).toBe('phase/invalid-result');
      expect(cause.path).toBe(`${phase}/judge`);
    });

    it('does not retry a failed guard and does not call processAPIError', async () => {
      const errors: unknown[] = [];
      let calls = 0;
      const guard = guardOn(phase, () => {
        calls += 1;
        throw broken;
      });
      const listening = { id: 'listening', processAPIError: ({ error }: { error: unknown }) => void errors.push(error) };
      const guards = [guard, listening];
      causeOf(await runGuarded(way, { model: modelFor(phase), guards, guardOptions: { maxProcessorRetries: 2 } }));
      expect(calls).toBeLessThanOrEqual(phase === 'toolResult' ? 2 : 1); // two results are judged in parallel
      expect(errors.filter((error) => error === broken || GuardUnavailableError.isInstance(error))).toEqual([]);
    });
  });

  it.each(ways)('%s: emits no text after the failure', async (way) => {
    const guard = guardOn('outputStream', () => Promise.reject(broken), {
      when: ({ part }) => JSON.stringify(part).includes('charge you'),
    });
    const ran = await runGuarded(way, { model: modelFor('outputStream'), guards: [guard] });
    causeOf(ran);
    expect(textOnWire(ran)).toBe(isStreamed(way) ? 'I will ' : '');
    expect(JSON.stringify([ran.parts, ran.callbackTexts])).not.toContain('charge you');
    if (isStreamed(way)) expect(partsOf(ran, 'error').map(({ error }) => error)).toEqual([ran.error]);
  });
});
