import type { MastraDBMessage } from '@mastra/core/agent/message-list';

/** The accepted turns of each conversation, for agents without memory of their own. */
export interface Conversations {
  read(threadId: string): Promise<readonly MastraDBMessage[]>;
  write(threadId: string, messages: readonly MastraDBMessage[]): Promise<void>;
}
