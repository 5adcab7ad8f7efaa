import type { Processor } from '@mastra/core/processors';
import type { PhaseName, PhasePayload } from '../../schemas/phase-payload.js';
import type { Verdict } from '../verdict.js';
import type { Awaitable } from './awaitable.js';
import type { Host } from './host.js';
import { refreshed, type MessageInfo, type SettleOptions } from './settle-messages.js';

export type Phase = PhaseName;

/** The payload of a phase; without a type argument, of any phase. */
export type PhaseData<P extends Phase = Phase> = Extract<PhasePayload, { phase: P }>;

/** The name of a processor hook. */
export type HookName = {
  [K in keyof Processor]-?: NonNullable<Processor[K]> extends (...args: never[]) => unknown
    ? K extends `process${string}`
      ? K
      : never
    : never;
}[keyof Processor];

/** A row's hook of a processor that implements it. */
type Hook<H extends HookName> = NonNullable<Processor[H]>;

/** Context that every hook receives besides its phase's own arguments, on every path. */
export type HookContext = Omit<Parameters<Hook<'processInput'>>[0], 'messages' | 'messageList' | 'systemMessages'> & {
  state: Record<string, unknown>;
  /** The id of the response's current message. */
  messageId?: string | undefined;
  /** Whether the host applies stream guards' rulings about tool calls; undefined in Mastra's own agent. */
  heedsRulings?: boolean;
};

/** One processor's state in one run. */
export interface ProcessorSlot {
  /** The processor's own object, the same in every hook. */
  readonly state: Record<string, unknown>;
  /** The chunks it got so far, in order. */
  readonly streamParts: unknown[];
}

/** One call of a hook: the processor, the payload and the run. */
export interface HookCall<P extends Phase, H extends HookName> {
  readonly processor: Processor & Record<H, Hook<H>>;
  readonly data: PhaseData<P>;
  readonly context: HookContext;
  /** The processor's state in the run. */
  readonly slot: ProcessorSlot;
  readonly host: Host;
}

/** Merge information about a payload's fields, for guards that run in parallel. */
interface MergeInfo {
  /** Fields that a hook may change in place: in a parallel block each branch gets its own copies. */
  readonly copied?: readonly string[];
  /** Fields that are merged as a whole, whatever their content; `tools.*` is each entry of `tools`. */
  readonly whole?: readonly string[];
}

/**
 * One row of the phase table: all facts about a phase. Adding a phase means adding a row and its schema.
 *
 * As `PhaseRow<P>` it is a row as the engine sees it: `invoke` is only called with a processor that has the row's hook.
 */
export interface PhaseRow<P extends Phase = Phase, H extends HookName = HookName> {
  readonly phase: P;
  readonly hook: H;
  /** The frequency of the hook's calls. */
  readonly cadence: 'once' | 'step' | 'call' | 'chunk' | 'tool' | 'error';
  /** The agent's array for processors with this hook. */
  readonly lane: 'input' | 'output' | 'error';
  /** The target of the loop after a granted retry. */
  readonly retryLeadsTo: 'input' | 'step' | 'call' | 'extra-step';
  /** The state of the loop in which the hook is called, as in run events. */
  readonly loopState: string;
  /** Whether a guard that only judges may do so during the model call. */
  readonly mayOverlap?: true;
  /** The title in the studio and the reference. */
  readonly title: string;
  /** The messages of the payload; absent if it has none. */
  readonly carries?: MessageInfo;
  /** The payload with the current messages of its list; absent if it has no messages. Default: made from `carries`. */
  refresh?(data: PhaseData<P>, host: Host): PhaseData<P>;
  /** Merge information about the payload's fields other than messages. */
  readonly merge?: MergeInfo;
  /** Fields that hooks only read. A guard with a payload of its own, such as a shadow guard, gets copies. */
  readonly onlyRead?: readonly string[];
  /** The meaning of absent fields, e.g. all tools if none are named: a branch that names some removes the others. */
  implies?(data: PhaseData<P>): Partial<PhaseData<P>>;
  /** Whether this hook has nothing (more) to do with the payload. */
  skips?(data: PhaseData<P>, processor: Processor): boolean;
  /** Calls the hook with its arguments. */
  invoke(call: HookCall<P, H>): unknown;
  /** Reads the hook's result; throws an InterlockError for an invalid one. */
  settle(returned: unknown, options: SettleOptions<PhaseData<P>>): Awaitable<Verdict<PhaseData<P>>>;
}

/** A row of a phase with its own hook. */
export type AnyRow<P extends Phase> = { [H in HookName]: PhaseRow<P, H> }[HookName];

/** Defines a row; its type keeps the phase and the hook. */
export const definePhase = <P extends Phase, H extends HookName>(row: PhaseRow<P, H>): PhaseRow<P, H> => {
  const { carries } = row;
  return carries ? { refresh: (data, host) => refreshed(data, host, carries), ...row } : row;
};
