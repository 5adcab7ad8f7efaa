import { klona } from 'klona/full';
import type { Chunk, DataPart } from './ports.js';
import { isOver, type Run, type Attempt } from './run.js';
import { InterlockError } from '../errors.js';
import { copyPlain } from '../phase/plain-data.js';
import type { ProviderResult, ToolCall, WaitingCall } from './tool-call.js';

/** A chunk that the loop creates. */
export const agentChunk = (run: Run, type: string, payload: unknown): Chunk => ({
  type,
  runId: run.options.runId,
  from: 'AGENT',
  payload,
});

/** Fields of the payloads of Mastra's chunks, by the type of the chunk. */
interface ChunkPayloads {
  'text-delta': { readonly id: string; readonly text: string };
  'tool-call': ToolCall;
  'tool-result': ProviderResult;
  'tool-call-input-streaming-start': {
    readonly toolCallId: string;
    readonly toolName?: string;
    readonly argsTextDelta?: undefined;
  };
  'tool-call-delta': { readonly toolCallId: string; readonly toolName?: string; readonly argsTextDelta?: string };
}

/** Whether a chunk has a type, and with it the payload of the type. */
export const isChunk = <Type extends keyof ChunkPayloads>(
  chunk: Chunk,
  type: Type,
): chunk is Chunk & { type: Type; payload: ChunkPayloads[Type] } => chunk.type === type;

/**
 * Emits an activity's chunk. Returns a promise if the reader is behind. Chunks from activities of a finished or canceled run are
 * discarded.
 */
export const emit = (run: Run, chunk: Chunk): Promise<void> | undefined => (isOver(run) ? undefined : publish(run, chunk));

/** Emits a chunk of the driver itself, also after the caller canceled. */
export const publish = (run: Run, chunk: Chunk): Promise<void> | undefined => run.options.streamBuffer.write(chunk);

/** The emitted chunks of an attempt or a step. */
interface EmittedParts {
  readonly partIds: Iterable<string>;
  /** Offset of the first chunk. */
  readonly place: number;
  /** The scope for a reader without part ids: the current step, or the whole run. */
  readonly scope: 'step' | 'run';
  /** Ids of its tool calls that are sent again. */
  readonly resent?: readonly string[];
}

/**
 * Retracts emitted chunks. Buffered ones are dropped without a trace; otherwise stream and record report the retraction. Returns whether
 * they were dropped.
 */
export const retract = async (run: Run, out: EmittedParts): Promise<boolean> => {
  if (run.options.streamBuffer.drop(out.place)) return true;
  const partIds = [...out.partIds];
  if (partIds.length === 0) return false;
  const { attempt, stepNumber } = run.state.counters;
  run.recorder.record({ type: 'retract', partIds });
  await publish(run, {
    type: 'data-interlock-retract',
    runId: run.options.runId,
    from: 'AGENT',
    data: { attempt, stepNumber, partIds, scope: out.scope, ...(out.resent && { resent: out.resent }) },
  });
  return false;
};

/** Raises `phase/invalid-data-part` for a chunk that guards cannot write. */
export const checkDataPart = (chunk: Chunk): void => {
  if (typeof chunk?.type !== 'string' || !chunk.type.startsWith('data-'))
    throw new InterlockError('phase/invalid-data-part', { path: 'writer.custom', detail: `the type is "${chunk?.type}".` });
};

/** A chunk as messages keep it: a data part that is neither transient nor the loop's own. Otherwise empty. */
export const persistedPart = (chunk: Chunk): DataPart[] => {
  const { type, data, transient } = chunk as DataPart & { transient?: boolean };
  return type.startsWith('data-') && !type.startsWith('data-interlock-') && transient !== true
    ? [{ type, data: copyPlain(data) }]
    : [];
};

/** Adds the data parts that guards wrote during an attempt to the response: then they are kept or removed with it. Returns whether there are any. */
export const addWritten = (run: Run, { written }: Attempt): boolean => {
  if (written.length === 0) return false;
  run.options.ports.messages.addData(run.state.list, written.splice(0));
  return true;
};

/** JSON schema of an approval. */
const approvalSchema = JSON.stringify({
  type: 'object',
  properties: { approved: { type: 'boolean' }, reason: { type: 'string' } },
  required: ['approved'],
});

/** A waiting call, as a chunk for Mastra's clients. */
export const waitingChunk = (run: Run, waiting: WaitingCall): Chunk => {
  const { toolCallId, toolName, args } = copyPlain(waiting.call);
  if (waiting.kind === 'approval')
    return agentChunk(run, 'tool-call-approval', { toolCallId, toolName, args, resumeSchema: approvalSchema });
  const { payload, resumeSchema = '', approval } = waiting.displayed ?? waiting.suspension;
  if (approval) {
    const inner = { toolName, args, ...approval };
    return agentChunk(run, 'tool-call-approval', { ...inner, toolCallId, resumeSchema: approvalSchema });
  }
  return agentChunk(run, 'tool-call-suspended', { toolCallId, toolName, args, suspendPayload: klona(payload), resumeSchema });
};
