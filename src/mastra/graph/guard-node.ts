import type { Processor } from '@mastra/core/processors';
import { readPolicy, type GuardPolicy } from '../../guard/policy/guard-policy.js';
import type { GuardNode } from '../../pipeline/graph.js';
import type { GuardTraits } from '../../guard/traits.js';
import { inheriting, isRecord } from '../../phase/plain-data.js';
import { phaseNames, phaseRow } from '../../phase/table.js';

/** An author's processor with its policy. */
interface Guarded {
  readonly processor: Processor;
  readonly policy: GuardPolicy | undefined;
}

/** A processor with declarations of its own. */
interface DeclaringProcessor extends Processor {
  /** The default policy of this processor in pipelines that contain it; `guard()` overrides each field. */
  readonly guardPolicy?: GuardPolicy;
  /** Facts that code cannot detect. */
  readonly traits?: GuardTraits;
}

/** Processors with their own policy or from `guard()`: one policy each, because a policy has state. */
const known = new WeakMap<Processor, Guarded>();

/**
 * The inner processor and its policy: for the result of `guard()`, a processor with its own policy, one of Mastra's judges, or any other.
 *
 * Raises `guard/unknown-option`, `guard/invalid-option` for a processor's own invalid policy.
 */
export const guardedBy = (processor: Processor): Guarded => {
  const seen = known.get(processor);
  if (seen) return seen;
  const { guardPolicy: own = judgePolicy(processor) }: DeclaringProcessor = processor;
  const judge = errorStrategyOf(processor) === undefined ? undefined : withVisibleFailures(processor);
  const guarded = { processor: judge ?? processor, policy: own && readPolicy(own, processor.id) };
  if (own || judge) known.set(processor, guarded);
  return guarded;
};

/** A guard under another id, with state of its own: two processors of one class of Mastra's have the same id. */
export const renamed = ({ processor, policy }: Guarded, id: string): Guarded => {
  const isJudge = errorStrategyOf(processor) !== undefined; // its hooks read `errorStrategy` from a view
  const own: Processor = inheriting(isJudge ? Object.getPrototypeOf(processor) : processor, { id });
  if (isJudge) return { processor: withVisibleFailures(own), policy };
  for (const name of hookNames)
    if (typeof processor[name] === 'function') Reflect.set(own, name, processor[name].bind(processor));
  return { processor: own, policy };
};

const hookNames = [...phaseNames.map((phase) => phaseRow(phase).hook), 'computeStateSignal', 'onViolation'] as const;

/** Stores the guard behind a processor that `guard()` made. */
export const rememberGuarded = (wrapper: Processor, guarded: Guarded): void => void known.set(wrapper, guarded);

/** A processor as a node of a graph; raises what {@link guardedBy} does. */
export const guardNode = (given: Processor): GuardNode => {
  const guarded = guardedBy(given);
  const traits = traitsOf(guarded.processor);
  return { ...nodeOf(guarded), ...(traits && { traits }) };
};

/** A processor with its policy as a node of a graph, without the traits that checks of a whole graph read. */
export const nodeOf = ({ processor, policy }: Guarded): GuardNode => ({
  kind: 'guard',
  id: processor.id,
  processor: policy?.onUnavailable === 'pass' ? passingOutages(processor) : processor,
  ...(policy && { policy }),
});

/** The decisions of Mastra's processors, by `strategy`. */
const byStrategy: Record<string, GuardTraits['decides']> = {
  block: ['trip'],
  abort: ['trip'],
  filter: ['edit'],
  redact: ['edit'],
  rewrite: ['edit'],
  detect: ['edit'],
  translate: ['edit'],
  truncate: ['edit'],
};

const strategyOf = (processor: Processor): string => String(Reflect.get(processor, 'strategy')); // set by each constructor

const decidesOf = (processor: Processor): GuardTraits => ({ decides: byStrategy[strategyOf(processor)], checksStream: true });

/** Judges one delta at a time, by a model or by patterns. */
const chunkwise = (processor: Processor): GuardTraits => ({ ...decidesOf(processor), judgesEachChunk: true });

/** Its redaction keeps a tail between chunks; the other strategies judge each delta separately. */
const chunkwiseUnlessRedacting = (processor: Processor): GuardTraits =>
  strategyOf(processor) === 'redact' ? decidesOf(processor) : chunkwise(processor);

const editing = (): GuardTraits => ({ decides: ['edit'] });

const reading = (): GuardTraits => ({ decides: [] });

/**
 * Traits of Mastra's own processors, from their sources, by the names that their classes set; they declare none themselves. Names
 * work without loading Mastra, and for another copy of it.
 */
const byName: Readonly<Record<string, (processor: Processor) => GuardTraits>> = {
  Moderation: chunkwise,
  'PII Detector': chunkwiseUnlessRedacting,
  'System Prompt Scrubber': chunkwise,
  Classifier: () => ({ judgesEachChunk: true, checksStream: true }),
  'Regex Filter': chunkwiseUnlessRedacting,
  'Prompt Injection Detector': decidesOf,
  'Language Detector': decidesOf,
  'Token Limiter': decidesOf,
  'Token Cost Control': () => ({ decides: ['trip'], ignoresContent: true }),
  'Unicode Normalizer': editing,
  ToolCallFilter: editing,
  MessageHistory: reading,
  SemanticRecall: reading,
  '@mastra/response-cache': reading,
};

/** The traits of an instance of one of Mastra's classes. Plain objects are excluded, because they may have any name. */
const knownOf = (processor: Processor): GuardTraits | undefined => {
  const { name } = processor;
  return name !== undefined && !isRecord(processor) && Object.hasOwn(byName, name) ? byName[name]?.(processor) : undefined;
};

/** The declared or known traits of a processor. */
const traitsOf = (processor: DeclaringProcessor): GuardTraits | undefined => processor.traits ?? knownOf(processor);

/** Mastra's judges catch the failure of their model, and pass (`'warn'`, the default of most) or abort (`'strict'`). */
const errorStrategyOf = (processor: Processor): unknown => knownOf(processor) && Reflect.get(processor, 'errorStrategy'); // set by each constructor

/** Mastra's processors that count or collect single deltas, or that keep text back between them themselves. */
const needsDeltas = (processor: Processor): boolean => {
  const { name } = processor;
  if (name === 'Token Limiter' || name === 'Batch Parts') return !isRecord(processor);
  return (
    knownOf(processor)?.judgesEachChunk !== true && byName[String(name)] === chunkwiseUnlessRedacting && !isRecord(processor)
  );
};

/** The default policy of Mastra's processors: single deltas for those that count them, and for a strict judge a tripwire, as in Mastra. */
const judgePolicy = (processor: Processor): GuardPolicy | undefined => {
  const window = needsDeltas(processor) ? ({ window: 'delta' } as const) : undefined;
  const outage = errorStrategyOf(processor) === 'strict' ? ({ onUnavailable: 'trip' } as const) : undefined;
  return window || outage ? { ...window, ...outage } : undefined;
};

/**
 * The processor of a guard whose policy passes outages. Mastra's PII detector keeps text back, and drops it if it fails. So it passes by
 * itself, without a bypass: no text is lost.
 */
const passingOutages = (processor: Processor): Processor => {
  if (processor.name !== 'PII Detector' || errorStrategyOf(processor) === undefined) return processor;
  return inheriting<Processor>(Object.getPrototypeOf(processor), { errorStrategy: 'warn' }); // see `withVisibleFailures`
};

type Hook = (args: Record<string, unknown>) => unknown;

/** An object that inherits from a judge, and fails if the judge's model fails: its policy then decides. The judge itself stays unchanged. */
const withVisibleFailures = (judge: Processor): Processor => {
  const view = inheriting(judge, {});
  for (const { hook } of phaseNames.map((phase) => phaseRow(phase))) {
    const run: unknown = judge[hook];
    if (typeof run === 'function')
      Object.assign(view, { [hook]: (args: Parameters<Hook>[0]) => callJudge(view, run as Hook, args) });
  }
  return view;
};

/** A judge reads its `errorStrategy` only if its model failed: then its `abort` reports no verdict but the failure. */
const callJudge = async (judge: object, run: Hook, args: Parameters<Hook>[0]): Promise<unknown> => {
  let hasFailed = false;
  let failure: Error | undefined;
  const own: object = Object.create(judge, {
    errorStrategy: {
      get: () => {
        hasFailed = true;
        return 'strict';
      },
    },
  });
  const abort = (reason?: string, options?: unknown): never => {
    if (!hasFailed) return (args.abort as (reason?: string, options?: unknown) => never)(reason, options);
    throw (failure ??= new Error(reason));
  };
  const answer = await Promise.resolve(run.call(own, { ...args, abort })).catch((error: unknown) => {
    throw failure ?? error;
  });
  if (failure) throw failure; // a judge of streams catches it
  return answer;
};
