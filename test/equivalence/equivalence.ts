import { isDeepStrictEqual } from 'node:util';

import fc from 'fast-check';
import { expect } from 'vitest';

import { compile, isInterlockError, type Phase, type Pipeline } from '../../src/index.js';
import { adopt } from '../../src/mastra/workflow/guards.js';
import type { Acting } from './acting.js';
import { buildByHand } from './build-by-hand.js';
import { build } from './build.js';
import { pipelines } from './draw.js';
import { createMoments } from './moments.js';
import { onEngine, onPlan, type Outcome } from './outcome.js';
import { payloadOf } from './payload.js';
import { print } from './print.js';
import { smallest } from './smaller.js';
import type { SequenceSpec } from './spec.js';

/** Runs a drawn pipeline in a phase. */
export type Executor = (spec: SequenceSpec, acting: Acting) => Promise<Outcome>;

const on =
  (run: (source: Pipeline, phase: Phase) => Promise<Outcome>): Executor =>
  async (spec, acting) =>
    run(build(spec, acting), acting.phase);

/** The compiled plan. */
export const plan = on((source, phase) => onPlan(source, payloadOf(phase)));
/** Mastra's own engine, which runs the committed workflow. */
export const engine = on((source, phase) => onEngine(source.commit(), payloadOf(phase)));

/** The same for a workflow made by hand with Mastra's builder, as parsed. */
export const planByHand: Executor = async (spec, acting) => onPlan(buildByHand(spec, acting), payloadOf(acting.phase));
/** The workflow that is registered for it. */
export const engineByHand: Executor = async (spec, acting) => {
  const workflow = adopt(buildByHand(spec, acting));
  compile(workflow); // rejects invalid pipelines, like the constructor of an agent
  return onEngine(workflow, payloadOf(acting.phase));
};

interface Ran {
  readonly outcome: Outcome;
  /** The started guards, sorted by name. */
  readonly started: readonly string[];
}

const run = async (spec: SequenceSpec, phase: Phase, executor: Executor): Promise<Ran> => {
  const started: string[] = [];
  const moments = createMoments();
  let last = 0;
  const acting: Acting = { phase, moments, note: (id) => void started.push(id), unique: () => (last += 1) };
  const outcome = await moments.during(executor(spec, acting).catch(refusalOf));
  // After a block, the set of started guards depends on the engine.
  return { outcome, started: outcome.kind === 'trip' ? [] : started.toSorted() };
};

/** Invalid pipelines are rejected before anything runs, by all executors alike. */
const refusalOf = (error: unknown): Outcome => {
  if (!isInterlockError(error)) throw error;
  return { kind: 'refused', code: error.code, path: error.path ?? '' };
};

export interface Drawing {
  readonly seed: number;
  readonly numRuns: number;
}

/** Draws pipelines and runs both executors; if they differ, throws with the smallest such pipeline as code. */
export const expectSame = async (phase: Phase, executors: readonly [Executor, Executor], drawing: Drawing): Promise<void> => {
  const both = async (spec: SequenceSpec) => [await run(spec, phase, executors[0]), await run(spec, phase, executors[1])];
  const differs = async (spec: SequenceSpec): Promise<boolean> => {
    const [one, other] = await both(spec);
    return !isDeepStrictEqual(one, other);
  };
  const property = fc.asyncProperty(pipelines, async (spec) => !(await differs(spec)));
  const { counterexample } = await fc.check(property, { ...drawing, endOnFailure: true });
  if (!counterexample) return;
  const found = await smallest(counterexample[0], differs);
  const [one, other] = await both(found);
  expect(other, `in ${phase}, seed ${drawing.seed}:\n${print(found)}\n`).toEqual(one);
};
