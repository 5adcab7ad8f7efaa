import type { MessageList } from '@mastra/core/agent/message-list';
import type { Chunk } from './ports.js';

/**
 * The content that memory saves of a turn without an accepted response. `accepted`: the caller's message, the calls and results of
 * accepted steps, their text if no guard of the whole response may still reject it, and that other tools were called; nothing if there
 * are none. `drop`: nothing. `user-only`: the caller's
 * message as the guards left it, or nothing if they rejected it. `placeholder`: the same, and notes in place of rejected content.
 */
export type SavedTurn = 'accepted' | 'drop' | 'user-only' | 'placeholder';

/** The content that memory saves, by the run's status. Rejected content is never saved. */
export interface Persistence {
  /** A guard stopped the run. Default `accepted`. */
  tripwire?: SavedTurn;
  /** The run failed: the model, a guard, a tool's rights. Default `accepted`. */
  failed?: SavedTurn;
  /** The caller canceled. Default `accepted`. */
  canceled?: SavedTurn;
  /**
   * The run is suspended. `keep`: the content accepted so far and the waiting calls; with `hold: 'run'` the caller's message and
   * these calls. The content is removed if the run then ends without an accepted response. Default `keep`.
   */
  suspended?: 'keep' | 'drop';
}

/** Saves the conversation of an unfinished run: while it waits for a person, when a tool asks for it, and with `savePerStep` after each step. */
export interface UnfinishedTurn {
  /**
   * @param list a copy that memory may change
   * @param waiting the waiting calls, as the chunks that clients get
   */
  keep(list: MessageList, waiting: readonly Chunk[]): Promise<void>;
  /**
   * Records the kept messages when the run continues: another process cannot find them once guards have removed them.
   *
   * @param list the conversation at the suspension
   */
  recordSaved(list: MessageList): void;
  /** Whether this process has saved any of it. */
  readonly hasSaved: boolean;
  /** Deletes the kept part of the response. */
  takeBack(list: MessageList): Promise<void>;
}
