import type { Processor } from '@mastra/core/processors';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { guard, pipeline, type PipelineStep } from '../../src/index.js';
import { border, delta, openGate } from '../../src/stream/gate/test-setup.js';
import { times } from '../modes.js';

/** The guard's act on the chunk of a number; it passes all others. */
type Act = 'trip' | 'retry' | 'fail';
interface Script {
  readonly acts: Readonly<Record<number, Act>>;
  /** Whether the guard has a window of a chunk, so that it may still judge one chunk when the next arrives. */
  readonly hasWindow: boolean;
}

const chunks = [1, 2, 3, 4];
const acting = (on: readonly number[], hasWindow: fc.Arbitrary<boolean>): fc.Arbitrary<Script> =>
  fc.record({
    acts: fc.dictionary(fc.constantFrom(...on.map(String)), fc.constantFrom<Act>('trip', 'retry', 'fail'), { maxKeys: 2 }),
    hasWindow,
  });

/**
 * A guard before a block judges each chunk, while the block may still be at the first one. Guards in the block act only on the first:
 * chunks that gather while they are busy are judged as one window, and its content depends on the timing.
 */
const pipelines = fc.record({
  before: fc.array(acting(chunks, fc.constant(false)), { maxLength: 1 }),
  parallel: fc.array(acting([1], fc.boolean()), { minLength: 2, maxLength: 3 }),
});

/** The number of turns that each guard takes, and of those between chunks. */
const timings = fc.record({ turns: fc.array(fc.nat({ max: 6 }), { minLength: 1, maxLength: 8 }), between: fc.nat({ max: 8 }) });

const scripted = ({ acts, hasWindow }: Script, id: string, turn: () => Promise<void> | undefined): PipelineStep => {
  const decide = (text: string, abort: (why: string, options?: { retry: boolean }) => never): void => {
    const act = acts[chunks.find((number) => text.toLowerCase().includes(`c${number}`) && acts[number]) ?? 0];
    if (act === 'fail') throw new Error('down');
    if (act) abort(id, { retry: act === 'retry' });
  };
  const processor = {
    id,
    processOutputStream: ({ part, abort }: { part: { payload?: { text?: string } }; abort: never }) => {
      const answer = (): unknown => {
        decide(part.payload?.text ?? '', abort);
        return part;
      };
      const waiting = turn();
      return waiting ? waiting.then(answer) : answer();
    },
  } as unknown as Processor;
  return hasWindow ? (guard(processor, { window: 'chunk' }) as PipelineStep) : processor;
};

const pass = async (turns: number): Promise<void> => {
  for (let turn = 0; turn < turns; turn += 1) await Promise.resolve();
};

/** The end of a stream of four chunks. */
const endOf = async (
  { before, parallel }: { before: readonly Script[]; parallel: readonly Script[] },
  { turns, between }: { turns: readonly number[]; between: number },
): Promise<string> => {
  let turnCount = 0;
  const turn = () => pass(turns[turnCount++ % turns.length] ?? 0);
  const make = (script: Script, index: number, name: string) => scripted(script, `${name}${index}`, turn);
  const { gate } = openGate([
    ...before.map((script, index) => make(script, index, 'before')),
    pipeline('p')
      .parallel([
        ...parallel.map((script, index) => make(script, index, 'parallel')),
        guard(scripted({ acts: {}, hasWindow: true }, 'calm', turn) as never, {}),
      ])
      .commit(),
  ]);
  for (const chunk of [border('text-start'), ...chunks.map((number) => delta(`c${number}.`))]) {
    await gate.push(chunk);
    if (gate.stopped) break;
    await pass(between * 4);
  }
  await gate.idle();
  const { stopped } = gate;
  return stopped?.kind ?? 'passed';
};

/** Guards that judge the sentences of a text one by one, or all at once. */
const judges = fc.array(
  fc.record({
    acts: fc.dictionary(fc.constantFrom(...chunks.map(String)), fc.constantFrom<Act>('trip', 'retry', 'fail'), { maxKeys: 2 }),
    window: fc.constantFrom('sentence' as const, 'part' as const),
    turns: fc.nat({ max: 3 }),
  }),
  { minLength: 2, maxLength: 3 },
);

/** The guard that stops a text in pieces of some lengths. Guards of sentences answer at once: gathered chunks would be one window. */
const stopIn = async (
  guards: typeof judges extends fc.Arbitrary<infer T> ? T : never,
  isBlock: boolean,
  lengths: readonly number[],
) => {
  const steps = guards.map(({ acts, window, turns }, index) => {
    const turn = () => (window === 'part' && turns > 0 ? pass(turns) : undefined);
    return guard(scripted({ acts, hasWindow: false }, `g${index}`, turn) as never, { window });
  });
  const { gate } = openGate(isBlock ? [pipeline('p').parallel(steps).commit()] : steps);
  const text = chunks.map((number) => `C${number}. `).join('');
  const deltas: string[] = [];
  for (let from = 0; from < text.length; from += deltas.at(-1)?.length ?? 1)
    deltas.push(text.slice(from, from + (lengths[deltas.length % lengths.length] ?? 1)));
  for (const chunk of [border('text-start'), ...deltas.map((piece) => delta(piece)), border('text-end')]) {
    await gate.push(chunk);
    if (gate.stopped) break;
  }
  await gate.idle();
  const { stopped } = gate;
  return stopped && [stopped.kind, stopped.kind === 'unavailable' ? stopped.processorId : stopped.reason];
};

describe('one end for every timing', () => {
  it('a stream ends the same for every split of its text', async () => {
    const lengths = fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1, maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(judges, fc.boolean(), lengths, async (guards, isBlock, cuts) => {
        expect(await stopIn(guards, isBlock, cuts)).toEqual(await stopIn(guards, isBlock, [1000]));
      }),
      times(200, 10_000),
    );
  });

  it('a stream ends the same, whichever guard is faster', async () => {
    await fc.assert(
      fc.asyncProperty(pipelines, timings, timings, async (guards, one, other) => {
        expect(await endOf(guards, one)).toBe(await endOf(guards, other));
      }),
      times(200, 10_000),
    );
  });
});
