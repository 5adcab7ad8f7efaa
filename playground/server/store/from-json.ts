import type { MastraDBMessage } from '@mastra/core/agent/message-list';

/** A column that holds JSON of our own writing. */
export const fromJson = (column: unknown): unknown => JSON.parse(column as string); // a column of text

/** Messages, whose times are dates. */
export const messagesFromJson = (column: unknown): MastraDBMessage[] =>
  (fromJson(column) as MastraDBMessage[]).map((message) => ({ ...message, createdAt: new Date(message.createdAt) }));
