import type { MastraDBMessage } from '@mastra/core/agent/message-list';

/** A column that holds JSON of our own writing. */
export const fromJson = <T>(column: unknown): T => JSON.parse(column as string) as T; // as it was written

/** Messages, whose times are dates. */
export const messagesFromJson = (column: unknown): MastraDBMessage[] =>
  fromJson<MastraDBMessage[]>(column).map((message) => ({ ...message, createdAt: new Date(message.createdAt) }));
