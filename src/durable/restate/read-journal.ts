import type { PersistedJournal } from '../journal.js';

/** The header with the resource id of a run, set when the run starts. */
export const resourceHeader = 'x-interlock-resource';

/** A row of Restate's table `sys_journal`. */
export interface JournalRow {
  readonly entry_json: string;
}

/** The journal of a run. */
export interface StoredJournal extends PersistedJournal {
  /** The value of the header that names the run's resource. */
  readonly resource: string | undefined;
}

/** The parts that this library reads of an entry, as JSON. */
interface Entry {
  readonly Command?: {
    readonly Input?: { readonly headers: readonly { readonly name: string; readonly value: string }[]; readonly payload: Bytes };
    readonly Run?: { readonly completion_id: number; readonly name: string };
  };
  readonly Notification?: {
    readonly Completion?: { readonly Run?: { readonly completion_id: number; readonly result: { readonly Success?: Bytes } } };
  };
}

type Bytes = readonly number[];

/** The journal in its rows, in their order; undefined if it has no input. A step without a result is left out. */
export const readJournal = (rows: readonly JournalRow[]): StoredJournal | undefined => {
  const entries = rows.map(({ entry_json: json }) => JSON.parse(json) as Entry); // the shape that Restate's table has
  const [started] = entries.flatMap(({ Command }) => Command?.Input ?? []);
  if (!started) return undefined;
  const results = new Map(
    entries
      .flatMap(({ Notification }) => Notification?.Completion?.Run ?? [])
      .map(({ completion_id: id, result }) => [id, result.Success]),
  );
  const steps = entries.flatMap(({ Command }) => {
    const text = Command?.Run && results.get(Command.Run.completion_id);
    return Command?.Run && text ? [{ key: Command.Run.name, text: textOf(text) }] : [];
  });
  const resource = started.headers.find(({ name }) => name === resourceHeader)?.value;
  return { input: textOf(started.payload), steps, resource };
};

const textOf = (bytes: Bytes): string => new TextDecoder().decode(Uint8Array.from(bytes));
