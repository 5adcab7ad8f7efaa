import type { Processor } from '@mastra/core/processors';
import { overPolicy, readPolicy, type GuardPolicy } from '../../guard/policy/guard-policy.js';
import { compileGraph } from '../../pipeline/compile.js';
import { checkProcessor } from '../../pipeline/verify/checks.js';
import type { Host } from '../../phase/host.js';
import type { HookName } from '../../phase/row.js';
import { guardedBy, nodeOf, rememberGuarded, renamed } from './guard-node.js';
import { hooksOf } from './run-hook.js';
import { invalidStep, isProcessorLike } from './to-graph.js';
import { installedHost } from './mastra-host.js';
import { isRecord } from '../../phase/plain-data.js';
import { asGuardFault, throwFaults, aName } from '../../option-kind.js';

/** The hooks before the model's response, in which a guard with `overlap` may only judge. */
type InputHook = 'processInput' | 'processInputStep' | 'processLLMRequest';

type HookArguments<K extends HookName> = Parameters<NonNullable<Processor[K]>>[0];

/** The return type of a hook without edits. Not `void` alone, which also accepts functions with any return value. */
type Nothing = void | undefined | Promise<void | undefined>;

/** A processor that only judges its input: its input hooks return nothing. Its other hooks are unrestricted. */
type InputJudge = Omit<Processor, InputHook> & {
  readonly [K in InputHook]?: (args: HookArguments<K>) => Nothing;
};

/** A processor with a policy: the same hooks, all possibly asynchronous. */
export type GuardedProcessor<P> = {
  readonly [K in keyof P]: K extends HookName ? NonNullable<Processor[K]> : P[K];
};

/** A policy, and the id of the guard in a pipeline. Default: the processor's, which all instances of a class of Mastra's share. */
type GuardOptions = GuardPolicy & { readonly id?: string };

/**
 * Puts a policy around a processor. The result is accepted wherever a processor is: in a pipeline, in the arrays of an
 * {@link InterlockAgent}, in `createStep`, in a workflow of Mastra's, and in Mastra's own agent, where its hooks apply the
 * policy themselves. If the processor already has a policy, from `guard` or as `guardPolicy`, the options are merged and the
 * outer ones win; undefined options are ignored.
 *
 * The state of a policy across runs (breaker, queue, cache) belongs to the returned guard.
 *
 * Raises `guard/unknown-option`, `guard/invalid-option`, `pipeline/invalid-step`, `pipeline/missing-id`, `pipeline/no-hook`; when
 * run, an unavailable guard fails with its own error, or with `guard/unavailable`, `guard/deadline`, `guard/breaker-open`,
 * `guard/busy`.
 *
 * @example
 * const moderation = pipeline('moderation')
 *   .then(guard(toxicity, { deadlineMs: 800, onUnavailable: 'trip', breaker: { failures: 5, halfOpenAfterMs: 30_000 } }))
 *   .then(guard(newToxicity, { shadow: true, sampleRate: 0.1 }))
 *   .commit();
 */
export function guard<P extends Processor>(
  processor: P,
  policy: GuardOptions & { readonly overlap?: false },
): GuardedProcessor<P>;
export function guard<P extends InputJudge>(processor: P, policy: GuardOptions & { readonly overlap: true }): GuardedProcessor<P>;
export function guard(given: Processor | InputJudge, options: GuardOptions): unknown {
  const known = given as Processor; // a judge is a processor, although the host's types exclude hooks that return nothing
  if (!isProcessorLike(known)) throw invalidStep(known, 'guard');
  const { id, ...policyOptions }: Partial<GuardOptions> = isRecord(options) ? options : {};
  const { processor, policy: inner } = id === undefined ? guardedBy(known) : renamed(guardedBy(known), readId(id, known.id));
  checkProcessor(processor, 'guard');
  const policy = readPolicy(overPolicy(inner, isRecord(options) ? policyOptions : options), processor.id);
  const wrapper: Processor = Object.create(processor, Object.getOwnPropertyDescriptors(ownOf(processor, policy)));
  rememberGuarded(wrapper, { processor, policy });
  return wrapper;
}

/**
 * Overrides of the processor's members: hooks that apply the policy when a host calls them. The plan reports violations, so the
 * host does not.
 */
const ownOf = (processor: Processor, policy: GuardPolicy): Partial<Processor> => {
  const plan = compileGraph({ kind: 'sequence', id: processor.id, nodes: [nodeOf({ processor, policy })] });
  let host: Promise<Host> | undefined;
  const { id, name, description, processDataParts, computeStateSignal } = processor;
  return {
    id,
    name,
    description,
    processDataParts,
    onViolation: undefined,
    ...(computeStateSignal && { computeStateSignal: computeStateSignal.bind(processor) }),
    ...(processor['__registerMastra'] && { __registerMastra: (mastra) => processor['__registerMastra']?.(mastra) }),
    ...hooksOf(plan, () => (host ??= installedHost())),
  };
};

/** Validates the id of a guard. Raises `guard/invalid-option`. */
const readId = (id: unknown, path: string): string => {
  throwFaults(aName.faultsOf(id, `${path}.id`).map(asGuardFault));
  return id as string; // a name
};
