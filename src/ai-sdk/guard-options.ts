import { InterlockError } from '../errors.js';
import {
  aBoolean,
  aFunction,
  anObject,
  either,
  instanceWith,
  kind,
  listOf,
  oneOf,
  wholeNumberFrom,
  type OptionKind,
} from '../option-kind.js';
import type { Phase } from '../phase/row.js';
import type { RunScope } from '../phase/scope.js';
import { phaseNames } from '../phase/table.js';
import type { GuardedRunEvent } from './events.js';

/** How a guarded run behaves. */
export interface GuardOptions {
  /** Attempts that guards may reject and have made again, in the whole run. Default 0. */
  maxProcessorRetries?: number;
  /** Failed model calls that `processAPIError` may have made again, in the whole run. Default 10. */
  maxErrorRetries?: number;
  /**
   * When a model's words leave. `'chunk'`: each as soon as the stream's guards have passed it. `'step'`: all of a step's together,
   * when all of its guards have judged. What has left cannot be taken back in the AI SDK: such an attempt is not made again, and
   * a later edit of it fails the run. A generated answer always leaves as a whole. Default `'step'` where a guard judges whole answers or a retry may be granted, else `'chunk'`.
   */
  hold?: 'chunk' | 'step';
  /**
   * The most characters of an answer that guards with windows may hold at one place of the pipeline, at least 1; a run that needs
   * more ends with `release/hold-exceeded`. Default 1,000,000.
   */
  maxHeldChars?: number;
  /**
   * Phases whose hooks may stay uncalled, because they never come in these runs, or because others guard them: `['toolResult']` for
   * a model that is called without tools. Default: none, so that a hook that no adapter calls is refused.
   */
  uncalled?: readonly Phase[];
  /** Whether the error of a failed model call reaches callers whole, with what it quotes of the prompt. Default `false`. */
  serveErrorDetails?: boolean;
  /** What hooks are handed as `requestContext`. */
  requestContext?: RunScope['requestContext'];
  /**
   * What becomes of a streamed run when its last reader cancels, as a server does whose client has disconnected, unless something waits
   * for the result: `'stop'` ends it as an `abortSignal` does, `'finish'` lets it go on to its end. For `guardedToolLoop`, and for
   * `streamText` with {@link GuardedRun.watch}. Default: as in the AI SDK, the run pauses until something reads it.
   */
  onReaderCancel?: 'stop' | 'finish';
  /** Ends the run when the caller gives up; pass the same to the AI SDK's function. */
  abortSignal?: AbortSignal;
  /** Told of verdicts, bypasses, retries, conflicts, stale verdicts, dropped edits and slow steps. What it throws never disturbs the run. */
  onEvent?: (event: GuardedRunEvent) => void;
}

const count = either(
  wholeNumberFrom(0),
  kind('Infinity', (value) => value === Infinity),
);

/** What each option of a guarded run takes. */
export const guardOptionKinds = {
  maxProcessorRetries: count,
  maxErrorRetries: count,
  hold: oneOf('chunk', 'step'),
  maxHeldChars: wholeNumberFrom(1),
  uncalled: listOf(oneOf(...phaseNames)),
  serveErrorDetails: aBoolean,
  requestContext: anObject,
  onReaderCancel: oneOf('stop', 'finish'),
  abortSignal: instanceWith('addEventListener', 'an AbortSignal'),
  onEvent: aFunction,
} as const satisfies Record<keyof GuardOptions, OptionKind>;

/** Raises `ai-sdk/invalid-option`. */
export const checkGuardOptions = (options: GuardOptions): void => {
  for (const [name, taken] of Object.entries(guardOptionKinds)) {
    const value: unknown = options[name as keyof GuardOptions]; // a name of that table
    const fault = value === undefined ? undefined : taken.faultOf(value, name);
    if (fault) throw new InterlockError('ai-sdk/invalid-option', { path: fault.path, detail: fault.detail });
  }
};
