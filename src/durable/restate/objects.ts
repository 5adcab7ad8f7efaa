import { createHash, randomUUID } from 'node:crypto';
import { handlers, object, type ObjectContext, type ObjectSharedContext, rpc, TerminalError } from '@restatedev/restate-sdk';
import type { Ingress } from '@restatedev/restate-sdk-clients';

import { keepTrying, readTogether } from '../calls.js';
import {
  type Append,
  type Board,
  type BoardEntry,
  type Durable,
  type EntryMark,
  type Pinned,
  type PlacedEntry,
  TakenOver,
} from '../journal.js';
import type { Ledger } from '../ledger.js';
import { type Admin, resourceHeader } from './admin.js';
import { plainText, retryHeader, type RunWorkflowDefinition } from './run-workflow.js';

interface Note {
  readonly note: string;
  /** Epoch milliseconds. */
  readonly pinnedAt: number;
}

interface PinRequest {
  readonly runId: string;
  /** Undefined to remove the note. */
  readonly note?: string;
  readonly pinnedAt: number;
}

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
  return entriesAt(
    context,
    Array.from({ length: remaining }, (_, index) => from + index),
  );
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
export type AppendRequest = Omit<Append, 'runId'> & { readonly life?: number | undefined };

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

export interface BoardObjects {
  readonly entries: ReturnType<typeof entriesObject>;
  readonly notes: ReturnType<typeof notesObject>;
}

export const notesName = (program: string): string => `${program}.notes`;

export const boardObjects = (name: string, retentionMs: number): BoardObjects => ({
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

/** The number of processes that died of a run after the same step. */
interface Deaths {
  readonly steps: number;
  readonly count: number;
}

interface PersistedPart {
  readonly text: string;
  /** The execution that stored it. */
  readonly by: string;
}

const deathsName = 'deaths';
const holderName = 'holder';
const partName = (part: string): string => `part ${part}`;

/** The stored result of a part, and whether the attempt that asks for it is the last one that has started. */
const find = async (
  context: ObjectSharedContext,
  { part, by }: { readonly part: string; readonly by: string },
): Promise<{ readonly text?: string; readonly isHeld: boolean }> => {
  const [known, holder] = [await context.get<PersistedPart>(partName(part)), await context.get<string>(holderName)];
  return { ...(known && { text: known.text }), isHeld: holder === by };
};

/** Returns whether the caller stored the value: true for the first caller only. */
const keep = async (
  context: ObjectContext,
  { part, ...persisted }: PersistedPart & { readonly part: string },
): Promise<boolean> => {
  const known = await context.get<PersistedPart>(partName(part));
  if (known === null) context.set<PersistedPart>(partName(part), persisted);
  return known === null || known.by === persisted.by;
};

const noteLife = async (
  context: ObjectContext,
  { steps, by }: { readonly steps: number; readonly by: string },
): Promise<number> => {
  context.set(holderName, by);
  const before = await context.get<Deaths>(deathsName);
  const count = before?.steps === steps ? before.count + 1 : 0;
  context.set<Deaths>(deathsName, { steps, count });
  return count;
};

const noteSurvival = async (context: ObjectContext): Promise<void> => {
  const before = await context.get<Deaths>(deathsName);
  if (before) context.set<Deaths>(deathsName, { ...before, count: before.count - 1 });
};

const forget = async (context: ObjectContext): Promise<void> => context.clearAll();

/**
 * Restarts a lost run of a workflow. Restate cannot restart workflows: this deletes the run's invocation and starts another,
 * which finds the results of the first one's steps here. As a handler, it survives its process between these actions.
 */
const retryWith = (workflow: string, admin: Admin | undefined) => async (context: ObjectContext) => {
  if (!admin) throw new TerminalError('The process that Restate has called has no `adminUrl`.');
  const { key } = context;
  const lost = await context.run('journal', async () => (await admin.lostRun(key)) ?? null);
  if (!lost) return false;
  for (const step of lost.steps) context.set<PersistedPart>(partName(step.key), { text: step.text, by: 'retry' });
  context.clear(deathsName);
  await context.run('purge', () => admin.purge(key));
  const headers = { ...(lost.resource !== undefined && { [resourceHeader]: lost.resource }), [retryHeader]: 'true' };
  context
    .workflowSendClient<RunWorkflowDefinition>({ name: workflow }, key)
    .run(lost.input, rpc.sendOpts({ input: plainText, headers }));
  return true;
};

/** A Restate object for each run of a program's workflow. It stores the run's data outside its journal. */
export const ledgerObject = (workflow: string, admin: Admin | undefined) =>
  object({
    name: `${workflow}.ledger`,
    handlers: {
      find: handlers.object.shared(find),
      keep,
      noteLife,
      noteSurvival,
      forget,
      retry: retryWith(workflow, admin),
    },
    options: { enableLazyState: true, journalRetention: 0 }, // a call needs one part of many
  });

type LedgerObject = ReturnType<typeof ledgerObject>;

/** The ledger of a run, as one attempt at it sees it. Calls are repeated until the attempt is over: the result of a tool is never given up. */
export const ledgerOf = (ingress: Ingress, ledger: LedgerObject, { runId, over }: AttemptAt): Ledger => {
  const run = ingress.objectClient(ledger, runId);
  const by = randomUUID();
  let hasStarted = false;
  const patiently = <T>(act: () => Promise<T>): Promise<T> => keepTrying(act, { path: 'ingressUrl', signal: over }).done;
  return {
    find: async (part) => {
      const { text, isHeld } = await patiently(async () => run.find({ part, by }));
      if (hasStarted && !isHeld) throw new TakenOver();
      return text;
    },
    keep: async (part, text) => {
      if (!(await patiently(async () => run.keep({ part, text, by })))) throw new TakenOver();
    },
    countStart: async (steps) => {
      const deaths = await run.noteLife({ steps, by });
      hasStarted = true;
      return deaths;
    },
    uncountStart: async () => run.noteSurvival(),
  };
};

/** An attempt at a run. */
export interface AttemptAt {
  readonly runId: string;
  readonly over: AbortSignal;
}

/** Adds records early, as one attempt at a run. */
export const publisherOf = (ingress: Ingress, { entries: records }: BoardObjects, over: AbortSignal): Durable['publish'] => {
  let life: number | undefined;
  return async ({ runId, at, entries }) => {
    const request = { at, entries, life: at === undefined ? undefined : life };
    const append = async () => ingress.objectClient(records, runId).append(request);
    const place = await keepTrying(append, { path: 'ingressUrl', signal: over }).done;
    if (place === null) throw new TakenOver();
    if (at === undefined) life = place;
    return place;
  };
};
