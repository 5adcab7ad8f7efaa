import { definedFields, fieldsIn } from '../phase/plain-data.js';
import pLimit from 'p-limit';
import { InterlockAgent, insidesOfAgent } from '../mastra/agent/agent.js';
import type { ReplayGuards } from '../mastra/replay/replay-setup.js';
import {
  isObjectedTo,
  measure,
  type EvaluatedSample,
  type Evaluation,
  type JudgedSample,
  type Measures,
  type Objecting,
} from './measure.js';
import type { Sample, Judged } from './sample.js';
import { RequestContext } from '@mastra/core/request-context';
import type { RunEvent } from '../../schemas/index.js';
import { InterlockError, messageOf } from '../errors.js';
import { compileLane, laneId, resolveLanes, type Lane } from '../mastra/workflow/guards.js';
import type { PipelineStep } from '../mastra/graph/to-graph.js';
import { openPayload } from '../mastra/workflow/step.js';
import { shadowsIn } from '../loop/record-guards.js';
import type { Phase } from '../phase/row.js';
import { phaseRow } from '../phase/table.js';
import { processorsOf, type Plan } from '../pipeline/graph.js';
import { scriptedModel } from '../testing/scripted-model.js';
import { createBench } from './bench-scope.js';
import { isStricter, type VerdictKind } from '../verdict.js';

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
 * @param by an agent, for its guards; or guards, in the arrays of an agent
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

interface SampleWithJudgement {
  readonly sample: Sample;
  readonly judgement: Judgement;
}

const whole = ({ sample: { label }, judgement: { verdict, score, durationMs, guards } }: SampleWithJudgement): JudgedSample => ({
  label,
  verdict,
  score,
  durationMs,
  calls: guards.reduce((sum, { calls }) => sum + calls, 0),
});

const evaluated = (one: SampleWithJudgement, objecting: Objecting): EvaluatedSample => {
  const { id, location, label } = one.sample;
  const { verdict, score, why } = one.judgement;
  const objected = isObjectedTo(whole(one), objecting);
  return { id, location, label, verdict, ...definedFields({ objected, score, why }) };
};

const measuresByGuard = (judged: readonly SampleWithJudgement[], objecting: Objecting): Record<string, Measures> => {
  const own = judged.flatMap(({ sample: { label }, judgement }) => judgement.guards.map((guard) => ({ label, ...guard })));
  return Object.fromEntries(
    [...Map.groupBy(own, ({ processorId }) => processorId)].map(([id, its]) => [id, measure(its, objecting)]),
  );
};

/** One guard's judgement of a sample. */
interface GuardJudgement {
  readonly processorId: string;
  /** Its strictest verdict. */
  readonly verdict: VerdictKind;
  /** The score from the metadata of that verdict, if any. */
  readonly score: number | undefined;
  readonly durationMs: number;
  /** The number of calls. */
  readonly calls: number;
}

/** The guards' judgement of a sample. */
type Judgement = ReturnType<typeof judgementOf>;

/** Reads the score from the metadata of a verdict. */
type ReadScore = (metadata: unknown) => number | undefined;

/** A number at a dotted path of the metadata, e.g. `score` or `scores.toxicity`. */
const scoreAt =
  (path: string): ReadScore =>
  (metadata) => {
    const value = path.split('.').reduce<unknown>((at, name) => fieldsIn(at)[name], metadata);
    return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
  };

/** The outcome of a sample. */
interface Outcome {
  readonly events: readonly RunEvent[];
  /** The verdict of the whole. A failed run has one even if no guard reports it. */
  readonly verdict: VerdictKind;
  /** The reason for a missing verdict, if the run or the call reports one. */
  readonly why: string | undefined;
  readonly durationMs: number;
}

/** The guards' judgement of a sample. A failed guard has no verdict, whatever its policy did. */
const judgementOf = ({ events, verdict: ofRun, why, durationMs }: Outcome, scoreOf: ReadScore) => {
  const guards = new Map<string, GuardJudgement>();
  for (const event of events) {
    const next = read(event, scoreOf);
    if (next) guards.set(next.processorId, together(guards.get(next.processorId), next));
  }
  const all = [...guards.values()];
  /** The strictest verdict of all guards. */
  const verdict = all.reduce((strictest, one) => (isStricter(one.verdict, strictest) ? one.verdict : strictest), ofRun);
  /** The highest score among their verdicts. */
  const score = all.reduce<number | undefined>((highest, one) => highestOf(highest, one.score), undefined);
  return { verdict, score, durationMs, guards: all, why: verdict === 'unavailable' ? (why ?? bypassed(events)) : undefined };
};

/** The first guard that passed without a verdict, with its error code. */
const bypassed = (events: readonly RunEvent[]): string | undefined => {
  const bypass = events.find((event) => event.type === 'guard-bypass' && event.reason !== 'sampled-out');
  return bypass?.type === 'guard-bypass' ? `[${bypass.reason}] at ${bypass.phase} ${bypass.path}` : undefined;
};

/** Shadow guards judge in parallel with the run; their verdicts do not count. */
const read = (event: RunEvent, scoreOf: ReadScore): GuardJudgement | undefined => {
  if (event.type === 'guard-bypass') {
    const { processorId, calls, reason } = event;
    return reason === 'sampled-out' ? undefined : { processorId, verdict: 'unavailable', score: undefined, durationMs: 0, calls };
  }
  if (event.type !== 'guard') return undefined;
  const { processorId, verdict, metadata, durationMs, calls } = event;
  return { processorId, verdict, score: scoreOf(metadata), durationMs, calls };
};

const together = (before: GuardJudgement | undefined, next: GuardJudgement): GuardJudgement => {
  if (!before) return next;
  const { verdict } = isStricter(next.verdict, before.verdict) ? next : before;
  const durationMs = before.durationMs + next.durationMs;
  return { ...next, verdict, score: highestOf(before.score, next.score), durationMs, calls: before.calls + next.calls };
};

const highestOf = (one: number | undefined, other: number | undefined): number | undefined =>
  one === undefined || other === undefined ? (one ?? other) : Math.max(one, other);

type Lanes = Readonly<Record<Lane, readonly PipelineStep[]>>;

/** Compiles guards, of an agent or by array. Raises `pipeline/…` and `guard/…` for misconfigured guards. */
const createSampleJudge = async (by: InterlockAgent | ReplayGuards, scoreOf: ReadScore) => {
  const guards = by instanceof InterlockAgent ? insidesOfAgent(by).setup.guards : by;
  const lanes = await resolveLanes(guards, new RequestContext(), 'eval');
  const planOf = (lane: Lane): Plan | undefined => compileLane(lanes[lane], laneId('eval', lane));
  return {
    /** Raises `eval/no-judge` for a sample that no guard would judge. */
    check: ({ judged, location }: Sample): void => {
      const phase = 'payload' in judged ? openPayload(structuredClone(judged.payload)).phase : undefined;
      const lane = phase ? phaseRow<Phase>(phase).lane : laneFor(judged);
      const plan = planOf(lane);
      if (plan && (!phase || plan.has(phase)) && !isAllShadow(plan)) return;
      const target = phase ? `the phase ${phase}` : `the ${lane} lane`;
      throw new InterlockError('eval/no-judge', { path: location, detail: `no guard is active in ${target}.` });
    },
    /** The guards' judgement of a sample. A failed guard does not raise here. */
    judge: async ({ judged }: Sample): Promise<Judgement> => {
      const startedAt = performance.now();
      const outcome = 'payload' in judged ? await onBench(judged.payload, planOf) : await inRun(judged, lanes);
      return judgementOf({ ...outcome, durationMs: performance.now() - startedAt }, scoreOf);
    },
  };
};

const laneFor = (judged: Judged): Lane => ('as' in judged && judged.as !== 'input' ? 'output' : 'input');

/** Shadows never object. */
const isAllShadow = ({ graph }: Plan): boolean => shadowsIn(graph).length === processorsOf(graph).length;

type JudgeOptions = Omit<Outcome, 'durationMs'>;

/** One call of the phase's guards. */
const onBench = async (payload: object, planOf: (lane: Lane) => Plan | undefined): Promise<JudgeOptions> => {
  const data = openPayload(structuredClone(payload));
  const bench = createBench(new AbortController().signal);
  const verdict = await planOf(phaseRow<Phase>(data.phase).lane)?.run<Phase>(data.phase, data, bench.scope);
  const outage = verdict?.kind === 'unavailable' ? verdict : verdict?.kind === 'trip' && verdict.outage;
  if (!outage) return { events: bench.events(), verdict: verdict?.kind ?? 'pass', why: undefined };
  return { events: bench.events(), verdict: 'unavailable', why: messageOf(outage.error) };
};

/**
 * A whole run with only the guards of the sample's side. They judge it in each of their hooks, with their windows; content of
 * the other side is not judged.
 */
const inRun = async (judged: Exclude<Judged, { payload: unknown }>, lanes: Lanes): Promise<JudgeOptions> => {
  const events: RunEvent[] = [];
  const lane = laneFor(judged);
  const outputs = 'chunks' in judged ? judged.chunks : [judged.text];
  const answer = judged.as === 'reasoning' ? { reasoning: outputs } : { text: outputs };
  const agent = new InterlockAgent({
    id: 'eval',
    name: 'eval',
    model: scriptedModel({ steps: () => (lane === 'input' ? { text: 'Well.' } : answer) }),
    [`${lane}Processors`]: lanes[lane],
    onRunEvent: (event) => void events.push(event),
  });
  const stream = await agent.stream(lane === 'input' ? outputs.join('') : 'Go.', { maxSteps: 1, maxProcessorRetries: 0 });
  await stream.getFullOutput().catch(() => undefined); // the last event of a failed run has its error
  return { events, ...endOf(events) };
};

const endOf = (events: readonly RunEvent[]): Pick<Outcome, 'verdict' | 'why'> => {
  const finish = events.findLast((event) => event.type === 'run-finish');
  if (finish?.status === 'success') return { verdict: 'pass', why: undefined };
  if (finish?.status === 'tripwire' && !finish.tripwire?.kind) return { verdict: 'trip', why: undefined };
  return { verdict: 'unavailable', why: finish?.error?.message ?? finish?.tripwire?.reason };
};
