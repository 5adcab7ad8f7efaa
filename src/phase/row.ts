import type { Processor } from '@mastra/core/processors';
import type { PhaseName, PhasePayload } from '../../schemas/index.js';
import type { Verdict } from '../verdict.js';
import type { Awaitable } from './awaitable.js';
import type { Host } from './host.js';
import type { ProcessorSlot } from './scope.js';
import type { MessageInfo } from './settle-messages.js';

export type Phase = PhaseName;

/** The payload of a phase; without a type argument, of any phase. */
export type PhaseData<P extends Phase = Phase> = Extract<PhasePayload, { phase: P }>;

/** The name of a hook that a processor may implement. */
export type HookName = {
  [K in keyof Processor]-?: NonNullable<Processor[K]> extends (...args: never[]) => unknown
    ? K extends `process${string}`
      ? K
      : never
    : never;
}[keyof Processor];

/** The hook of a processor that belongs to a row, known to be there. */
export type Hook<H extends HookName> = NonNullable<Processor[H]>;

/** Context that every hook receives besides its phase's own arguments, on every path. */
export type HookContext = Omit<Parameters<Hook<'processInput'>>[0], 'messages' | 'messageList' | 'systemMessages'> & {
  state: Record<string, unknown>;
  /** Whether the host heeds what a guard of the stream rules about a tool call; absent in an agent of Mastra's own. */
  heedsRulings?: boolean;
};

/** One call of a hook: the processor, the payload and the run. */
export interface HookCall<P extends Phase, H extends HookName> {
  readonly processor: Processor & Record<H, Hook<H>>;
  readonly data: PhaseData<P>;
  readonly context: HookContext;
  /** What the processor keeps through the run. */
  readonly slot: ProcessorSlot;
  readonly host: Host;
}

/** What a row needs to read a hook's answer. */
export interface SettleOptions<P extends Phase> {
  readonly data: PhaseData<P>;
  readonly processorId: string;
  readonly host: Host;
}

/** How edits of a payload's fields are kept apart and put together again where guards run side by side. */
interface MergeInfo {
  /** Fields that a hook may change in place: in a parallel block each branch is given copies of its own. */
  readonly copied?: readonly string[];
  /** Fields that are one thing however they look inside, and are taken whole; `tools.*` is each entry of `tools`. */
  readonly whole?: readonly string[];
}

/**
 * One row of the phase table: everything the project knows about a phase. Adding a phase is adding a row and its schema.
 *
 * As `PhaseRow<P>` it is a row as the engine sees it: `invoke` is only ever called with a processor that has the row's hook.
 */
export interface PhaseRow<P extends Phase = Phase, H extends HookName = HookName> {
  readonly phase: P;
  readonly hook: H;
  /** How often the hook is called. */
  readonly cadence: 'once' | 'step' | 'call' | 'chunk' | 'tool' | 'error';
  /** The array of the agent in which a processor with this hook belongs. */
  readonly lane: 'input' | 'output' | 'error';
  /** Where the loop goes when a retry is granted here. */
  readonly retryLeadsTo: 'input' | 'step' | 'call' | 'extra-step';
  /** The state of the loop in which the hook is called, as run events name it. */
  readonly loopState: string;
  /** Whether a guard that only judges may do so here while the model is called already. */
  readonly mayOverlap?: true;
  /** The title in the studio and the reference. */
  readonly title: string;
  /** The messages of the payload; absent if it has none. */
  readonly carries?: MessageInfo;
  /** The payload with the current messages of its list; absent if it has no messages. */
  refresh?(data: PhaseData<P>, host: Host): PhaseData<P>;
  /** Merge information about the payload's fields other than messages. */
  readonly merge?: MergeInfo;
  /** The meaning of absent fields, e.g. all tools if none are named: a branch that names some removes the others. */
  implies?(data: PhaseData<P>): Partial<PhaseData<P>>;
  /** Whether there is nothing (more) for this hook to do with the payload. */
  skips?(data: PhaseData<P>, processor: Processor): boolean;
  /** Calls the hook with its arguments. */
  invoke(call: HookCall<P, H>): unknown;
  /** Reads the hook's result; throws an InterlockError for an invalid one. */
  settle(returned: unknown, settling: SettleOptions<P>): Awaitable<Verdict<PhaseData<P>>>;
}

/** A row of a phase with whichever hook is its own. */
export type AnyRow<P extends Phase> = { [H in HookName]: PhaseRow<P, H> }[HookName];

/** States a row, keeping its phase and hook in its type. */
export const definePhase = <P extends Phase, H extends HookName>(row: PhaseRow<P, H>): PhaseRow<P, H> => row;
