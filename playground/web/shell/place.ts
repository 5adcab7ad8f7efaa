import { memoryLocation } from 'wouter/memory-location';
import { runFile } from '../api/request.js';

/** The path of the page of a run. */
export const runPagePath = '/runs/:runId';

export const runHref = (runId: string, at?: number): string =>
  `/runs/${encodeURIComponent(runId)}${at === undefined ? '' : `?at=${at}`}`;

/** A document without a server has no addresses: where one is in it stays in memory. */
export const ownPlace = runFile && memoryLocation({ path: runHref(runFile.runId), record: true });

/** The query of the address as it is now. */
export const searchNow = (): string => (ownPlace ? (ownPlace.history.at(-1)?.split('?')[1] ?? '') : location.search);
