import type { Processor, ProcessorContext } from '@mastra/core/processors';

import type { GuardTraits } from '../../src/guard/traits.js';
import { aFunction, aName, asGuardFault, fieldsOf, oneOf, type OptionKind, throwFaults } from '../../src/option-kind.js';
import { safely } from '../../src/phase/awaitable.js';

/** The common options of all built-in guards. */
export interface GuardOptions {
  /** Processor id; two guards of one kind in a pipeline need two ids. Default: the guard's own, listed at each guard. */
  id?: string;
  /** Called for every detection, even if the strategy does not block. Its errors are ignored, as in Mastra. */
  onViolation?: Processor['onViolation'];
}

/** A processor with the named hooks, in Mastra's types for them, and with its traits. */
export type GuardProcessor<Hook extends keyof Processor, Metadata = unknown> = Processor<string, Metadata> &
  Required<Pick<Processor<string, Metadata>, Hook>> & { readonly traits?: GuardTraits };

/** A guard's action on a detection: stop the run, or only report it to `onViolation`. */
export type JudgeStrategy = 'block' | 'warn';

/** An editing guard's action on a detection: stop the run, remove it from the text, or only report it. */
export type EditStrategy = JudgeStrategy | 'redact';

/** The traits of a built-in guard: all of them work on any host, and check in the stream what their later hooks check. */
const deciding = (...decides: NonNullable<GuardTraits['decides']>): GuardTraits => ({
  decides,
  portable: true,
  checksStream: true,
});

/** The decisions of a guard by strategy, for `verify`. An editing guard blocks content that it cannot edit. */
export const traitsOf: Readonly<Record<EditStrategy, GuardTraits>> = {
  block: deciding('trip'),
  warn: deciding(),
  redact: deciding('edit', 'trip'),
};

/** Traits of a guard that requests another attempt. */
export const retrying = deciding('retry');

/**
 * The result of a hook that changes nothing. Mastra and Interlock both accept `undefined`, although the interface's types do not
 * allow it for every hook. The alternatives are worse in Mastra's own agent: an empty array from `processOutputStep` removes the
 * conversation, and the input array undoes changes of a parallel branch.
 */
export const unchanged = undefined as never;

/** The kind of each option of a guard; a missing row does not compile. */
export type KindsOf<Options> = { readonly [Name in keyof Options]-?: OptionKind };

/** The default id and name of the guards of one kind, and the kinds of their options. */
export const guardForm = <Options extends GuardOptions>(
  [id, name]: readonly [string, string],
  own: KindsOf<Omit<Options, keyof GuardOptions>>,
) => {
  const kinds = { id: aName, onViolation: aFunction, ...own };
  return {
    kinds,
    check: (options: object): void => checkOptions(id, options, kinds),
    /** A guard that has no hooks yet. */
    open: <Metadata>(options: GuardOptions, description: string): Processor<string, Metadata> => ({
      id: options.id ?? id,
      name,
      description,
      onViolation: options.onViolation,
    }),
  };
};

const judgeStrategyNames: JudgeStrategy[] = ['block', 'warn'];
const editStrategyNames: EditStrategy[] = [...judgeStrategyNames, 'redact'];
export const judgeStrategies = oneOf(...judgeStrategyNames);
export const editStrategies = oneOf(...editStrategyNames);

/**
 * Rejects options that a guard would misread or ignore: a limit that is not a number would never be reached, and a misspelt name
 * would have no effect. Raises one error for all of them: `guard/unknown-option`, `guard/invalid-option`.
 *
 * @param guard The guard's default id, for errors.
 */
export const checkOptions = (guard: string, options: object, kinds: Readonly<Record<string, OptionKind>>): void =>
  throwFaults(fieldsOf(kinds).faultsOf(options, guard).map(asGuardFault));

/** A guard's finding. Neither field repeats the content: both end up in logs, traces and on the client. */
export interface Detection<Metadata> {
  reason: string;
  metadata: Metadata;
}

/** Stops the run for a detection. The runner calls `onViolation`. */
export const block = <Metadata>(detection: Detection<Metadata>, { abort }: ProcessorContext<Metadata>): never =>
  abort(detection.reason, { retry: false, metadata: detection.metadata });

/** Reports a detection that does not stop the run to `onViolation`. */
export const report = async <Metadata>(guard: Processor, { reason, metadata }: Detection<Metadata>): Promise<void> => {
  await safely(() => guard.onViolation?.({ processorId: guard.id, message: reason, detail: metadata }));
};

/** Makes the end of a judging hook: applies the strategy to a detection, if any. */
export const judgeWith =
  <Metadata>(guard: Processor, strategy: JudgeStrategy) =>
  (detection: Detection<Metadata> | undefined, context: ProcessorContext<Metadata>): Promise<never> => {
    if (!detection) return unchanged;
    if (strategy === 'block') return block(detection, context);
    return report(guard, detection).then(() => unchanged);
  };
