import type { Chunk } from '../../loop/ports.js';
import type { Run } from '../../loop/run.js';
import { mayRejectCalls } from '../../loop/judge.js';
import { findTool } from './tools.js';
import { safely } from '../safely.js';

export interface StreamedInputTool {
  onInputStart?: (event: never) => unknown;
  onInputDelta?: (event: never) => unknown;
}

interface InputPayload {
  readonly toolCallId: string;
  readonly toolName?: string;
  readonly argsTextDelta?: string;
}

/**
 * Passes arguments to tools while they stream. When a guard may still reject the call, its tool gets them with the accepted
 * call, see `runTool`.
 */
export const createToolNotifier = (runOf: () => Run | undefined): ((chunk: Chunk) => void) => {
  const names = new Map<string, string>();
  return ({ type, payload }) => {
    if (type !== 'tool-call-input-streaming-start' && type !== 'tool-call-delta') return;
    const run = runOf();
    if (!run || mayRejectCalls(run)) return; // buffered by an earlier run segment, which has already passed it on
    const { attempt, list, signal: abortSignal } = run;
    const { toolCallId, toolName = names.get(toolCallId) ?? '', argsTextDelta } = payload as InputPayload;
    names.set(toolCallId, toolName);
    const tool = attempt && (findTool(attempt.settings, toolName)?.[1] as StreamedInputTool | undefined);
    const isStart = type === 'tool-call-input-streaming-start';
    const listener = isStart ? tool?.onInputStart : tool?.onInputDelta;
    if (!listener) return;
    const event = { toolCallId, messages: list.get.input.aiV5.model(), abortSignal };
    void safely(listener, isStart ? event : { ...event, inputTextDelta: argsTextDelta });
  };
};
