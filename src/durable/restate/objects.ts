import { createHash, randomUUID } from 'node:crypto';
import { handlers, object, type ObjectContext, type ObjectSharedContext, rpc, TerminalError } from '@restatedev/restate-sdk';
import type { Ingress } from '@restatedev/restate-sdk-clients';

import { readTogether } from '../calls.js';
import { type Board, type BoardEntry, type EntryMark, type Pinned, type PlacedEntry, TakenOver } from '../journal.js';
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

interface Append {
  readonly entries: readonly BoardEntry[];
  readonly life?: number | undefined;
}

/** A Restate object for each run of a program, with the messages of processes about it. */
const entriesObject = (name: string, retentionMs: number) => {
  const append = async (context: ObjectContext, { entries, life }: Append): Promise<number | null> => {
    const count = await countIn(context);
    if (life !== undefined && ((await placesOf(context, 'life')).at(-1) ?? 0) > life) return null;
    for (const [index, { text }] of entries.entries()) context.set(entryName(count + index), text);
    await putMarks(context, entries, count);
    context.set(countName, count + entries.length);
    if (count === 0)
      context.genericSend({ service: name, method: 'clear', key: context.key, parameter: new Uint8Array(), delay: retentionMs });
    return count;
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

interface BoardObjects {
  readonly entries: ReturnType<typeof entriesObject>;
  readonly notes: ReturnType<typeof notesObject>;
}

export const boardObjects = (name: string, retentionMs: number): BoardObjects => ({
  entries: entriesObject(`${name}.board`, retentionMs),
  notes: notesObject(`${name}.notes`),
});

const noteObjects = 64;

/** The object that has the note of a run. */
const noteKeyOf = (runId: string): string => String(createHash('sha256').update(runId).digest().readUInt32BE(0) % noteObjects);

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
    append: async (runId, added, life) => {
      const place = await (await entriesOf(runId)).run.append({ entries: added, life });
      if (place === null) throw new TakenOver();
      return place;
    },
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
const partName = (part: string): string => `part ${part}`;

const find = async (context: ObjectSharedContext, part: string): Promise<string | null> =>
  (await context.get<PersistedPart>(partName(part)))?.text ?? null;

/** Returns whether the caller stored the value: true for the first caller only. */
const keep = async (
  context: ObjectContext,
  { part, ...persisted }: PersistedPart & { readonly part: string },
): Promise<boolean> => {
  const known = await context.get<PersistedPart>(partName(part));
  if (known === null) context.set<PersistedPart>(partName(part), persisted);
  return known === null || known.by === persisted.by;
};

const noteLife = async (context: ObjectContext, steps: number): Promise<number> => {
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

/** The ledger of a run, as one attempt at it sees it. */
export const ledgerOf = (ingress: Ingress, ledger: LedgerObject, runId: string): Ledger => {
  const run = ingress.objectClient(ledger, runId);
  const by = randomUUID();
  return {
    find: async (part) => (await run.find(part)) ?? undefined,
    keep: async (part, text) => {
      if (!(await run.keep({ part, text, by }))) throw new TakenOver();
    },
    countStart: async (steps) => run.noteLife(steps),
    uncountStart: async () => run.noteSurvival(),
  };
};
