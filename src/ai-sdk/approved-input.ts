import type { Instructions, ModelMessage } from 'ai';
import type { ToolCall, CallRuling } from '../loop/tool-call.js';
import type { AnyMessage } from './spec.js';

/** The guards' version of calls, and their rulings about them, by their ids; without the calls that guards removed. */
export type JudgedCalls = ReadonlyMap<string, { readonly call: ToolCall; readonly ruling: CallRuling | undefined }>;

/** The judgement of a conversation whose last message approves calls: the AI SDK runs them before the first step. */
export interface ApprovedInput {
  readonly messages: readonly ModelMessage[];
  readonly instructions: Instructions | undefined;
  /** The messages with the instructions. */
  readonly given: readonly AnyMessage[];
  /** The guards' version of them; the same array if nothing changed. */
  readonly input: Promise<readonly AnyMessage[]>;
  /** Undefined until their step is judged. */
  calls: Promise<JudgedCalls> | undefined;
}
