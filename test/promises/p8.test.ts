import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';

import { beforeAll, describe, expect, it, vi } from 'vitest';

import { pipeline, type Phase, type Pipeline } from '../../src/index.js';
import { processorOf, type Acting } from '../equivalence/acting.js';
import { isDeep } from '../modes.js';
import { createMoments } from '../equivalence/moments.js';
import type { Act } from '../equivalence/spec.js';
import { payloadOf } from '../equivalence/payload.js';
import { calm, createAgent, guardOn, modelFor, runAgent } from './support.js';
import { homes, type BlockOutcome, type Home } from './blocks.js';

/** Verdicts, the strictest first. */
const kinds = ['trip', 'throw', 'retry', 'edit', 'pass'] as const;
type Kind = (typeof kinds)[number];
const ids = ['a', 'b', 'c'] as const;

/** An edit that the phase can carry and that does not end the run. */
const editIn: Record<Phase, Act> = {
  input: { kind: 'add', inPlace: false },
  inputStep: { kind: 'set', value: 2 },
  llmRequest: { kind: 'add', inPlace: true },
  apiError: { kind: 'add', inPlace: true },
  outputStream: { kind: 'set', value: 1 },
  llmResponse: { kind: 'pass' },
  outputStep: { kind: 'add', inPlace: true },
  toolResult: { kind: 'set', value: 1 },
  outputResult: { kind: 'add', inPlace: true },
};

const permutations = <T>(all: readonly T[]): T[][] =>
  all.length < 2 ? [[...all]] : all.flatMap((one, at) => permutations(all.toSpliced(at, 1)).map((rest) => [one, ...rest]));

/** The times of the branches' answers: all at once, at the same moment, and in every order. */
const timings: (readonly (number | undefined)[])[] = [[undefined, undefined, undefined], [5, 5, 5], ...permutations([1, 2, 3])];
const triples = kinds.flatMap((a) => kinds.flatMap((b) => kinds.map((c) => [a, b, c] as const)));

interface Case {
  readonly verdicts: readonly Kind[];
  readonly timing: readonly (number | undefined)[];
}

const cases: Case[] = triples.flatMap((verdicts) => timings.map((timing) => ({ verdicts, timing })));

const blockOf = ({ verdicts, timing }: Case, phase: Phase, moments: Acting['moments']) => {
  const acting: Acting = { phase, moments, note: () => undefined, unique: () => 0 };
  const guards = ids.map((id, at) => {
    const verdict = verdicts[at] as Kind;
    return processorOf(
      { kind: 'guard', id, act: verdict === 'edit' ? editIn[phase] : { kind: verdict }, delay: timing[at] },
      acting,
    );
  });
  return pipeline('p').parallel(guards);
};

const runIn = async (home: Home, one: Case, phase: Phase): Promise<BlockOutcome> => {
  const moments = createMoments();
  return moments.during(home.run(blockOf(one, phase, moments), phase));
};

const isAgent = (home: Home) => home === homes.generate || home === homes.stream;

/** The required outcome of a block: the earlier block wins, and of several at the same time the first by name. */
const expected = ({ verdicts, timing }: Case, { phase, home }: { phase: Phase; home: Home }): Partial<BlockOutcome> => {
  const of = (kind: Kind) => ids.filter((_, at) => verdicts[at] === kind);
  const momentOf = (id: (typeof ids)[number]) => timing[ids.indexOf(id)] ?? 0;
  const [blocking] = of('trip').toSorted((x, y) => momentOf(x) - momentOf(y));
  if (blocking) return { kind: 'trip', processorId: blocking, reason: `${blocking} trips`, metadata: { by: blocking } };
  // Mastra's own agent ignores a stream guard that fails; `guardsFor` documents which promises it cannot keep.
  if (of('throw').length > 0) return { kind: home === homes.stock && phase === 'outputStream' ? 'success' : 'failed' };
  const [retrying, ...more] = of('retry');
  if (!retrying) return { kind: phase === 'apiError' && isAgent(home) ? 'failed' : 'success' };
  const reason = [retrying, ...more].map((id) => `${id} retries`).join('; ');
  return { kind: 'retry', processorId: retrying, reason };
};

beforeAll(() => void vi.spyOn(console, 'error').mockImplementation(() => undefined)); // Mastra's engine writes failures there

describe('P8 A trip cancels its siblings, and verdicts are ordered', () => {
  /** Runs cases in one place, and returns those with a wrong outcome. */
  const wrongIn = async (home: Home, phase: Phase, walked: readonly Case[]) => {
    const judged = async (one: Case) => {
      const wanted = expected(one, { phase, home });
      const outcome = await runIn(home, one, phase);
      const isRight = Object.entries(wanted).every(([name, value]) => isDeepStrictEqual(outcome[name as never], value));
      return isRight ? [] : [{ one, wanted, outcome }];
    };
    const atOnce = 25;
    const wrong: unknown[] = [];
    for (let at = 0; at < walked.length; at += atOnce)
      wrong.push(...(await Promise.all(walked.slice(at, at + atOnce).map(judged))).flat());
    return wrong;
  };
  const isSorted = ({ verdicts }: Case) =>
    verdicts.every((kind, at) => at === 0 || kinds.indexOf(kind) >= kinds.indexOf(verdicts[at - 1] ?? kind));
  const sorted = cases.filter(isSorted);
  /** Each with one of three timings in turn; with all of them in `npm run fuzz`. */
  const turns = [timings[1], timings[2], timings.at(-1)];
  const turned = sorted.filter(({ verdicts, timing }) =>
    isDeep
      ? turns.includes(timing)
      : timing === turns[verdicts.reduce((sum, kind) => sum + kinds.indexOf(kind), 0) % turns.length],
  );
  const every = (home: Home) => home.phases.map((phase) => ({ phase }));

  describe('in every order and with every timing', () => {
    it.each(every(homes.plan))('in the plan, $phase', async ({ phase }) => {
      expect(await wrongIn(homes.plan, phase, isDeep || phase === 'input' ? cases : sorted)).toEqual([]);
    });

    it.each(every(homes.workflow))('on Mastra’s engine, $phase', async ({ phase }) => {
      expect(await wrongIn(homes.workflow, phase, isDeep ? cases : phase === 'input' ? sorted : turned)).toEqual([]);
    });

    describe.each([homes.generate, homes.stream, homes.stock])('in $name', (home) => {
      it.each(every(home))('$phase', async ({ phase }) => {
        expect(await wrongIn(home, phase, turned)).toEqual([]);
      });
    });
  });

  describe('a block cancels its siblings', () => {
    /** A branch that never answers and stores its signal, next to one that blocks a little later. */
    const guardsWith = (phase: Phase, signals: AbortSignal[]) => {
      const never = guardOn(
        phase,
        ({ abortSignal }) => {
          if (abortSignal) signals.push(abortSignal);
          return new Promise(() => undefined);
        },
        { id: 'never' },
      );
      const blocks = guardOn(
        phase,
        async ({ abort }) => {
          await sleep(1);
          return abort('no', { metadata: { n: 1 } });
        },
        { id: 'blocks' },
      );
      return { never, blocks };
    };
    const shapes = {
      'in parallel': ({ never, blocks }: ReturnType<typeof guardsWith>) => pipeline('p').parallel([never, blocks]),
      'as arms': ({ never, blocks }: ReturnType<typeof guardsWith>) =>
        pipeline('p').branch([
          [() => true, blocks],
          [() => true, never],
        ]),
      'in pipelines': ({ never, blocks }: ReturnType<typeof guardsWith>) =>
        pipeline('p').parallel([pipeline('q').then(never), pipeline('r').then(pipeline('s').then(blocks))]),
      nested: ({ never, blocks }: ReturnType<typeof guardsWith>) =>
        pipeline('p').parallel([never, pipeline('q').parallel([blocks, calm('input', 'calm')])]),
    };
    const places = Object.values(homes as Record<string, Home>).flatMap((home) =>
      home.phases.map((phase) => ({ home, phase, name: home.name })),
    );

    it.each(places)('that ignores its signal, in $name, $phase', async ({ home, phase }) => {
      for (const shape of Object.values(shapes)) {
        const signals: AbortSignal[] = [];
        const outcome = await home.run(shape(guardsWith(phase, signals)), phase);
        expect(outcome).toMatchObject({ kind: 'trip', processorId: 'blocks', reason: 'no', metadata: { n: 1 } });
        expect(signals.length).toBeGreaterThan(0);
        expect(signals.every(({ aborted }) => aborted)).toBe(true);
      }
    });

    it.each(Object.values(homes as Record<string, Home>))('and nothing after them starts, in $name', async (home) => {
      const started: string[] = [];
      let end = () => undefined as void;
      const slow = guardOn('input', () => new Promise<void>((resolve) => (end = resolve)), { id: 'slow' });
      const next = guardOn('input', () => void started.push('next'), { id: 'next' });
      const blocks = guardOn('input', async ({ abort }) => sleep(1).then(() => abort('no')), { id: 'blocks' });
      const outcome = await home.run(pipeline('p').parallel([pipeline('q').then(slow).then(next), blocks]), 'input');
      expect(outcome).toMatchObject({ kind: 'trip', processorId: 'blocks' });
      end();
      await sleep(5);
      expect(started).toEqual([]);
    });

    it.each(places)('counts the first by name, at any depth, in $name, $phase', async ({ home, phase }) => {
      const blocks = (id: string) => guardOn(phase, ({ abort }) => abort('no'), { id });
      const deep = (id: string) => pipeline(`of ${id}`).parallel([blocks(id), calm(phase, `calm ${id}`)]);
      const deeper = (id: string) => pipeline(`more of ${id}`).parallel([deep(id), calm(phase, `calmer ${id}`)]);
      for (const branches of [
        [deep('a'), blocks('b')],
        [blocks('b'), deeper('a')],
        [deep('b'), deeper('a')],
        [blocks('a'), deeper('b')],
      ])
        expect(await home.run(pipeline('p').parallel(branches), phase)).toMatchObject({ kind: 'trip', processorId: 'a' });
    });

    it.each([homes.generate, homes.stream])('has processor, phase and path, in $name', async (home) => {
      for (const phase of home.phases) {
        const outcome = await home.run(shapes['in pipelines'](guardsWith(phase, [])), phase);
        expect(outcome).toMatchObject({ processorId: 'blocks', phase, at: 'p/parallel.0/r/s/blocks' });
      }
    });
  });

  describe('on Mastra’s engine', () => {
    const stopping = (kind: 'trip' | 'retry' | 'throw', id: string) =>
      processorOf(
        { kind: 'guard', id, act: { kind }, delay: undefined },
        { phase: 'input', moments: createMoments(), note: () => undefined, unique: () => 0 },
      );

    it('only the step with the deciding verdict shows it', async () => {
      for (const [three, winner] of [
        [['retry', 'trip', 'throw'], 'processor:b'],
        [['retry', 'pass', 'retry'], 'processor:a'],
        [['pass', 'retry', 'throw'], 'processor:c'],
      ] as const) {
        const guards = ids.map((id, at) => {
          const kind = three[at] ?? 'pass';
          return kind === 'pass' ? calm('input', id) : stopping(kind, id);
        });
        const run = await pipeline('p').parallel(guards).commit().createRun();
        const { steps } = await run.start({ inputData: payloadOf('input') });
        const failed = Object.entries(steps).filter(([, { status }]) => status === 'failed');
        expect(failed.map(([id]) => id)).toEqual([winner]);
      }
    });

    it('concurrent runs do not affect each other', async () => {
      const moments = createMoments();
      const workflow = pipeline('p')
        .parallel([
          { id: 'a', processInput: async ({ messages }) => moments.until(messages.length).then(() => messages) },
          { id: 'b', processInput: ({ messages, abort }) => (messages.length === 1 ? abort('one') : messages) },
        ])
        .commit();
      const start = async (count: number) => {
        const run = await workflow.createRun();
        const data = payloadOf('input') as { messages: unknown[] };
        return run.start({ inputData: { phase: 'input', messages: data.messages.slice(0, count) } });
      };
      const [one, two] = await moments.during(Promise.all([start(1), start(2)]));
      expect([one.status, two.status]).toEqual(['tripwire', 'success']);
    });

    /** Steps as in separate processes: each from a new workflow, so that no memory is shared. */
    const apart = async (make: () => Pipeline) => {
      const given = payloadOf('input');
      const stepsOf = () => make().commit().stepGraph as unknown as StepEntry[];
      const call = (inputData: unknown) => ({ inputData, runId: 'run', getStepResult: () => opened });
      const opened: unknown = await stepsOf()[0]?.mapConfig?.(call(given));
      const results: Record<string, unknown> = {};
      const branchesOf = () => stepsOf()[1]?.steps ?? [];
      for (const at of branchesOf().keys()) {
        const step = branchesOf()[at]?.step;
        if (step) results[step.id] = await step.execute(call(opened));
      }
      return stepsOf()[2]?.mapConfig?.(call(results));
    };

    it('branches without shared memory leave the decision to the merge', async () => {
      const stops = async (...some: ('trip' | 'retry' | 'throw')[]) =>
        apart(() => pipeline('p').parallel([...some.map((kind, at) => stopping(kind, `g${at}`)), calm('input', 'calm')])).then(
          () => undefined,
          (error: unknown) => error,
        );
      expect(await stops('retry', 'throw', 'trip')).toMatchObject({ message: 'g2 trips', processorId: 'g2' });
      expect(await stops('retry', 'throw', 'retry')).toMatchObject({ code: 'guard/unavailable', path: 'input p/parallel.0/g1' });
      expect(await stops('retry', 'retry')).toMatchObject({ message: 'g0 retries; g1 retries', options: { retry: true } });
      expect(await stops()).toBeUndefined();
    });
  });

  it.each(['generate', 'stream'] as const)('all retry reasons are one feedback, %s', async (mode) => {
    const model = modelFor('input');
    const retries = (id: string) =>
      guardOn('outputStep', ({ abort }) => abort(`${id} wants more`, { retry: true }), { id, times: 1 });
    const agent = createAgent({
      model,
      maxProcessorRetries: 1,
      outputProcessors: [
        pipeline('p')
          .parallel([retries('b'), calm('outputStep', 'calm'), retries('a')])
          .commit(),
      ],
    });
    expect((await runAgent(agent, mode)).status).toBe('success');
    const feedback = model.calls.map(({ prompt }) => JSON.stringify(prompt).match(/not accepted: (.*?)\. Please/)?.[1]);
    expect(feedback.slice(0, 2)).toEqual([undefined, 'a wants more; b wants more']);
  });
});

interface Runnable {
  readonly id: string;
  execute(call: object): Promise<unknown>;
}

/** An entry of a workflow: a function, or the steps of a block. */
interface StepEntry {
  readonly mapConfig?: (call: object) => unknown;
  readonly steps?: readonly { readonly step: Runnable }[];
}
