import { stringify } from 'safe-stable-stringify';
import type { RunEvent } from '../../../src/index.js';
import { partIdOf } from '../../../src/loop/part-ids.js';
import type { Chunk } from '../../../src/loop/ports.js';
import { partOf } from '../../../src/trace/trace-writer.js';
import type { StudioEntry } from '../../protocol/trace-entry.js';
import { entriesOfChunk, type StreamedChunk } from './entries-of-chunk.js';
import { entryOfEvent } from './entries-of-trace.js';
import type { EntryFact } from './entry-fact.js';

/** A run that its engine publishes again from the beginning: entries that pages already have are not repeated. */
export interface NewEntries {
  /** The new entries of a chunk, which contains its position in the run. */
  chunk(chunk: StreamedChunk): EntryFact[];
  /**
   * The new entries of the run's events, once it is over. States before the last known position are omitted, because pages have
   * later ones.
   */
  events(events: readonly RunEvent[]): EntryFact[];
}

type EntryOf<K extends StudioEntry['kind']> = Extract<StudioEntry, { kind: K }>;

const isOf =
  <K extends StudioEntry['kind']>(kind: K) =>
  (entry: StudioEntry): entry is EntryOf<K> =>
    entry.kind === kind;

/** @param before the entries that pages got from an earlier process */
export const createNewEntries = (before: readonly StudioEntry[]): NewEntries => {
  const known = new Map<string, number>();
  for (const key of before.filter(isOf('left')).map(keyOfEmitted)) known.set(key, (known.get(key) ?? 0) + 1);
  const knownEvents = before.filter(isOf('event')).map(({ event }) => stringify(event));
  return {
    chunk: (chunk) => {
      const { stepNumber = 0, attempt = 1 } = (chunk as Partial<Chunk>).metadata ?? {};
      const seen = chunk as Chunk; // of any type: only its part is read
      const facts = entriesOfChunk(
        chunk,
        { stepNumber: Number(stepNumber), attempt: Number(attempt) },
        partOf(seen, partIdOf(seen)),
      );
      const key = facts.filter((fact) => fact.kind === 'left').map(keyOfEmitted)[0] ?? '';
      const count = known.get(key) ?? 0;
      if (count === 0) return facts;
      known.set(key, count - 1);
      return [];
    },
    events: (events) => {
      const last = events.at(-1);
      const facts = events.map(entryOfEvent).filter((fact) => fact.kind === 'event');
      const first = facts.findIndex(({ event }, index) => stringify(event) !== knownEvents[index]);
      return (first === -1 ? [] : facts.slice(first)).filter(({ event }) => event.type !== 'state-enter' || isAt(event, last));
    },
  };
};

/** Identifies released content, at any position of the run. */
const keyOfEmitted = ({ part: { type, partId }, text, data }: Pick<EntryOf<'left'>, 'part' | 'text' | 'data'>): string =>
  stringify([type, partId, text, data]) ?? '';

const isAt = (event: RunEvent, other: RunEvent | undefined): boolean =>
  event.stepNumber === other?.stepNumber && event.attempt === other.attempt;
