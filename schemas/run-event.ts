import { z } from 'zod';

/**
 * The events of a run, in order. One union for all observers: the terminal, the studio, recorded traces and tests. Events
 * contain no message content, unless the run records edits; the guard decides what `reason` and `metadata` contain.
 */
const common = {
  /** The run. */
  runId: z.string(),
  /** Position in the run, from 0, without gaps. */
  seq: z.int().nonnegative(),
  /** Epoch milliseconds. */
  at: z.number(),
  /** The step, from 0. */
  stepNumber: z.int().nonnegative(),
  /** The attempt at this step, from 1. */
  attempt: z.int().positive(),
};

export const verdictKindSchema = z.enum(['pass', 'edit', 'trip', 'retry', 'unavailable']);

/** Token counts; a count that the provider did not report is absent. */
export const usageSchema = z.looseObject({
  inputTokens: z.number().optional(),
  outputTokens: z.number().optional(),
  totalTokens: z.number().optional(),
});

export const stepReasonSchema = z.enum(['stop', 'tool-calls', 'tripwire', 'retry', 'error']);

export const runStatusSchema = z.enum(['success', 'tripwire', 'failed', 'canceled', 'suspended']);

export const tripwireSchema = z.object({
  reason: z.string(),
  retry: z.boolean().optional(),
  metadata: z.unknown().optional(),
  processorId: z.string(),
  phase: z.string(),
  /** The way to the guard through the pipeline. */
  path: z.string(),
  /** Set where the guard gave no verdict and its policy lets that block: an outage. Absent where the guard objected. */
  kind: z.literal('unavailable').optional(),
});

/** One place of a payload that a guard changed. */
const changeSchema = z.object({
  /** The dotted path in the original payload, e.g. `messages.3.content.parts.0.text`. */
  target: z.string(),
  /** The old value; absent if there was none. */
  before: z.string().optional(),
  /** The new value, unless text was edited; absent if the value was removed. */
  after: z.string().optional(),
  /** Of a text: characters `start` (inclusive) to `end` (exclusive) of `before` became `text`. */
  spans: z.array(z.object({ start: z.int(), end: z.int(), text: z.string() })).optional(),
});

/** The guard of an event, and its place in its pipeline. */
const author = { phase: z.string(), processorId: z.string(), path: z.string() };

/** A guard's verdict. */
const judgement = {
  ...author,
  verdict: verdictKindSchema,
  /** Milliseconds from the guard's turn to its verdict, waiting included; over all `calls`, each of them measured. */
  durationMs: z.number().nonnegative(),
  calls: z.int().positive(),
  edits: z.int().nonnegative(),
  reason: z.string().optional(),
  metadata: z.unknown().optional(),
};

/** An event of one type. */
const event = <T extends string, F extends z.ZodRawShape>(type: T, fields: F) =>
  z.object({ ...common, type: z.literal(type), ...fields });

const events = z.discriminatedUnion('type', [
  event('run-start', {
    agentId: z.string().optional(),
    mode: z.enum(['generate', 'stream']),
    maxSteps: z.int().positive(),
    maxRetries: z.int().nonnegative(),
  }),
  /** The statechart entered a state; `state` is its dotted path, e.g. `step.calling`. */
  event('state-enter', { state: z.string() }),
  /**
   * A guard gave its verdict. For the streaming phase one event sums up a guard's whole step: `calls` chunks seen, `edits` of
   * them changed or dropped; a stop is an event of its own.
   */
  event('guard', {
    ...judgement,
    /** The changes that the guard made, if the run records edits; at most the first thousand for the chunks of one step. */
    changes: z.array(changeSchema).optional(),
  }),
  /**
   * A guard was not asked, or gave no verdict, and its policy let that pass unedited. `reason` is `sampled-out` or the code of
   * the error. For the streaming phase one event sums up a step: `calls` chunks.
   */
  event('guard-bypass', {
    ...author,
    reason: z.string(),
    /** Milliseconds until its policy decided, over all `calls`; absent in traces of older versions. */
    durationMs: z.number().nonnegative().optional(),
    calls: z.int().positive(),
  }),
  /**
   * The verdict that a shadow guard would have given; it has no effect. The guard judges in parallel with the run, so its event
   * can come late: it names its step, and is the only event that may follow `run-finish`.
   */
  event('guard-shadow', judgement),
  /** A hook called `abort` after it had settled: the call was ignored. May follow `run-finish`. */
  event('late-abort', { ...author, reason: z.string() }),
  /** Two branches of a parallel block edited the same words; `rule` names the rule that decided. */
  event('merge-conflict', {
    phase: z.string(),
    path: z.string(),
    rule: z.string(),
    target: z.string(),
    authors: z.array(z.string()),
  }),
  /**
   * Branches of a block passed a payload that a sibling changed; `rerun` says whether they judged the merged one again. For the
   * streaming phase one event sums up a whole step: `calls` chunks.
   */
  event('stale-verdict', {
    phase: z.string(),
    path: z.string(),
    rerun: z.boolean(),
    /** The branches that passed. */
    readers: z.array(z.string()),
    /** The branches whose changes they had not seen. */
    authors: z.array(z.string()),
    calls: z.int().positive(),
  }),
  event('model-call', { modelId: z.string(), provider: z.string() }),
  event('model-finish', {
    finishReason: z.string(),
    usage: usageSchema,
    durationMs: z.number().nonnegative(),
    fromCache: z.boolean(),
  }),
  /**
   * A model call was discarded because an overlap guard did not pass. Tokens are the provider's count, or an estimate from the
   * request and the partial response. `durationMs` is the duration of the call.
   */
  event('model-wasted', {
    durationMs: z.number().nonnegative(),
    inputTokens: z.number().nonnegative(),
    outputTokens: z.number().nonnegative(),
    isEstimated: z.boolean(),
  }),
  /** The model call failed; `recovered` says whether the call is made again. */
  event('model-error', { message: z.string(), recovered: z.boolean() }),
  event('tool-start', { toolCallId: z.string(), toolName: z.string() }),
  event('tool-finish', {
    toolCallId: z.string(),
    toolName: z.string(),
    outcome: z.enum(['result', 'error', 'denied', 'reused', 'suspended']),
    durationMs: z.number().nonnegative(),
  }),
  /**
   * A suspended run continues, with the decision about the call that it waited for. The later events continue its count, up to
   * another `run-finish`.
   */
  event('run-resume', { toolCallId: z.string(), answer: z.enum(['approved', 'declined', 'data']) }),
  /** Withdraws the parts that this attempt had already sent. */
  event('retract', { partIds: z.array(z.string()) }),
  event('step-finish', { reason: stepReasonSchema }),
  /**
   * The part of the turn that went to memory: the accepted answer, or, without one, the part that the policy of the run keeps.
   * `error` says why it may not have been saved.
   */
  event('memory', { given: z.enum(['answer', 'accepted', 'user-only', 'placeholder', 'nothing']), error: z.string().optional() }),
  event('run-finish', {
    status: runStatusSchema,
    tripwire: tripwireSchema.optional(),
    error: z.object({ name: z.string(), message: z.string(), code: z.string().optional() }).optional(),
    retries: z.int().nonnegative(),
  }),
]);

/** An interface, which declarations name where they would write the union out. */
export interface RunEventSchema extends Events {}
type Events = typeof events;
export const runEventSchema: RunEventSchema = events;

export type RunEvent = z.infer<RunEventSchema>;
export type RunStatus = z.infer<typeof runStatusSchema>;
export type StepReason = z.infer<typeof stepReasonSchema>;
export type Tripwire = z.infer<typeof tripwireSchema>;
export type VerdictKind = z.infer<typeof verdictKindSchema>;
export type Usage = z.infer<typeof usageSchema>;

/** One place of a payload that a guard changed. */
export type Change = z.infer<typeof changeSchema>;
