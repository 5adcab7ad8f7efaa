/**
 * Finds where the window that begins at a place ends, in a text that may go on; nothing while that is not settled. One that has found
 * nothing is asked again once there is more text, and need not read again what it has read.
 */
export type EndFinder = (start: number) => (text: string, isEnded: boolean) => number | undefined;
