import type { z } from 'zod';
import type { LoopLimits } from '../loop/machine.js';
import { refuseFaults } from '../mastra/option-fault.js';
import {
  abortSignal,
  either,
  faultsOf,
  functionOf,
  kind,
  listOf,
  oneOf,
  wholeNumberFrom,
} from '../mastra/options/option-schemas.js';
import { ownOptions } from '../mastra/options/own-options.js';
import type { RunScope } from '../phase/scope.js';
import { phaseNames } from '../phase/table.js';
import type { GuardedRunEvent } from './events.js';

const count = either(
  wholeNumberFrom(0),
  kind<number>('Infinity', (value) => value === Infinity),
);

/** The options of a guarded run, and what each takes. Their types are inferred from here; the comment of a row is the option's. */
export const guardOptionSchemas = {
  /** Attempts that guards may reject and have made again, in the whole run. Default 0. */
  maxProcessorRetries: count,
  /** Failed model calls that `processAPIError` may have made again, in the whole run. Default 10. */
  maxErrorRetries: count,
  /**
   * When a model's words leave. `'chunk'`: each as soon as the stream's guards have passed it. `'step'`: all of a step's
   * together, when all of its guards have judged. What has left cannot be taken back in the AI SDK: such an attempt is not made
   * again, and a later edit of it fails the run. A generated answer always leaves as a whole. Default `'step'` where a guard
   * judges whole answers or a retry may be granted, else `'chunk'`; a stream of `guardedToolLoop` leaves as a whole where a guard
   * judges the result.
   */
  hold: oneOf('chunk', 'step'),
  /**
   * The most characters of an answer that guards with windows may hold at one place of the pipeline, at least 1; a run that needs
   * more ends with `release/hold-exceeded`. Default 1,000,000.
   */
  maxHeldChars: ownOptions.maxHeldChars.call,
  /**
   * Phases whose hooks may stay uncalled, because they never come in these runs, or because others guard them: `['toolResult']` for
   * a model that is called without tools. Default: none, so that a hook that no adapter calls is refused.
   */
  uncalled: listOf(oneOf(...phaseNames)),
  /** Whether the error of a failed model call reaches callers whole, with what it quotes of the prompt. Default `false`. */
  serveErrorDetails: ownOptions.serveErrorDetails.config,
  /** What hooks are handed as `requestContext`. */
  requestContext: kind<NonNullable<RunScope['requestContext']>>(
    'an object',
    (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  ),
  /**
   * What becomes of a streamed run when its last reader cancels, as a server does whose client has disconnected, unless something waits
   * for the result: `'stop'` ends it as an `abortSignal` does, `'finish'` lets it go on to its end. For `guardedToolLoop`, and for
   * `streamText` with {@link GuardedRun.watch}. Default: as in the AI SDK, the run pauses until something reads it.
   */
  onReaderCancel: ownOptions.onReaderCancel.call,
  /** Ends the run when the caller gives up; pass the same to the AI SDK's function. */
  abortSignal,
  /** Called with verdicts, bypasses, retries, conflicts, stale verdicts, dropped edits and slow steps. What it throws never disturbs the run. */
  onEvent: functionOf<(event: GuardedRunEvent) => void>(),
} as const;

/** How a guarded run behaves. */
export type GuardOptions = {
  -readonly [Name in keyof typeof guardOptionSchemas]?: z.output<(typeof guardOptionSchemas)[Name]>;
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

/** Raises `ai-sdk/invalid-option`, for all values that cannot be used. */
export const checkGuardOptions = (options: GuardOptions): void =>
  refuseFaults(
    Object.entries(guardOptionSchemas).flatMap(([name, schema]) => {
      const value: unknown = options[name as keyof GuardOptions]; // a name of that table
      const faults = value === undefined ? [] : faultsOf(schema, value, name);
      return faults.map((fault) => ({ code: 'ai-sdk/invalid-option', ...fault }) as const);
    }),
  );
