import type { MastraDBMessage } from '@mastra/core/agent/message-list';
import type { ChunkType } from '@mastra/core/stream';
import type { RunEvent, RunStatus } from '../../src/index.js';
import type { SupportAgent } from './shop/support-agent.js';

/** Who watches a turn. */
export interface TurnWatcher {
  /** What leaves the run, as it leaves. */
  chunk(chunk: ChunkType): void;
  /** What happens in the run, as it happens. */
  event(event: RunEvent): void;
}

/** How a turn ended. */
export interface TurnEnd {
  readonly status: RunStatus;
  /** Why, where it failed. */
  readonly error?: Error;
}

/** A conversation that remembers the turns that were accepted. */
export interface Conversation {
  /** Runs one turn to its end; never rejects. */
  say(text: string, watcher: TurnWatcher, signal: AbortSignal): Promise<TurnEnd>;
}

/** Starts a conversation. A turn that was blocked, failed or canceled leaves nothing behind in it. */
export const createConversation = (agent: SupportAgent): Conversation => {
  let accepted: MastraDBMessage[] = [];

  const run = async (text: string, watcher: TurnWatcher, signal: AbortSignal): Promise<TurnEnd> => {
    const messages = [...accepted, { role: 'user' as const, content: text }];
    const stream = await agent.stream(messages, { abortSignal: signal, onRunEvent: watcher.event });
    for await (const chunk of stream.fullStream) watcher.chunk(chunk);
    const status = stream.status as RunStatus; // the stream is over, so the run is
    if (status === 'success') accepted = (await stream.getFullOutput()).messages;
    return { status, error: stream.error };
  };

  return {
    say: (text, watcher, signal) =>
      run(text, watcher, signal).catch((error: unknown) => ({
        status: 'failed',
        error: error instanceof Error ? error : new Error(String(error)),
      })),
  };
};
