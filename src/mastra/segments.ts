import type { MastraDBMessage } from '@mastra/core/agent/message-list';

type Content = MastraDBMessage['content'];
type Part = Content['parts'][number];

/** A stretch of a conversation that is converted in the same way whatever stands around it: a message, or a step of one. */
export interface Segment {
  readonly role: MastraDBMessage['role'];
  readonly content: string | undefined;
  readonly parts: readonly Part[];
}

/** The segments of a conversation; nothing where some message is not known to stand for itself. */
export const segmentsOf = (messages: readonly MastraDBMessage[]): Segment[] | undefined =>
  messages.every(standsForItself) ? messages.flatMap(stepsOf) : undefined;

const roles = new Set<string>(['user', 'assistant']);
const contentFields = new Set(['format', 'parts', 'content', 'metadata']);
/** What the loop itself notes about a message. */
const metadataFields = new Set(['modelId', 'provider']);

const standsForItself = ({ role, content }: MastraDBMessage): boolean =>
  roles.has(role) &&
  content.format === 2 &&
  hasOnly(content, contentFields) &&
  hasOnly(content.metadata ?? {}, metadataFields) &&
  content.parts.every(isPlain);

const hasOnly = (fields: object, known: ReadonlySet<string>): boolean =>
  Object.entries(fields).every(([name, value]) => value === undefined || known.has(name));

/** Calls that wait, files, sources and what providers ran are converted with an eye on the rest of the conversation. */
const isPlain = (part: Part): boolean => {
  if (part.type === 'text' || part.type === 'reasoning' || part.type === 'step-start') return true;
  if (part.type !== 'tool-invocation' || part.providerExecuted) return false;
  return part.toolInvocation.state === 'result' || part.toolInvocation.state === 'output-error';
};

/** A message is cut where its steps begin; not where providers' ids may join words across them. */
const stepsOf = ({ role, content: { parts, content } }: MastraDBMessage): Segment[] => {
  const starts = parts.flatMap(({ type }, index) => (type === 'step-start' && index > 0 ? [index] : []));
  if (role !== 'assistant' || starts.length === 0 || content !== undefined || parts.some(hasIds))
    return [{ role, content, parts }];
  return [0, ...starts].map((start, index) => ({ role, content, parts: parts.slice(start, starts[index]) }));
};

const hasIds = (part: Part): boolean =>
  (part.type === 'text' || part.type === 'reasoning') && part.providerMetadata !== undefined;
