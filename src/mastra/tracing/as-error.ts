import { messageOf } from '../../loop/message-of.js';

/** What went wrong, as a span takes it. */
export const asError = (error: unknown): Error => (error instanceof Error ? error : new Error(messageOf(error)));
