import type { MessageList } from '@mastra/core/agent/message-list';
import type { Chunk } from './ports.js';

/**
 * What memory keeps of a turn whose answer was not accepted. `drop`: nothing. `user-only`: what the caller said, as the guards left
 * it, and nothing where it was itself what they rejected. `placeholder`: the same, and notes in place of what was rejected.
 */
export type KeptTurn = 'drop' | 'user-only' | 'placeholder';

/** What memory keeps, by how the run ended. Whatever it says, nothing that was rejected is saved. */
export interface Persistence {
  /** A guard stopped the run. Default `drop`. */
  tripwire?: KeptTurn;
  /** Something failed: the model, a guard, a tool's rights. Default `drop`. */
  failed?: KeptTurn;
  /** The caller gave up. Default `drop`. */
  canceled?: KeptTurn;
  /**
   * The run waits for a person. `keep`: what was accepted so far, and the calls that wait; with `hold: 'run'` the caller's message and
   * these calls. It is taken back where the run then ends without an accepted answer. Default `keep`.
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
   * Notes which messages were kept, when the run goes on: in another process nothing else knows them, once guards have taken them out.
   *
   * @param list the conversation as it rested
   */
  noteKept(list: MessageList): void;
  /** Deletes what was kept of the answer. */
  takeBack(list: MessageList): Promise<void>;
}
