import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { SQLOutputValue } from 'node:sqlite';
import { InterlockError } from '../errors.js';

/** Texts below this length are stored as they are: to compress them costs more than it saves. */
const shortText = 512;

/** Most steps fit: for them, it takes two thirds of the time of the default window for the same size. */
const smallWindow = { windowBits: 12, memLevel: 5 };

/** Names in the texts of runs, the most frequent last. They are part of the format: another list cannot read what this one has compressed. */
const names =
  'metadata messageId warnings request isContinued all user nonUser raw reasoningTokens cachedInputTokens ' +
  'cacheCreationInputTokens modelProvider modelVersion modelMetadata timestamp stepType reasoningText reasoning ' +
  'content files sources totalUsage stepResult messages earlier providerExecuted providerMetadata dynamic ' +
  'argsTextDelta xstate.done.actor.tools xstate.done.actor.review xstate.done.actor.prepare ' +
  'xstate.done.actor.request xstate.done.actor.call step.deciding step.preparing step.requesting step.calling ' +
  'step.reviewing step.tools reviewed executed step-start tool-invocation toolInvocation createdAt model-call ' +
  'modelId provider model-finish fromCache durationMs tool-start tool-finish outcome ' +
  'tool-call-input-streaming-start tool-call-delta tool-call-input-streaming-end settled told unasked answer ' +
  'streamedCalls finishedCalls key spans place partCount partIds accepted usedPartIds held counters start from ' +
  'record response finishReason reason usage inputTokens outputTokens totalTokens steps text toolResults toolCalls ' +
  'input args result payload AGENT step-finish tool-call tool-result tool-calls toolName toolCallId state ' +
  'state-enter type id attempt stepNumber at seq runId events list parts patch value stop kind output actorId ' +
  'isOver';
const dictionary = Buffer.from(
  names
    .split(' ')
    .map((name) => `,"${name}":`)
    .join(''),
);

/** A text as a file stores it: compressed, unless it is short. The texts of a run repeat the names of their fields. */
export const pack = (text: string): string | Uint8Array<ArrayBuffer> =>
  text.length < shortText ? text : deflateRawSync(text, { dictionary, ...(text.length < 4_096 && smallWindow) });

/** The text of a stored value. Raises `durable/damaged`, with `path`. */
export const unpack = (stored: SQLOutputValue | undefined, path: string): string => {
  if (!(stored instanceof Uint8Array)) return String(stored);
  try {
    return inflateRawSync(stored, { dictionary }).toString();
  } catch (cause) {
    throw new InterlockError('durable/damaged', { path, detail: String(cause), cause });
  }
};

/** No text in UTF-8 contains this byte. */
const packedByte = 0xff;

/** The same as bytes. */
export const packBytes = (text: string): Buffer => {
  const stored = pack(text);
  return typeof stored === 'string' ? Buffer.from(text) : Buffer.concat([Buffer.of(packedByte), stored]);
};

export const unpackBytes = (stored: Buffer<ArrayBuffer>, path: string): string =>
  stored[0] === packedByte ? unpack(stored.subarray(1), path) : stored.toString();

const packed = 'deflate ';

/** The same as text, for values that an engine stores as JSON. */
export const packText = (text: string): string => {
  const stored = pack(text);
  return typeof stored === 'string' ? text : packed + Buffer.from(stored).toString('base64');
};

export const unpackText = (stored: string, path: string): string =>
  stored.startsWith(packed) ? unpack(Buffer.from(stored.slice(packed.length), 'base64'), path) : stored;
