import type { MastraDBMessage } from '@mastra/core/agent/message-list';
import type { ModelMessage } from 'ai';

/** A message of Mastra's or, for its loops, of the AI SDK. */
export type StoredMessage = MastraDBMessage | ModelMessage;

/** The accepted turns of each conversation, for agents without memory of their own. */
export interface Conversations {
  read(threadId: string): Promise<readonly StoredMessage[]>;
  write(threadId: string, messages: readonly StoredMessage[]): Promise<void>;
}
