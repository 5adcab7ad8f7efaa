import { definedFields } from '../phase/plain-data.js';
import pLimit from 'p-limit';
import type { InterlockAgent } from '../mastra/agent/agent.js';
import type { ReplayGuards } from '../mastra/replay/replay-lanes.js';
import { createSampleJudge, scoreAt, type Judgement } from './judge-sample.js';
import {
  isObjectedTo,
  measure,
  type EvaluatedSample,
  type Evaluation,
  type JudgedSample,
  type Measures,
  type Objecting,
} from './measure.js';
import type { Sample } from './sample.js';

/** Options of an evaluation. */
export interface EvaluateOptions extends Objecting {
  /** The dotted path of the score in a verdict's metadata. Default `score`. */
  readonly score?: string;
  /**
   * The maximum number of samples that are judged concurrently; at least 1. Default 1: durations are then those of a single
   * guard call.
   */
  readonly concurrency?: number;
  /** Called after each sample. */
  readonly onProgress?: (done: number, all: number) => void;
}

/**
 * Runs guards on labeled samples, and measures them. All samples are checked before any is judged. A guard that fails has no
 * verdict: its sample is counted as `unavailable`, even if the guard's policy passes or blocks it.
 *
 * Raises `eval/no-judge` for a sample that no guard would judge, and the errors of misconfigured guards.
 *
 * @param by an agent, for its guards; or guards, in the lanes of an agent
 *
 * @example
 * const { together } = await evaluate({ inputProcessors: [injection] }, parseSamples(await readFile('set.jsonl', 'utf8')));
 * console.log(together.precision, together.recall);
 */
export const evaluate = async (
  by: InterlockAgent | ReplayGuards,
  samples: readonly Sample[],
  { score = 'score', concurrency = 1, onProgress, ...objecting }: EvaluateOptions = {},
): Promise<Evaluation> => {
  const judge = await createSampleJudge(by, scoreAt(score));
  for (const sample of samples) judge.check(sample);
  const limit = pLimit(concurrency);
  let done = 0;
  const judged = await Promise.all(
    samples.map((sample) =>
      limit(async () => {
        const judgement = await judge.judge(sample);
        done += 1;
        onProgress?.(done, samples.length);
        return { sample, judgement };
      }),
    ),
  );
  return {
    samples: judged.map((one) => evaluated(one, objecting)),
    together: measure(judged.map(whole), objecting),
    guards: measuresByGuard(judged, objecting),
    objecting,
  };
};

interface Judged {
  readonly sample: Sample;
  readonly judgement: Judgement;
}

const whole = ({ sample: { label }, judgement: { verdict, score, durationMs, guards } }: Judged): JudgedSample => ({
  label,
  verdict,
  score,
  durationMs,
  calls: guards.reduce((sum, { calls }) => sum + calls, 0),
});

const evaluated = (one: Judged, objecting: Objecting): EvaluatedSample => {
  const { id, location, label } = one.sample;
  const { verdict, score, why } = one.judgement;
  const objected = isObjectedTo(whole(one), objecting);
  return {
    id,
    location,
    label,
    verdict,
    ...definedFields({ objected, score, why }),
  };
};

const measuresByGuard = (judged: readonly Judged[], objecting: Objecting): Record<string, Measures> => {
  const own = judged.flatMap(({ sample: { label }, judgement }) => judgement.guards.map((guard) => ({ label, ...guard })));
  return Object.fromEntries(
    [...Map.groupBy(own, ({ processorId }) => processorId)].map(([id, its]) => [id, measure(its, objecting)]),
  );
};
