import type { RunOptions, Run as LoopRun } from '../loop/run.js';
import type { ToolCall } from '../loop/tool-call.js';
import type { Phase } from '../phase/row.js';
import type { Reports, RunScope } from '../phase/scope.js';
import type { AnyMessage, Chunk } from './spec.js';

/** The parts of a run of the loop that its recording replaces. */
type TracedCall = Pick<RunOptions, 'ports' | 'lanes' | 'tracer'>;

/** The trace of a guarded run: its calls of the model, and the guards and tools between them. */
export interface RunTrace {
  /** Receives the reports of all guards. */
  readonly reports: Reports;
  /** Records the guards between the calls of the model. */
  readonly openSpan: RunScope['openSpan'];
  /** Starts it with the caller's messages, or continues it after its end. */
  begin(messages: readonly AnyMessage[]): Promise<void>;
  /** A state that the AI SDK's loop reaches between calls of the model. */
  enter(state: string): void;
  /** The tools of a step are over. */
  closeStep(): void;
  /** The guards of a phase are about to judge between calls of the model. */
  asked(phase: Phase): void;
  /** Records a call of the model, which is a run of the loop. */
  follow(parts: TracedCall, loopOf: () => LoopRun): TracedCall;
  /** A call of the model is over. */
  endCall(loop: LoopRun): void;
  /** Records an emitted chunk. */
  show(chunk: Chunk): void;
  /** Records a call of a tool. Returns a function for its outcome. */
  startTool(call: ToolCall): (outcome: 'result' | 'error', value: unknown) => Promise<void>;
  /** Ends it, if no call of the model is under way. */
  endCalls(failure?: { readonly error: unknown }): void;
  /** Ends it; the first call counts. */
  end(failure?: { readonly error: unknown }): void;
}
