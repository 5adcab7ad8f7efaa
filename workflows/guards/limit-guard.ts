import type { MastraDBMessage } from '@mastra/core/agent/message-list';
import type { ProcessInputStepArgs, Processor, ProcessorContext, ProcessOutputStepArgs } from '@mastra/core/processors';
import { InterlockError } from '../../src/errors.js';
import { aFunction, aName, either, fieldsOf, instanceWith, listOf, needed, numberFrom, oneOf } from '../../src/option-kind.js';
import {
  guardForm,
  type KindsOf,
  traitsOf,
  unchanged,
  type GuardOptions,
  type GuardProcessor,
  block,
  type Detection,
} from './guard-options.js';
import { isUserSide } from '../messages/read-messages.js';

/** The counted unit: runs, steps of runs, calls of models, tool calls, tokens, or a cost of your own. */
type LimitUnit = 'runs' | 'steps' | 'calls' | 'toolCalls' | 'tokens' | 'cost';

/** Storage of points: any limiter of `rate-limiter-flexible`, in memory or in a shared store. */
export interface Limiter {
  consume(key: string, points: number): Promise<unknown>;
  penalty(key: string, points: number): Promise<unknown>;
  reward(key: string, points: number): Promise<unknown>;
}

type Usage = ProcessOutputStepArgs['usage'];

/** The context in which a key is looked up. */
interface LimitContext {
  readonly requestContext: ProcessorContext['requestContext'];
  /** The resource and the thread of the conversation, if the run has memory. */
  readonly resourceId: string | undefined;
  readonly threadId: string | undefined;
}

export interface Limit {
  /** The name in the tripwire. Default: the unit. */
  readonly name?: string;
  readonly unit: LimitUnit;
  /**
   * The owner of the budget: `user` (the run's resource), `thread`, each `run`, `all`, or the key that a function returns. Runs without
   * a key share one, `anonymous`, and the first one causes a warning of the process. Default `user`.
   */
  readonly per?: 'user' | 'thread' | 'run' | 'all' | ((context: LimitContext) => string | undefined);
  /**
   * The used share of the points, from 0 to 1, from which a system message of each step asks the model to finish. It needs a limiter
   * that returns `remainingPoints` and `consumedPoints`, as those of `rate-limiter-flexible` do. Default: no message.
   */
  readonly warnAt?: number;
  /** Stores the points and their window. */
  readonly limiter: Limiter;
  /**
   * With `tokens` and `cost`: the amount that is reserved before each call, at least 1. The actual usage is settled after the
   * call. Default 1,000.
   */
  readonly reserve?: number;
  /** With `cost`, and required for it: the points of a call, such as millionths of a dollar. */
  readonly priceOf?: (usage: Usage) => number;
}

export interface LimitGuardOptions extends GuardOptions {
  readonly limits: readonly Limit[];
}

/** Metadata of the tripwire and of `onViolation`. */
export interface LimitMetadata {
  readonly limit: string;
  readonly unit: LimitUnit;
  /** Milliseconds until the next try can succeed. */
  readonly retryAfterMs: number;
}

const units = ['runs', 'steps', 'calls', 'toolCalls', 'tokens', 'cost'] as const satisfies readonly LimitUnit[];
const limitKind = fieldsOf({
  name: aName,
  unit: needed(oneOf(...units)),
  per: either(oneOf('user', 'thread', 'run', 'all'), aFunction),
  warnAt: numberFrom(0, 1),
  limiter: needed(instanceWith('consume', 'a limiter of rate-limiter-flexible')),
  reserve: numberFrom(1),
  priceOf: aFunction,
} satisfies KindsOf<Limit>);
const form = guardForm<LimitGuardOptions>(['limit', 'Limits'], { limits: needed(listOf(limitKind)) });

/** The reserved points of a call and their key, by the limit's index. */
type Reserved = Record<number, { key: string; points: number }>;

/** Stored in the state of a run: its key, the reserved points of the step under way, and the warnings by the limit's index. */
interface LimitState {
  readonly run: string;
  reserved: Reserved;
  readonly warnings: Record<number, string | undefined>;
}

interface HookArgs extends ProcessorContext<LimitMetadata> {
  readonly state: Record<string, unknown>;
  readonly messages?: readonly MastraDBMessage[];
  readonly messageList?: { readonly get: { readonly all: { db(): MastraDBMessage[] } } };
}

/**
 * A guard (id `limit`) for the usage of users, threads or all in a time window. Tokens and cost are reserved before a call and
 * settled after it, so that concurrent calls cannot exceed a limit together. Put the same object into the input and the
 * output processors.
 *
 * With `warnAt` the model is asked to finish before that. A run over a limit stops with `retryAfterMs`; its requested points are given
 * back. A failed call keeps its reservation. A limiter of `rate-limiter-flexible` stores the points; if its store fails, the guard raises `guard/unavailable`.
 *
 * @example
 * limitGuard({ limits: [{ unit: 'tokens', limiter: new
 * RateLimiterRedis({ storeClient, points: 100_000, duration: 3600 }), reserve: 4000 }] });
 */
export const limitGuard = (
  options: LimitGuardOptions,
): GuardProcessor<'processInput' | 'processInputStep' | 'processLLMRequest' | 'processOutputStream' | 'processOutputStep'> => {
  form.check(options);
  const { limits } = options;
  const free = limits.findIndex(({ unit, priceOf }) => unit === 'cost' && !priceOf);
  if (free >= 0)
    throw new InterlockError('guard/invalid-option', { path: `limit.limits.${free}.priceOf`, detail: 'cost needs priceOf.' });
  const guard = form.open<LimitMetadata>(options, `Limits ${limits.map(nameOf).join(', ')}.`);
  const take = takingFrom(limits);
  const decides = limits.some(({ warnAt }) => warnAt !== undefined) ? traitsOf.redact : traitsOf.block;
  return Object.assign(guard, { traits: { ...decides, ignoresContent: true } }, {
    processInput: async (args) => {
      await take(args, ['runs']);
      return unchanged;
    },
    processInputStep: async (args) => {
      const state = stateOf(args.state);
      state.reserved = await take(args, ['steps', 'tokens', 'cost']);
      return withWarnings(state, args.systemMessages) ?? unchanged;
    },
    processLLMRequest: async (args) => {
      await take(args, ['calls']);
      return undefined;
    },
    processOutputStream: async (args) => {
      if (args.part.type === 'tool-call') await take(args, ['toolCalls']);
      return args.part;
    },
    processOutputStep: async (args) => {
      const state = stateOf(args.state);
      const { reserved } = state;
      state.reserved = {};
      for (const [at, { key, points }] of Object.entries(reserved))
        await settle(limits[Number(at)], { key, points, usage: args.usage });
      return unchanged;
    },
  } satisfies Partial<Processor<string, LimitMetadata>>);
};

/** Takes a point of each limit with one of the units, or the reservation; stops the run, and gives all of them back, if one has too few left. */
const takingFrom = (limits: readonly Limit[]) => {
  let isWarned = false;
  return async (args: HookArgs, wanted: readonly LimitUnit[]): Promise<Reserved> => {
    const taken: Reserved = {};
    for (const [at, limit] of limits.entries()) {
      if (!wanted.includes(limit.unit)) continue;
      const [key, points] = [keyOf(limit, args), isMetered(limit) ? (limit.reserve ?? 1000) : 1];
      if (key === anonymous && !isWarned) globalThis.process?.emitWarning?.(sharedBudget, 'mastra-interlock');
      isWarned ||= key === anonymous;
      const { rejected, left } = await consume(limit, key, points);
      if (rejected) {
        for (const [place, { key: other, points: otherPoints }] of Object.entries(taken))
          await limits[Number(place)]?.limiter.reward(other, otherPoints);
        return block(rejected, args);
      }
      taken[at] = { key, points };
      stateOf(args.state).warnings[at] = warningOf(limit, left);
    }
    return taken;
  };
};

const stateOf = (state: Record<string, unknown>): LimitState =>
  (state['limit'] ??= { run: crypto.randomUUID(), reserved: {}, warnings: {} } satisfies LimitState) as LimitState; // only this file writes it

const nameOf = ({ name, unit }: Limit): string => name ?? unit;
const isMetered = ({ unit }: Limit): boolean => unit === 'tokens' || unit === 'cost';

const keyOf = ({ per = 'user' }: Limit, { requestContext, messages, messageList, state }: HookArgs): string => {
  const newest = (messages ?? messageList?.get.all.db() ?? []).findLast(isUserSide);
  const resourceId = text(requestContext?.get('mastra__resourceId')) ?? newest?.resourceId;
  const threadId = text(requestContext?.get('mastra__threadId')) ?? newest?.threadId;
  if (typeof per === 'function') return per({ requestContext, resourceId, threadId }) ?? anonymous;
  return { user: resourceId, thread: threadId, run: stateOf(state).run, all: 'all' }[per] ?? anonymous;
};

const anonymous = 'anonymous';
const sharedBudget =
  "limitGuard: a run has no user, so it shares the budget `anonymous` with all such runs. Set the call's `memory: { thread, resource }`, or `mastra__resourceId` in `requestContext`; with guardedToolLoop in `guardOptions.requestContext`. If the budget is meant for all, set `per: 'all'`.";
const text = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);

/** The message to the model about a limit that is nearly reached. */
const warningOf = (limit: Limit, left: unknown): string | undefined => {
  const { remainingPoints: remaining, consumedPoints: used } = Object(left) as Partial<Record<string, unknown>>;
  if (limit.warnAt === undefined || typeof remaining !== 'number' || typeof used !== 'number') return undefined;
  if (used < limit.warnAt * (used + remaining)) return undefined;
  return `The limit of ${nameOf(limit)} is nearly reached: ${remaining} of ${used + remaining} are left. Finish now: answer with what you have, and say what is missing.`;
};

const withWarnings = ({ warnings }: LimitState, systemMessages: ProcessInputStepArgs['systemMessages']) => {
  const content = Object.values(warnings).filter(Boolean).join('\n');
  return content === '' ? undefined : { systemMessages: [...systemMessages, { role: 'system' as const, content }] };
};

/** Takes points, and returns the limiter's account. If too few are left, takes none and returns a detection. */
const consume = async (
  limit: Limit,
  key: string,
  points: number,
): Promise<{ readonly left?: unknown; readonly rejected?: Detection<LimitMetadata> }> => {
  try {
    return { left: await limit.limiter.consume(key, points) };
  } catch (error) {
    const { msBeforeNext } = Object(error) as { msBeforeNext?: unknown };
    if (error instanceof Error || typeof msBeforeNext !== 'number') throw error;
    await limit.limiter.reward(key, points); // the limiter counts a rejection as well
    const metadata = { limit: nameOf(limit), unit: limit.unit, retryAfterMs: msBeforeNext };
    return { rejected: { reason: `The limit of ${nameOf(limit)} is reached.`, metadata } };
  }
};

/** Gives back reserved points that were not used, or takes missing ones. A call without usage keeps its reservation. */
const settle = async (
  limit: Limit | undefined,
  { key, points, usage }: { key: string; points: number; usage: Usage },
): Promise<void> => {
  if (!limit || !isMetered(limit)) return;
  const used = limit.priceOf ? limit.priceOf(usage) : (usage.totalTokens ?? (usage.inputTokens ?? 0) + (usage.outputTokens ?? 0));
  if (!Number.isFinite(used) || used <= 0) return;
  const more = Math.ceil(used) - points;
  if (more > 0) await limit.limiter.penalty(key, more);
  if (more < 0) await limit.limiter.reward(key, -more);
};
