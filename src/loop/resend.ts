import { agentChunk, publish, retract } from './emit.js';
import { freeId } from './part-ids.js';
import { dataAsText, type PartSnapshot } from './part-snapshot.js';
import type { Chunk, StepRecord } from './ports.js';
import type { Part, Span } from './response.js';
import type { ResponseStep, Run } from './run.js';
import { withoutBody } from './step-record.js';

/** A step of the response with its current parts. */
export interface CurrentStep {
  readonly step: ResponseStep;
  /** Offset of the next step's first chunk. */
  readonly end: number | undefined;
  readonly own: readonly Part[];
  /** Its parts as they were emitted. */
  readonly before: readonly PartSnapshot[];
  readonly isChanged: boolean;
}

/**
 * Makes the stream match a response that guards have edited. The content of a changed step is replaced while it is buffered. If it was
 * emitted, the whole attempt is retracted and its accepted content is sent again: the last step, or all of them if an earlier one changed.
 */
export const resend = async (run: Run, steps: readonly CurrentStep[]): Promise<void> => {
  const { streamBuffer } = run.options;
  const first = steps.findIndex(({ isChanged }) => isChanged);
  const last = steps.at(-1);
  if (first === -1 || !last) return;
  // The last step first, so that the offsets of the others stay valid.
  const emitted = steps.slice(first).findLast((one) => {
    const isBuffered = streamBuffer.revise(one.step.place, one.end, (chunks) => revised(run, one, chunks));
    return one.isChanged && !isBuffered;
  });
  if (!emitted) return;
  streamBuffer.drop(last.step.place); // its buffered content is sent again
  const again = steps.slice(first).length === 1 ? [last] : steps;
  await retractSteps(run, again);
  for (const one of again) {
    one.step.place = streamBuffer.offset;
    for (const chunk of contentOf(run, one)) await publish(run, chunk);
  }
};

const retractSteps = async (run: Run, steps: readonly CurrentStep[]): Promise<void> => {
  const parts = steps.flatMap(({ own }) => own);
  const resent = parts.flatMap((part) => (part.type === 'tool-invocation' ? part.toolInvocation.toolCallId : []));
  const partIds = steps.flatMap(({ step }) => [...step.partIds]);
  const place = steps[0]?.step.place ?? 0;
  await retract(run, { partIds, place, scope: steps.length > 1 ? 'run' : 'step', resent });
};

/** The chunks that a step's parts are made of; others, such as the end of the step, stay. */
const contentTypes = /^(?:text-|reasoning|redacted-reasoning|tool-|source$|file$|raw$)/;

/** A step's buffered chunks with its current content. The content of an unchanged step stays as it was split. */
const revised = (run: Run, one: CurrentStep, chunks: readonly Chunk[]): Chunk[] => {
  const rewritten = chunks.map((chunk) => rewriteFor(one.step.record, chunk));
  if (!one.isChanged) return rewritten;
  const data = new Set(one.before.flatMap(({ type, id }) => (type.startsWith('data-') ? `${type} ${id}` : [])));
  const isContent = (chunk: Chunk) =>
    contentTypes.test(chunk.type) || (data.size > 0 && data.has(`${chunk.type} ${dataAsText(chunk)}`));
  const others = rewritten.filter((chunk) => !isContent(chunk));
  const end = others.findIndex(({ type }) => type === 'step-finish');
  return others.toSpliced(end === -1 ? others.length : end, 0, ...contentOf(run, one));
};

/** The end of a step repeats the provider's metadata; the start of the next one repeats the response in its request. */
const rewriteFor = (record: StepRecord, chunk: Chunk): Chunk => {
  const { type, payload } = chunk as Chunk & { payload: { request: StepRecord['request']; metadata: object } };
  if (type === 'step-start') return { ...chunk, payload: { ...payload, request: withoutBody(payload.request) } };
  if (type !== 'step-finish') return chunk;
  const { providerMetadata, request } = record;
  return { ...chunk, payload: { ...payload, providerMetadata, metadata: { ...payload.metadata, request, providerMetadata } } };
};

/** The current content of a step as chunks. Its texts get new ids; the step follows them. */
const contentOf = (run: Run, { step, own }: CurrentStep): Chunk[] => {
  const spans: Span[] = [];
  step.partIds.clear();
  const chunks = own.flatMap((part): Chunk[] => {
    if (part.type === 'text' || part.type === 'reasoning') {
      const span: Span = { type: part.type, id: freeId(run.usedPartIds, 'edited') };
      spans.push(span);
      return textChunks(run, span, part);
    }
    return partChunks(run, part);
  });
  step.spans.splice(0, step.spans.length, ...spans);
  for (const { payload } of chunks) {
    const { id, toolCallId = id } = (payload ?? {}) as { id?: string; toolCallId?: string }; // each part has one of them, if any
    if (toolCallId !== undefined) step.partIds.add(toolCallId);
  }
  return chunks;
};

const textChunks = (run: Run, { type, id }: Span, part: Extract<Part, { type: Span['type'] }>): Chunk[] => {
  const { providerMetadata } = part;
  const text = part.type === 'text' ? part.text : part.reasoning;
  if (text === '' && !providerMetadata) return [];
  const metadata = providerMetadata && { providerMetadata };
  const fields = [metadata, { text }, metadata];
  return fields.map((own, index) => agentChunk(run, `${type}-${['start', 'delta', 'end'][index]}`, { id, ...own }));
};

const partChunks = (run: Run, part: Exclude<Part, { type: Span['type'] }>): Chunk[] => {
  if (part.type === 'tool-invocation') return callChunks(run, part);
  if (part.type === 'source') return [agentChunk(run, 'source', { ...part.source })];
  if (part.type === 'file') return [agentChunk(run, 'file', { data: part.data, mimeType: part.mimeType })];
  if (!part.type.startsWith('data-')) return [];
  const { payload: _payload, ...chunk } = agentChunk(run, part.type, undefined);
  return [{ ...chunk, data: (part as { data?: unknown }).data }];
};

const callChunks = (run: Run, { toolInvocation, providerExecuted }: Extract<Part, { type: 'tool-invocation' }>): Chunk[] => {
  // The host's type of a call has fewer states.
  const { toolCallId, toolName, args, ...call } = toolInvocation as typeof toolInvocation & {
    errorText?: string;
    approval?: object;
  };
  const payload = { toolCallId, toolName, args, ...(providerExecuted && { providerExecuted }) };
  const end = endOf(call);
  return [agentChunk(run, 'tool-call', payload), ...(end ? [agentChunk(run, end.type, { ...payload, ...end.fields })] : [])];
};

const endOf = (call: { state: string; result?: unknown; errorText?: string; approval?: object }) => {
  if (call.state === 'result') return { type: 'tool-result', fields: { result: call.result } };
  if (call.state === 'output-error') return { type: 'tool-error', fields: { error: new Error(call.errorText) } };
  return call.state === 'output-denied' ? { type: 'tool-output-denied', fields: { approval: call.approval } } : undefined;
};
