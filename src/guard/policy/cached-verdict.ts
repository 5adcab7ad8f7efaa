import type { MastraDBMessage } from '@mastra/core/agent/message-list';
import type { SystemMessage } from '../../phase/host.js';
import type { Author, Pass, Retry, Trip } from '../../verdict.js';

/** A verdict that can be given again in another run. */
export type CachedVerdict = Omit<Trip, keyof Author> | Omit<Retry, keyof Author> | CachedEdit | Pass;

/** What a guard made of a payload, so that it can be made again of a payload with the same content. */
export interface CachedEdit {
  readonly kind: 'edit';
  /** Fields other than messages. */
  readonly fields: Readonly<Record<string, unknown>>;
  readonly conversation: CachedConversation | undefined;
}

export interface CachedConversation {
  readonly messages: readonly CachedMessage[];
  readonly systemMessages: readonly SystemMessage[];
  /** The ids of the tool calls that the guard was given, in order: each run has its own. */
  readonly callIds: readonly string[];
}

interface CachedMessage {
  readonly message: MastraDBMessage;
  /** Its place among the messages that the guard was given; none for one that it added. */
  readonly from: number | undefined;
}
