import { createHash } from 'node:crypto';
import { handlers, object, type ObjectContext, type ObjectSharedContext } from '@restatedev/restate-sdk';
import type { Ingress } from '@restatedev/restate-sdk-clients';
import { readTogether } from '../calls.js';
import type { Append, Board, BoardEntry, EntryMark, Pinned, PlacedEntry } from '../journal.js';

interface Note {
  readonly note: string;
  /** Epoch milliseconds. */
  readonly pinnedAt: number;
}

/** Without a note, the known one is removed. */
type PinRequest = Pick<Note, 'pinnedAt'> & { readonly runId: string; readonly note?: string };

const countName = 'count';
const entryName = (place: number): string => `entry ${place}`;
const noteName = (runId: string): string => `note ${runId}`;
const countIn = async (context: ObjectSharedContext): Promise<number> => (await context.get<number>(countName)) ?? 0;

/** Requests all entries before it awaits the first. */
const entriesAt = async (context: ObjectSharedContext, places: readonly number[]): Promise<string[]> => {
  const entries = places.map((place) => context.get<string>(entryName(place)));
  const texts: string[] = [];
  for (const entry of entries) texts.push((await entry) ?? ''); // Restate waits for one at a time
  return texts;
};

const read = async (context: ObjectSharedContext, from: number): Promise<string[]> => {
  const remaining = Math.max(0, (await countIn(context)) - from);
  const places = Array.from({ length: remaining }, (_, index) => from + index);
  return entriesAt(context, places);
};

const marksName = (mark: EntryMark): string => `marks ${mark}`;
const placesOf = async (context: ObjectSharedContext, mark: EntryMark): Promise<number[]> =>
  (await context.get<number[]>(marksName(mark))) ?? [];

const marked = async (context: ObjectSharedContext, mark: EntryMark): Promise<PlacedEntry[]> => {
  const places = await placesOf(context, mark);
  const texts = await entriesAt(context, places);
  return places.map((place, index) => ({ place, text: texts[index] ?? '' }));
};

const putMarks = async (context: ObjectContext, entries: readonly BoardEntry[], first: number): Promise<void> => {
  for (const [mark, those] of Map.groupBy(entries.entries(), ([, entry]) => entry.mark))
    if (mark) context.set(marksName(mark), [...(await placesOf(context, mark)), ...those.map(([index]) => first + index)]);
};

const clear = async (context: ObjectContext): Promise<void> => context.clearAll();

/** The records of an append, with the place of the process's first record; undefined for records of the journal, which are always added. */
type AppendRequest = Omit<Append, 'runId'> & { readonly life?: number | undefined };

/** The number of first records that are there already. */
const knownCount = async (context: ObjectContext, { at, entries }: AppendRequest, count: number): Promise<number> => {
  let known = 0;
  if (at === undefined) return known;
  while (at + known < count && (await context.get<string>(entryName(at + known))) === entries[known]?.text) known += 1;
  return known;
};

/** A Restate object for each run of a program, with the records of the run. */
const entriesObject = (name: string, retentionMs: number) => {
  const append = async (context: ObjectContext, request: AppendRequest): Promise<number | null> => {
    const count = await countIn(context);
    if (request.life !== undefined && ((await placesOf(context, 'life')).at(-1) ?? 0) > request.life) return null;
    const added = request.entries.slice(await knownCount(context, request, count));
    for (const [index, { text }] of added.entries()) context.set(entryName(count + index), text);
    await putMarks(context, added, count);
    context.set(countName, count + added.length);
    if (count === 0)
      context.genericSend({ service: name, method: 'clear', key: context.key, parameter: new Uint8Array(), delay: retentionMs });
    return request.at ?? count;
  };
  return object({
    name,
    handlers: { append, clear, read: handlers.object.shared(read), marked: handlers.object.shared(marked) },
    options: { enableLazyState: true, journalRetention: 0 },
  });
};

const pin = async (context: ObjectContext, { runId, note, pinnedAt }: PinRequest): Promise<void> => {
  if (note === undefined) return context.clear(noteName(runId));
  context.set<Note>(noteName(runId), { note, pinnedAt });
};

const pinned = async (context: ObjectSharedContext): Promise<(Pinned & Note)[]> => {
  const found: (Pinned & Note)[] = [];
  for (const key of await context.stateKeys()) {
    const note = await context.get<Note>(key);
    if (note) found.push({ ...note, runId: key.slice(noteName('').length) });
  }
  return found;
};

/**
 * The Restate objects of a program with the notes about its runs. One object takes one call at a time, so the runs are spread over them.
 */
const notesObject = (name: string) =>
  object({ name, handlers: { pin, pinned: handlers.object.shared(pinned) }, options: { journalRetention: 0 } });

export type BoardObjects = ReturnType<typeof boardObjects>;

export const notesName = (program: string): string => `${program}.notes`;

export const boardObjects = (name: string, retentionMs: number) => ({
  entries: entriesObject(`${name}.board`, retentionMs),
  notes: notesObject(notesName(name)),
});

const noteObjects = 64;

/** The object that has the note of a run. */
const noteKeyOf = (runId: string): string => String(createHash('sha256').update(runId).digest().readUInt32BE(0) % noteObjects);

/** The object that remembers that a program's runs are encrypted. */
export const encryptionKey = 'encrypted';

/** Remembers that a program's runs are encrypted. */
export const markEncryption = async (ingress: Ingress, { notes }: BoardObjects): Promise<void> =>
  ingress.objectClient(notes, encryptionKey).pin({ runId: '', note: encryptionKey, pinnedAt: Date.now() });

/** A process's access to Restate. */
interface Reach {
  /** Settles once the program is registered with Restate. */
  readonly ready: () => Promise<void>;
  /** Retries while the server is away: Restate's client repeats no call without an idempotency key. */
  readonly reading: <T>(act: () => Promise<T>) => Promise<T>;
}

/** The board of a program, as its processes see it, once the program is registered with Restate. */
export const boardOf = (ingress: Ingress, { entries, notes }: BoardObjects, { ready, reading }: Reach): Board => {
  const entriesOf = async (runId: string) => {
    await ready();
    return { run: ingress.objectClient(entries, runId) }; // must not be awaited: a client has a method of any name
  };
  return {
    // One call for all readers of a run.
    read: readTogether((places) =>
      places.map(async ([runId, from]) => {
        const { run } = await entriesOf(runId);
        return reading(async () => run.read(from));
      }),
    ),
    marked: async (runId, mark) => {
      const { run } = await entriesOf(runId);
      return reading(async () => run.marked(mark));
    },
    pin: async (runId, note) => {
      await ready();
      await ingress.objectClient(notes, noteKeyOf(runId)).pin({ runId, note, pinnedAt: Date.now() });
    },
    drop: async (runId) => (await entriesOf(runId)).run.clear(),
    pinned: async () => {
      await ready();
      const keys = Array.from({ length: noteObjects }, (_, key) => String(key));
      const found = await Promise.all(keys.map((key) => reading(async () => ingress.objectClient(notes, key).pinned())));
      return found
        .flat()
        .toSorted((one, other) => other.pinnedAt - one.pinnedAt)
        .map(({ runId, note }) => ({ runId, note }));
    },
  };
};
