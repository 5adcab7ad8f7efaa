import type { MessageList } from '@mastra/core/agent/message-list';
import type { GuardCall, GuardSpan, RunScope } from '../phase/scope.js';
import { isPerChunk } from '../phase/table.js';
import { childrenOf, type GraphNode } from '../pipeline/graph.js';
import type { Frozen } from '../trace/contents.js';
import { partOf, type TraceFact, type TraceWriter } from '../trace/trace-writer.js';
import { isStop, type Verdict } from '../verdict.js';
import type { Chunk } from './ports.js';
import { withoutHeaders } from './record-ports.js';
import { createConcealedTexts, wordsOfChunk, type MapText } from '../trace/plain-json.js';
import { partIdOf } from './part-ids.js';
import { isObject, fieldsIn, pick } from '../phase/plain-data.js';

/** Fields of a payload that contain no text, or that an engine passes along with it. */
const unseen = new Set(['phase', 'messageList', 'streamParts', 'state', 'steps', 'agent', 'model', 'tools']);

/** The recorder of guards, and the guards to record. */
interface GuardViewOptions {
  readonly writer: TraceWriter;
  /** Whether secrets are concealed: chunks may contain pieces of them and are then not recorded. */
  readonly concealsSecrets: boolean;
  readonly memoryIds: ReadonlySet<string> | undefined;
  /** Ids of shadow guards. Only their events are recorded. */
  readonly shadows: ReadonlySet<string>;
}

/** Ids of the shadow guards. */
export const shadowsIn = (node: GraphNode): string[] =>
  node.kind === 'guard' ? (node.policy?.shadow ? [node.id] : []) : childrenOf(node).flatMap(shadowsIn);

/** Records a guard's input, and its verdict. */
export const recordGuard = (
  { writer, memoryIds, shadows, concealsSecrets }: GuardViewOptions,
  { author, data, scope }: GuardCall,
): GuardSpan => {
  const isHidden = concealsSecrets && isPerChunk(author.phase);
  if (isHidden || shadows.has(author.processorId)) return { scope, end: () => undefined };
  const received = writer.freeze(visibleIn(data, scope));
  return {
    scope,
    end: (verdict) => {
      if (memoryIds?.has(author.processorId)) writeMemory(writer, { author, data, scope }, verdict);
      const after = verdict.kind === 'edit' ? (verdict.data as object) : data; // an edit of this payload
      const returned = isStop(verdict) ? undefined : writer.freeze(visibleIn(after, scope));
      const changed = returned && keyOf(received) !== keyOf(returned) ? returned : undefined;
      const causes = causesOf(verdict, writer);
      if (isPerChunk(author.phase) && returned && !changed && !causes) return; // the chunk passed unchanged
      const adds: unknown[] = [];
      writer.write({
        kind: 'judged',
        ...writer.place,
        ...pick(author, 'phase', 'processorId', 'path'),
        received: writer.refer(received, adds),
        ...(changed && { returned: writer.refer(changed, adds) }),
        ...(causes && { causes }),
        adds,
      });
    },
  };
};

/** Maximum length of a recorded chain of causes. */
const mostCauses = 8;

/** The failure of a guard without a verdict, also where its policy lets that pass or block. */
const outageOf = (verdict: Verdict<unknown>): { readonly error?: unknown } | undefined => {
  if (verdict.kind === 'unavailable') return verdict;
  if (verdict.kind === 'pass') return verdict.bypass?.error === undefined ? undefined : verdict.bypass;
  return verdict.kind === 'trip' ? verdict.outage : undefined;
};

/** The error of a guard without a verdict, then its causes. */
const causesOf = (verdict: Verdict<unknown>, writer: TraceWriter) => {
  const outage = outageOf(verdict);
  if (!outage) return undefined;
  const causes: NonNullable<Extract<TraceFact, { kind: 'judged' }>['causes']> = [];
  for (let error = outage.error; error instanceof Error && causes.length < mostCauses; error = error.cause) {
    const { name, stack } = error;
    const { code } = fieldsIn(error);
    causes.push({
      name,
      message: writer.plain(error.message),
      ...(typeof code === 'string' && { code }),
      frames: framesOf(stack),
    });
  }
  return causes;
};

const driver = /^(?:async )?(?:(?:Object|driver)\.)?(?:runActivity|enterActivity)\b/;
const ofPlatform = /\bnode:|\(<anonymous>\)|\(index \d+\)/;

/**
 * The frames of a stack down to our driver. Its head repeats the message; frames of the platform and of what calls the driver change from
 * run to run.
 */
const framesOf = (stack = ''): string[] => {
  const frames = stack.split('\n').flatMap((line) => /^\s+at (.*)/.exec(line)?.[1] ?? []);
  const end = frames.findIndex((frame) => driver.test(frame));
  return frames.slice(0, end === -1 ? undefined : end).flatMap((frame) => (ofPlatform.test(frame) ? [] : [`at ${frame}`]));
};

/** Records the whole conversation after the memory processor, including its sources. */
const writeMemory = (writer: TraceWriter, { author, data, scope }: GuardCall, verdict: Verdict<unknown>): void => {
  const { phase, processorId } = author;
  const { messageList } = data as { messageList?: MessageList }; // phases of messages have one by now
  const adds: unknown[] = [];
  const list =
    verdict.kind === 'edit' && messageList
      ? writer.refer(writer.freeze(scope.host.messages.snapshot(messageList) as object), adds)
      : undefined;
  const error = 'error' in verdict ? verdict.error : 'reason' in verdict ? new Error(verdict.reason) : undefined;
  writer.write({
    kind: 'memory',
    ...writer.place,
    phase,
    processorId,
    verdict: verdict.kind,
    ...(list && { list, adds }),
    ...(error !== undefined && { error: writer.plain(error) }),
  });
};

/** A payload as data; the content of its list is read from the list. */
const visibleIn = (data: object, { host }: RunScope): object => {
  const fields: Record<string, unknown> = Object.fromEntries(Object.entries(data).filter(([name]) => !unseen.has(name)));
  const { messageList } = fieldsIn(data);
  if (isObject(fields['part'])) fields['part'] = withoutRun(fields['part']);
  if ('modelSettings' in fields) fields['modelSettings'] = withoutHeaders(fields['modelSettings']);
  if (!messageList || !host.messages.is(messageList) || 'part' in data) return fields;
  const { messages, systemMessages, taggedSystemMessages } = fieldsIn(host.messages.snapshot(messageList));
  return { ...fields, messages, systemMessages, taggedSystemMessages };
};

/** Records chunks as they become visible. If secrets are concealed, texts are recorded only up to a point that splits none of them. */
export const recordEmitted = (writer: TraceWriter, conceal: MapText | undefined): ((chunk: Chunk) => void) => {
  const write = (chunk: Chunk): void => {
    const own = withoutRun(withoutSteps(chunk));
    writer.write({ kind: 'left', ...writer.place, part: partOf(chunk, partIdOf(chunk)), chunk: writer.plain(own) });
  };
  return conceal ? concealed(conceal, write) : write;
};

const concealed = (conceal: MapText, write: (chunk: Chunk) => void): ((chunk: Chunk) => void) => {
  const texts = createConcealedTexts(conceal);
  const last = new Map<string, Chunk>();
  const writeText = (chunk: Chunk, text: string): void => {
    if (text !== '') write(withWords(chunk, text));
  };
  const end = (id: string): void => {
    const rest = texts.end(id);
    const chunk = last.get(id);
    last.delete(id);
    if (chunk) writeText(chunk, rest);
  };
  return (chunk) => {
    const [id, words] = [partIdOf(chunk), chunk.type.endsWith('-delta') ? wordsOfChunk(chunk) : undefined];
    if (id !== undefined && words !== undefined) {
      last.set(id, chunk);
      return writeText(chunk, texts.push(id, words));
    }
    for (const open of id === undefined ? texts.open : [id]) end(open);
    return write(chunk);
  };
};

const withWords = (chunk: Chunk, text: string): Chunk => ({
  ...chunk,
  payload: { ...fieldsIn(chunk.payload), [chunk.type === 'tool-call-delta' ? 'argsTextDelta' : 'text']: text },
});

/** A chunk without its run id, which is in the header. */
const withoutRun = <C extends { readonly runId?: unknown }>({ runId: _runId, ...own }: C): Omit<C, 'runId'> => own;

/** The loop's own chunks repeat all steps so far; their other fields are in the events. */
const withoutSteps = (chunk: Chunk): Chunk => {
  if (!repeating.has(chunk.type)) return chunk;
  const { stepResult, messageId, tripwire } = fieldsIn(chunk.payload);
  return { ...chunk, payload: { messageId, stepResult, tripwire } };
};

const repeating = new Set(['step-start', 'step-finish', 'finish']);

/** Equal for records with the same content. */
const keyOf = ({ lists, values }: Frozen): string => JSON.stringify([[...lists], values]);
