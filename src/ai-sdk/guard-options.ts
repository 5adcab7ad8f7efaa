import type { LoopLimits } from '../loop/machine.js';
import {
  didYouMean,
  throwFaults,
  abortSignal,
  aBoolean,
  aCount,
  anObject,
  functionOf,
  isObject,
  kind,
  listOf,
  oneOf,
  type OptionKind,
  type ValueOf,
} from '../option-kind.js';
import { aWindow } from '../guard/policy/guard-policy.js';
import { ownOptions } from '../mastra/options/own-options.js';
import type { RunScope } from '../phase/scope.js';
import { phaseNames } from '../phase/table.js';
import type { GuardedRunEvent } from './events.js';

/** The options of a guarded run and their kinds. Their types are inferred from here; the comment of a row is the option's. */
export const guardOptionKinds = {
  /** Maximum number of retries that guards may request, in the whole run. Default 0. */
  maxProcessorRetries: aCount,
  /** Maximum number of failed model calls that `processAPIError` may repeat, in the whole run. Default 10. */
  maxErrorRetries: aCount,
  /**
   * When a model's text is emitted. `'chunk'`: each chunk once the stream guards have passed it. `'step'`: a whole step once all its
   * guards have judged it. Emitted text cannot be retracted in the AI SDK: such an attempt is not repeated, and a later edit of it fails
   * the run. A generated response is always emitted as a whole. Default `'step'` if a guard judges whole responses or a retry may be
   * granted, else `'chunk'`; a stream of `guardedToolLoop` is emitted as a whole if a guard judges the result. Guards that check the
   * stream (`traits.checksStream`) or only read hold nothing.
   */
  hold: oneOf('chunk', 'step'),
  /**
   * The window of stream guards without their own: how much of the stream such a guard checks at a time. `'delta'`: each chunk as it
   * comes. Default `'sentence'`, at most 400 characters.
   */
  window: aWindow,
  /**
   * Maximum number of characters that guards with windows may hold at one place of the pipeline, at least 1; a run that needs more ends
   * with `release/hold-exceeded`. Default 1,000,000.
   */
  maxHeldChars: ownOptions.maxHeldChars.call,
  /**
   * Phases whose hooks may stay uncalled, because others guard them: `['toolResult']` for tools that are guarded elsewhere. Default:
   * none, so that a hook that no adapter calls is rejected.
   */
  uncalled: listOf(oneOf(...phaseNames)),
  /** Whether callers get the complete error of a failed model call, including quotations of the prompt. Default `false`. */
  serveErrorDetails: ownOptions.serveErrorDetails.config,
  /** The `requestContext` of hooks. */
  requestContext: kind<NonNullable<RunScope['requestContext']>>('an object', isObject),
  /**
   * The effect on a streamed run when its last reader cancels, as a server does after its client disconnects, unless a caller waits for
   * the result: `'stop'` ends it like an `abortSignal`, `'finish'` lets it continue to its end. For `guardedToolLoop`, and for
   * `streamText` with {@link GuardedRun.watch}. Default: as in the AI SDK, the run pauses until it is read.
   */
  onReaderCancel: ownOptions.onReaderCancel.call,
  /**
   * Whether `stream` of a result shows a tripwire to the AI SDK's functions for UI messages, instead of its `error` part: for
   * `DirectChatTransport`, and for the function `toUIMessageStream`. The methods of a result and `createAgentUIStream` always show it.
   */
  tripwireParts: aBoolean,
  /** Cancels the run; pass the same signal to the AI SDK's function. */
  abortSignal,
  /**
   * Called with verdicts, bypasses, retries, conflicts, stale verdicts, dropped edits and slow steps. Its errors never disturb the run.
   */
  onEvent: functionOf<(event: GuardedRunEvent) => void>(),
} as const;

/** The options of a guarded run. */
export type GuardOptions = {
  -readonly [Name in keyof typeof guardOptionKinds]?: ValueOf<(typeof guardOptionKinds)[Name]>;
};

/** The limits of a run. The AI SDK counts the steps itself. */
export const limitsOf = ({
  maxProcessorRetries: maxRetries = 0,
  maxErrorRetries: maxRecoveries = 10,
}: GuardOptions): LoopLimits => ({
  maxSteps: Number.MAX_SAFE_INTEGER,
  maxRetries,
  maxRecoveries,
  models: 1,
});

/**
 * Raises `ai-sdk/invalid-option`, for all unknown options and invalid values together.
 *
 * @param more Options of the adapter.
 */
export const checkGuardOptions = (options: object, more: Readonly<Record<string, OptionKind>> = {}, path = 'options'): void => {
  checkObject(options, path);
  const kinds = new Map<string, OptionKind>(Object.entries({ ...guardOptionKinds, ...more }));
  const faults = Object.entries(options).flatMap(([name, value]) => {
    if (value === undefined) return [];
    const known = kinds.get(name);
    if (known) return known.faultsOf(value, name);
    return [{ path: name, detail: didYouMean(name, kinds.keys()) ?? 'there is no such option.' }];
  });
  throwFaults(faults.map(asFault));
};

/** Raises `ai-sdk/invalid-option` for an argument that is no object. */
export const checkObject = (value: unknown, path: string): void => throwFaults(anObject.faultsOf(value, path).map(asFault));

const asFault = <Fault extends object>(fault: Fault) => ({ code: 'ai-sdk/invalid-option' as const, ...fault });
