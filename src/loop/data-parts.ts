import { InterlockError } from '../errors.js';
import { copyPlain } from '../phase/plain-data.js';
import type { Chunk, DataPart } from './ports.js';
import type { Attempt, Run } from './run.js';

/** Raises `phase/invalid-data-part` for a chunk that guards cannot write. */
export const checkDataPart = (chunk: Chunk): void => {
  if (typeof chunk?.type !== 'string' || !chunk.type.startsWith('data-'))
    throw new InterlockError('phase/invalid-data-part', { path: 'writer.custom', detail: `the type is "${chunk?.type}".` });
};

/** A chunk as messages keep it: a data part that is neither transient nor the loop's own. Otherwise empty. */
export const persistedPart = (chunk: Chunk): DataPart[] => {
  const { type, data, transient } = chunk as DataPart & { transient?: boolean };
  return type.startsWith('data-') && !type.startsWith('data-interlock-') && transient !== true
    ? [{ type, data: copyPlain(data) }]
    : [];
};

/** Adds the data parts that guards wrote during an attempt to the response: then they are kept or removed with it. Returns whether there are any. */
export const addWritten = (run: Run, { written }: Attempt): boolean => {
  if (written.length === 0) return false;
  run.options.ports.messages.addData(run.state.list, written.splice(0));
  return true;
};
