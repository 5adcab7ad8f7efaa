import { messageOf } from '../../loop/message-of.js';

/** An error in the form that spans accept. */
export const asError = (error: unknown): Error => (error instanceof Error ? error : new Error(messageOf(error)));
