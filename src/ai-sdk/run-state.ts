import type { Instructions, ModelMessage, ToolCallRepairFunction, ToolSet } from 'ai';
import type { Host } from '../phase/host.js';
import type { ProviderLimits } from '../loop/provider-clock.js';
import type { Part, StoredPart } from '../plain/stored-message.js';
import type { ToolCall, CallRuling } from '../loop/tool-call.js';
import type { Answers } from './conversation.js';
import type { StepRequest } from './drop-requests.js';
import type { RunTrace } from './run-trace.js';
import type { AnyMessage } from './spec.js';
import type { PreparedStep } from './step.js';
import type { StopError } from './stop-errors.js';

/** An adapter for the AI SDK. */
export type Adapter = 'withGuards' | 'toPrepareStep' | 'guardTools' | 'toStreamTransform';

/** The judged version of the caller's messages. */
export interface JudgedInput {
  /** The adapter that judged them. It also forwards the results. */
  readonly by: Adapter;
  /** The replacements of messages, by their original key; see `rewritten`. */
  readonly rewrites: ReadonlyMap<string, readonly AnyMessage[]>;
  /** The system messages, if guards changed them. */
  readonly system: readonly AnyMessage[] | undefined;
  readonly users: readonly (readonly StoredPart[])[]; // the content of each message of the user
}

/** The guards' version of calls, and their rulings about them, by their ids; without the calls that guards removed. */
export type RuledCalls = ReadonlyMap<string, { readonly call: ToolCall; readonly ruling: CallRuling | undefined }>;

/** The judgement of a conversation whose last message approves calls: the AI SDK runs them before the first step. */
export interface ApprovedInput {
  readonly messages: readonly ModelMessage[];
  readonly instructions: Instructions | undefined;
  /** The messages with the instructions. */
  readonly given: readonly AnyMessage[];
  /** The guards' version of them; the same array if nothing changed. */
  readonly input: Promise<readonly AnyMessage[]>;
  /** Undefined until their step is judged. */
  calls: Promise<RuledCalls> | undefined;
}

/** A step that the AI SDK has recorded. Its other fields are computed from these. */
export interface RecordedStep {
  readonly content: readonly Part[];
  readonly providerMetadata?: unknown;
  readonly request: StepRequest;
  readonly response: { readonly messages: readonly ModelMessage[]; readonly body?: unknown };
}

/** The settings of the AI SDK that change a tool call. The run applies them before its guards, in place of the AI SDK. */
export interface CallSettings {
  readonly repairToolCall?: ToolCallRepairFunction<ToolSet>;
  readonly experimental_repairToolCall?: ToolCallRepairFunction<ToolSet>;
  readonly experimental_refineToolInput?: Readonly<Record<string, ((input: never) => unknown) | undefined>>;
}

/** The changing part of a run, as a value; `Run.change` replaces it. */
export interface GuardedState {
  /** The host of the guards; set when the run starts. */
  readonly host?: Host | undefined;
  readonly trace?: RunTrace | undefined; // if the process is observed
  readonly chunkTimeouts?: ProviderLimits | undefined;
  /** See {@link takeCallSettings}. */
  readonly callSettings: CallSettings;
  readonly instructions?: Instructions | undefined; // of the call, if `guardSettings` got them
  /** Set once the caller's messages were judged. */
  readonly input?: JudgedInput | undefined;
  readonly approved?: ApprovedInput | undefined; // of the last call with approved calls
  readonly approvedCalls?: ReadonlyMap<string, ToolCall>; // those that run before the first step
  readonly prepared?: PreparedStep; // the last one
  readonly answers?: Answers | undefined; // for each answer in a prepared step's messages, whether the run generated it
  readonly stepNumber: number; // of the current step, from 0
  readonly isAnswered: boolean; // whether the model has responded in it
  readonly steps: readonly RecordedStep[]; // the accepted ones
  readonly retries: number;
  readonly recoveries: number;
  /** Whether the steps are emitted only after the run is over. */
  readonly holdsResult: boolean;
  /** Judges the last response as the run's result, if that was not done. */
  readonly judgeLast?: (() => Promise<void>) | undefined;
  readonly error?: StopError | undefined;
  readonly failure?: { readonly error: unknown } | undefined; // the error that a stream ended with
}

export const initialState: GuardedState = {
  callSettings: {},
  stepNumber: 0,
  isAnswered: false,
  steps: [],
  retries: 0,
  recoveries: 0,
  holdsResult: false,
};

/** The guards' judgement of a call of a tool. */
interface JudgedCall {
  /** Whether the guarded model made it, with the arguments that guards judged. */
  readonly isOwn?: boolean;
  readonly args?: unknown;
  readonly ruling?: CallRuling;
  /** The judgement of arguments that no guarded model made, until their tool runs. */
  readonly judging?: { readonly args: unknown; readonly judged: Promise<unknown> } | undefined;
}

/** The judged calls of a run, by their ids. */
export interface JudgedCalls {
  readonly calls: Map<string, JudgedCall>;
}

/** Changes the judgement of a call. */
export const setJudged = ({ calls }: JudgedCalls, toolCallId: string, fields: JudgedCall): void =>
  void calls.set(toolCallId, { ...calls.get(toolCallId), ...fields });

/** The guards' ruling about a call that does not simply run. */
export const rulingOf = ({ calls }: JudgedCalls, toolCallId: string): CallRuling | undefined => calls.get(toolCallId)?.ruling;
