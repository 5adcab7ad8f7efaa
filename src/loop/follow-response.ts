import { fileKey, sourceFields, snapshotValue, type PartSnapshot, type Part, type Span } from './response.js';
import type { StepRecord, Chunk } from './ports.js';
import { setPartCounts } from './conversation.js';
import { changeAttempt, type Attempt, type ResponseStep, type Run } from './run.js';
import { acceptedParts, followParts, responseParts, responseStep, withoutBody } from './step-record.js';
import { agentChunk, publish, retract } from './emit.js';
import { freeId } from './part-ids.js';
import { fieldsIn, isSame, copyShared } from '../phase/plain-data.js';

/** A snapshot of the response before guards judge it, to compare with their version. */
export const snapshotResponse = (run: Run): readonly PartSnapshot[] => snapshotAgain(run, responseParts(run));

/** Unchanged values are shared with the earlier snapshots, so that a long response is not copied again at each step. */
const snapshotAgain = (run: Run, parts: readonly Part[]): readonly PartSnapshot[] => {
  const { lastParts } = run.state;
  run.change({ lastParts: parts.map((part, index) => snapshotOf(part, lastParts[index])) });
  return run.state.lastParts;
};

/**
 * Updates records and stream to the guards' version of the response, whichever step it belongs to. If parts were added to or removed from
 * several steps, their step is unknown: the last step then gets all parts from the first changed one.
 *
 * @param but the call whose result was judged: the new result is not an edit
 */
export const followResponse = async (run: Run, start: readonly PartSnapshot[], but?: string): Promise<void> => {
  const all = responseParts(run);
  const now = snapshotAgain(run, all);
  const before = but === undefined ? start : start.map((part) => (part.id === but ? withResultOf(part, now) : part));
  const steps = stepsOf(run, before.length);
  const last = steps.at(-1);
  if (!last) return;
  if (now.length === before.length && isSameSlice(before, now, [0, now.length]))
    return followParts(run, last.record, { own: all.slice(now.length - last.partCount), all, isChanged: false });
  const shares = sharesOf(steps, before, now);
  let at = 0;
  const judged = steps.map((step, index): CurrentStep => {
    const { from, count } = shares[index] as Share; // one for each
    const was = before.slice(at, (at += step.partCount));
    const isChanged = step.partCount !== count || !isSameSlice(before, now, [from, from + count]);
    return { step, end: steps[index + 1]?.place, own: all.slice(from, from + count), before: was, isChanged };
  });
  const first = judged.findIndex(({ isChanged }) => isChanged);
  run.change({ editedFrom: Math.min(run.state.editedFrom ?? first, first) });
  for (const { step, own, isChanged } of judged) {
    if (isChanged || step === last) followParts(run, step.record, { own, all, isChanged });
    step.partCount = own.length;
  }
  for (const { record } of steps.slice(first + 1)) record.request = withoutBody(record.request); // it repeats the text
  await resend(run, judged);
  if (underReview(run)) changeAttempt(run, { partCount: last.partCount, place: last.place });
};

/** Guards of a prompt may remove content of accepted steps: each step then has the parts that are left of it. */
export const followRemovals = (run: Run, before: readonly PartSnapshot[]): void => {
  const now = snapshotResponse(run);
  if (now.length === before.length) return;
  let [at, left] = [0, 0];
  const counts = run.state.accepted.map(({ partCount }) => {
    const first = left;
    for (const end = at + partCount; at < end; at += 1) if (isLeft(before, at, now[left])) left += 1;
    return left - first;
  });
  setPartCounts(run, counts);
};

/** Whether a part is what is left of an earlier one: the same, or an edit of it, if it is no later one. */
const isLeft = (before: readonly PartSnapshot[], at: number, part: PartSnapshot | undefined): boolean => {
  const was = before[at];
  if (isSamePart(was, part)) return true;
  return was?.type === part?.type && was?.id === part?.id && !before.slice(at).some((later) => isSamePart(later, part));
};

const stepsOf = (run: Run, total: number): readonly ResponseStep[] => {
  const { accepted } = run.state;
  const attempt = underReview(run);
  return attempt ? [...accepted, { ...responseStep(attempt, attempt.record), partCount: total - acceptedParts(run) }] : accepted;
};

const underReview = ({ state: { attempt } }: Run): (Attempt & { record: StepRecord }) | undefined =>
  attempt?.record && !attempt.closed ? (attempt as Attempt & { record: StepRecord }) : undefined; // just checked

/** The parts of a step now. */
interface Share {
  readonly from: number;
  readonly count: number;
}

const sharesOf = (
  steps: readonly ResponseStep[],
  before: readonly PartSnapshot[],
  now: readonly PartSnapshot[],
): readonly Share[] => {
  const isSameShape = now.length === before.length;
  let from = 0;
  let isWhole = true;
  return steps.map(({ partCount }, index): Share => {
    const start = from;
    const isLast = index === steps.length - 1;
    isWhole &&= isSameShape || isSameSlice(before, now, [start, start + partCount]);
    const own = isLast ? now.length - start : isWhole ? partCount : 0;
    from += own;
    return { from: start, count: own };
  });
};

const isSameSlice = (before: readonly PartSnapshot[], now: readonly PartSnapshot[], [from, to]: [number, number]): boolean => {
  for (let at = from; at < to; at += 1) if (!isSamePart(before[at], now[at])) return false;
  return true;
};

/** A step of the response with its current parts. */
interface CurrentStep {
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
    for (const chunk of chunksOf(run, one)) await publish(run, chunk);
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
  return others.toSpliced(end === -1 ? others.length : end, 0, ...chunksOf(run, one));
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
const chunksOf = (run: Run, { step, own }: CurrentStep): Chunk[] => {
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
  return [{ ...chunk, data: fieldsIn(part)['data'] }];
};

const callChunks = (run: Run, { toolInvocation, providerExecuted }: Extract<Part, { type: 'tool-invocation' }>): Chunk[] => {
  // The host's type of a call has fewer states.
  const { toolCallId, toolName, args, ...call } = toolInvocation as typeof toolInvocation & {
    errorText?: string;
    approval?: object;
  };
  const payload = { toolCallId, toolName, args, ...(providerExecuted && { providerExecuted }) };
  const end = chunkOfEnd(call);
  return [agentChunk(run, 'tool-call', payload), ...(end ? [agentChunk(run, end.type, { ...payload, ...end.fields })] : [])];
};

const chunkOfEnd = (call: { state: string; result?: unknown; errorText?: string; approval?: object }) => {
  if (call.state === 'result') return { type: 'tool-result', fields: { result: call.result } };
  if (call.state === 'output-error') return { type: 'tool-error', fields: { error: new Error(call.errorText) } };
  return call.state === 'output-denied' ? { type: 'tool-output-denied', fields: { approval: call.approval } } : undefined;
};

const isSamePart = (a: PartSnapshot | undefined, b: PartSnapshot | undefined): boolean =>
  a === b || (a?.type === b?.type && a?.id === b?.id && isSame(a?.value, b?.value) && isSame(a?.metadata, b?.metadata));

/** The earlier snapshot of a call, with its current result, and the model's form of it in the metadata. */
const withResultOf = (was: PartSnapshot, parts: readonly PartSnapshot[]): PartSnapshot => {
  const now = parts.find(({ type, id }) => type === was.type && id === was.id);
  if (!now || now === was) return was;
  const [[args, , toolName], [, result]] = [was.value, now.value] as [unknown[], unknown[]]; // see callIn
  return { ...was, value: [args, result, toolName], metadata: now.metadata };
};

const metadataIn = (part: Part | undefined): unknown =>
  fieldsIn(part?.type === 'source' ? part.source : part)['providerMetadata']; // not all parts have it

const snapshotOf = (part: Part, earlier?: PartSnapshot): PartSnapshot => {
  const { type } = part;
  const { id, value } = contentOf(part, earlier?.value);
  const metadata = copyShared(earlier?.metadata, metadataIn(part));
  if (earlier?.type === type && earlier.id === id && earlier.value === value && earlier.metadata === metadata) return earlier;
  return { type, id, value, metadata };
};

const contentOf = (part: Part, earlier: unknown): Pick<PartSnapshot, 'id' | 'value'> => {
  const { type } = part;
  if (type === 'text' || type === 'reasoning') return { id: undefined, value: type === 'text' ? part.text : part.reasoning };
  if (type === 'tool-invocation') return { id: part.toolInvocation.toolCallId, value: callIn(part.toolInvocation, earlier) };
  if (type.startsWith('data-')) return { id: dataAsText(part), value: dataAsText(part) };
  if (type === 'source') return { id: part.source.id, value: JSON.stringify(sourceFields(part)) };
  return { id: undefined, value: type === 'file' ? fileKey(part.data) : undefined };
};

/** The arguments, the result and the tool's name of a call; the earlier array if nothing changed. */
const callIn = (call: Extract<Part, { type: 'tool-invocation' }>['toolInvocation'], earlier: unknown): readonly unknown[] => {
  const before: readonly unknown[] = Array.isArray(earlier) ? earlier : [];
  const [args, end] = [snapshotValue(before[0], call.args), snapshotValue(before[1], endOf(call))];
  const { toolName } = call;
  return args === before[0] && end === before[1] && toolName === before[2] ? before : [args, end, toolName];
};

/** The end of a call: its result, or the text of its error. */
const endOf = (call: object): unknown => {
  const { state, result, errorText } = call as { state: string; result?: unknown; errorText?: string }; // the host's type is narrower
  return state === 'output-error' ? errorText : result;
};

const dataAsText = (part: { type: string }): string => JSON.stringify(fieldsIn(part)['data']) ?? '';
