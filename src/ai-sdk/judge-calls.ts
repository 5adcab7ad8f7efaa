import { drive } from '../loop/drive.js';
import { withoutPrompt } from '../loop/judge.js';
import { currentAttempt } from '../loop/run.js';
import { type ToolCall, setCall } from '../loop/tool-call.js';
import { createStreamBuffer } from '../stream/stream-buffer.js';
import type { RunEvent } from '../../schemas/index.js';
import { honours } from './adapters.js';
import type { RuledCalls } from './run-state.js';
import { isData, modelCodec } from './chunks.js';
import { onlyPhases, openLoop } from './loop-run.js';
import { finishFor, sourceOf } from './model-port.js';
import type { Run } from './run.js';
import type { AnyMessage, Chunk, StreamPart } from './spec.js';
import { errorOfStop } from './stop-errors.js';

/**
 * Judges calls that no guarded model made, as a response that consists of them: with the guards of the stream and, if the run's model is
 * guarded, those of a step. Throws the error that ends the run. Such a response cannot be made again: a guard's retry ends the run.
 */
export const judgeCalls = async (run: Run, before: readonly AnyMessage[], calls: readonly ToolCall[]): Promise<RuledCalls> => {
  let judged: RuledCalls = new Map();
  /** Before tools would run: none does, see `openLoop`. */
  const onEvent = (event: RunEvent): void => {
    if (event.type !== 'state-enter' || event.state !== 'step.tools') return;
    const { record, calls: made } = currentAttempt(loop);
    const ruled = (record?.toolCalls ?? []).map((call) => ({ call, ruling: made.get(call.toolCallId)?.ruling }));
    judged = new Map(ruled.map((one) => [one.call.toolCallId, one]));
    for (const id of judged.keys()) setCall(made, id, { ruling: undefined, settled: 'client' });
  };
  const written: Chunk[] = [];
  const streamBuffer = createStreamBuffer<Chunk>(1, (chunk) => void (isData(chunk) && written.push(chunk)));
  streamBuffer.drain(); // it has no readers
  const { loop } = openLoop(run, {
    prompt: before,
    streamBuffer,
    plan: onlyPhases(run.plan, (phase) => phase === 'outputStream' || (phase === 'outputStep' && honours(run, phase))),
    mode: 'generate',
    onEvent,
    mayTakeBack: () => false,
    ports: {
      models: [{ model: noModel as never, maxRetries: 0 }], // only its names are read
      callModel: async () => ({ parts: sourceOf(partsOf(calls)) }),
      toChunk: (part, runId) => modelCodec.toChunk(part as StreamPart, runId), // one of the parts above
    },
  });
  await drive(loop);
  run.throwIfStopped();
  run.options.abortSignal?.throwIfAborted();
  if (loop.state.stop) throw run.end(errorOfStop(loop.state.stop, withoutPrompt(loop)));
  if (loop.state.status !== 'success') throw loop.state.error;
  for (const chunk of written) run.showData(chunk);
  return judged;
};

const noModel = { specificationVersion: 'v4', provider: 'none', modelId: 'none' };

function* partsOf(calls: readonly ToolCall[]): Generator<StreamPart, undefined> {
  for (const { toolCallId, toolName, args } of calls)
    yield { type: 'tool-call', toolCallId, toolName, input: JSON.stringify(args ?? {}) };
  yield finishFor('tool-calls');
}
