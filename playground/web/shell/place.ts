import { memoryLocation } from 'wouter/memory-location';
import { runFile } from '../api/request.js';
import { runHref } from './hrefs.js';

/** A document without a server has no addresses: its location stays in memory. */
export const ownPlace = runFile && memoryLocation({ path: runHref(runFile.runId), record: true });

/** The current query of the address. */
export const searchNow = (): string => (ownPlace ? (ownPlace.history.at(-1)?.split('?')[1] ?? '') : location.search);
