import type { MastraDBMessage } from '@mastra/core/agent/message-list';

/** What a message says that is one text and nothing else. */
export interface PlainMessage {
  readonly role: 'user' | 'assistant';
  readonly text: string;
  /** When its text was stamped, where it was. */
  readonly createdAt: number | undefined;
}

const fields = {
  message: new Set(['id', 'role', 'createdAt', 'threadId', 'resourceId', 'content']),
  content: new Set(['format', 'parts', 'content']),
  part: new Set(['type', 'text', 'createdAt']),
} as const;

/** Reads a message that is one text and nothing else; nothing for any other. */
export const readPlain = (message: MastraDBMessage): PlainMessage | undefined => {
  const { role, content } = message;
  const part: unknown = content.parts.length === 1 ? content.parts[0] : undefined;
  if ((role !== 'user' && role !== 'assistant') || !isText(part)) return undefined;
  const { text, createdAt } = part;
  if (text.trim() === '' || (content.content !== undefined && content.content !== text)) return undefined;
  const isPlain = hasOnly(message, fields.message) && hasOnly(content, fields.content) && hasOnly(part, fields.part);
  return isPlain ? { role, text, createdAt } : undefined;
};

const isText = (part: unknown): part is { text: string; createdAt?: number } => {
  const { type, text, createdAt } = (part ?? {}) as Record<string, unknown>;
  return type === 'text' && typeof text === 'string' && (createdAt === undefined || typeof createdAt === 'number');
};

/** Fields without a value are as good as absent. */
const hasOnly = (value: object, names: ReadonlySet<string>): boolean => {
  for (const name in value) if (!names.has(name) && (value as Record<string, unknown>)[name] !== undefined) return false;
  return true;
};
