import type { MessageList } from '@mastra/core/agent/message-list';
import type { Chunk } from './ports.js';

/**
 * What memory saves of a turn without an accepted answer. `drop`: nothing. `user-only`: the caller's message as the guards left
 * it, or nothing if they rejected it. `placeholder`: the same, and notes in place of rejected content.
 */
export type KeptTurn = 'drop' | 'user-only' | 'placeholder';

/** What memory saves, by the run's status. Rejected content is never saved. */
export interface Persistence {
  /** A guard stopped the run. Default `drop`. */
  tripwire?: KeptTurn;
  /** Something failed: the model, a guard, a tool's rights. Default `drop`. */
  failed?: KeptTurn;
  /** The caller gave up. Default `drop`. */
  canceled?: KeptTurn;
  /**
   * The run is suspended. `keep`: the content accepted so far and the waiting calls; with `hold: 'run'` the caller's message and
   * these calls. The content is removed if the run then ends without an accepted answer. Default `keep`.
   */
  suspended?: 'keep' | 'drop';
}

/** What memory keeps of a run that is not over: while it waits for a person, and with `savePerStep` after each step. */
export interface UnfinishedTurn {
  /**
   * @param list a copy that memory may change
   * @param waiting the waiting calls, as the chunks that clients get
   */
  keep(list: MessageList, waiting: readonly Chunk[]): Promise<void>;
  /**
   * Notes which messages were kept, when the run goes on: in another process nothing else knows them, once guards have taken them
   * out.
   *
   * @param list the conversation as it rested
   */
  noteKept(list: MessageList): void;
  /** Deletes what was kept of the answer. */
  takeBack(list: MessageList): Promise<void>;
}
