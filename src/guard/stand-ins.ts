import type { MastraDBMessage } from '@mastra/core/agent/message-list';
import { copyPlain, isRecord, isSame } from '../phase/plain-data.js';

type Part = MastraDBMessage['content']['parts'][number];

/**
 * Fields of provider metadata that stand for content: the provider replaces a reference by the content that it stored, and checks or
 * decrypts the others.
 */
const references = /^(itemId|resultItemId)$/;
const standIns =
  /^(itemId|resultItemId|signature|thoughtSignature|thought_signature|redactedData|(reasoning)?[eE]ncrypted_?[cC]ontent)$/;

/** Which fields fall: all of an edited part, or only references, because a provider rejects some without their neighbors. */
type Falling = 'all' | 'references';

/** The same metadata without the fields that stand for content. */
export const withoutStandIns = <T>(metadata: T, falling: Falling): T => {
  if (!isRecord(metadata)) return metadata;
  const names = falling === 'all' ? standIns : references;
  const left = Object.entries(metadata).flatMap(([name, one]): [string, unknown][] =>
    names.test(name) ? [] : [[name, withoutStandIns(one, falling)]],
  );
  return Object.fromEntries(left) as T; // fewer fields
};

/** The fields of metadata that stand for content, as text; undefined without any. */
const standInsOf = (metadata: unknown): string | undefined => {
  if (!isRecord(metadata)) return undefined;
  const found = Object.entries(metadata).flatMap(([name, one]): unknown[] =>
    standIns.test(name) ? [one] : [standInsOf(one)].filter(Boolean),
  );
  return found.length > 0 ? JSON.stringify(found) : undefined;
};

/** Whether metadata has a field that represents content. */
export const hasStandIns = (metadata: unknown): boolean => standInsOf(metadata) !== undefined;

interface WithMetadata {
  providerMetadata?: unknown;
}

const metadataOf = (part: Part): unknown => (part as WithMetadata).providerMetadata;

/** A copy of the content that the fields of a part stand for. */
const contentOf = (part: Part): unknown => {
  if (part.type === 'text') return part.text;
  if (part.type === 'reasoning')
    return [part.reasoning, ...part.details.map((detail) => ('text' in detail ? detail.text : undefined))];
  if (part.type !== 'tool-invocation') return copyPlain({ ...part, providerMetadata: undefined });
  const { toolName, args, ...end } = part.toolInvocation;
  return copyPlain([toolName, args, (part as { providerExecuted?: boolean }).providerExecuted && end]);
};

/** Removes the fields of a part that stand for content. */
export const dropStandIns = (part: Part, falling: Falling): void => {
  const metadata = metadataOf(part);
  if (metadata) (part as WithMetadata).providerMetadata = withoutStandIns(metadata, falling);
  if (falling === 'all' && part.type === 'reasoning') part.details = part.details.map(unsigned);
};

const unsigned = <T>(detail: T): T => withoutStandIns(detail, 'all');

type Contents = Map<string, unknown[]>;

/** The contents of a message's parts, by the fields that stand for them: several parts may share one reference. */
const contentsOf = ({ content }: MastraDBMessage): Contents => {
  const contents: Contents = new Map();
  for (const part of content.parts ?? []) {
    const key = standInsOf(metadataOf(part));
    if (key !== undefined) contents.set(key, [...(contents.get(key) ?? []), contentOf(part)]);
  }
  return contents;
};

/**
 * Notes what the parts of messages stand for before guards run. The returned function removes, from the messages after them, the fields of
 * edited parts, and every reference of a message with an edited or removed part.
 */
export const noteStandIns = (before: readonly MastraDBMessage[]): ((after: readonly MastraDBMessage[]) => void) | undefined => {
  const known = new Map<string, Contents>();
  for (const message of before) {
    const contents = contentsOf(message);
    if (contents.size > 0) known.set(message.id, contents);
  }
  if (known.size === 0) return undefined;
  return (after) => {
    for (const message of after) {
      const contents = known.get(message.id);
      if (contents) dropFallen(message, contents);
    }
  };
};

const dropFallen = (message: MastraDBMessage, before: Contents): void => {
  const now = contentsOf(message);
  const fallen = new Set([...before].flatMap(([key, contents]) => (isSame(now.get(key), contents) ? [] : [key])));
  if (fallen.size === 0) return;
  for (const part of message.content.parts) {
    const key = standInsOf(metadataOf(part));
    if (key !== undefined) dropStandIns(part, fallen.has(key) ? 'all' : 'references');
  }
};
