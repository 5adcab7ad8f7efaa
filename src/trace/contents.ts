import { createHash } from 'node:crypto';
import type { TraceContent, TraceEntry } from '../../schemas/trace-entry.js';
import { fromPlainJson, toPlainJson, type MapText } from './plain-json.js';
import { fieldsIn } from '../phase/plain-data.js';

/** An immutable snapshot of a record. Its lists are stored value by value, as JSON. */
export interface Frozen {
  readonly lists: ReadonlyMap<string, readonly string[]>;
  readonly values: Record<string, unknown>;
}

/** Takes a snapshot of a record: its lists of objects value by value, everything else unchanged. */
export const freeze = (record: object, mapText?: MapText): Frozen => {
  const lists = new Map<string, readonly string[]>();
  const values: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(record)) {
    const written = toPlainJson(field, mapText);
    const list = isListOfObjects(written) && written.map((entry) => JSON.stringify(entry));
    if (list) lists.set(name, list);
    else if (written !== undefined) values[name] = written;
  }
  return { lists, values };
};

const isListOfObjects = (value: unknown): value is object[] =>
  Array.isArray(value) && value.length > 0 && value.every((entry) => typeof entry === 'object' && entry !== null);

/** Numbers the values of a trace, each once. Of a long value only a digest is stored. */
export const createContentWriter = () => {
  const numbers = new Map<string, number>();
  const numberOf = (json: string, adds: unknown[]): number => {
    const key = json.length > 64 ? createHash('sha256').update(json).digest('base64') : json;
    const known = numbers.get(key);
    if (known !== undefined) return known;
    const number = numbers.size;
    numbers.set(key, number);
    adds.push(JSON.parse(json));
    return number;
  };
  /** Returns references to the content of a record. New values are added to `adds`, for the entry that contains them. */
  return ({ lists, values }: Frozen, adds: unknown[]): TraceContent => ({
    lists: Object.fromEntries(
      [...lists].map(([name, list]) => [name, rangesOf(list.map((json) => numberOf(json, adds)))] as const),
    ),
    values,
  });
};

type Ranges = TraceContent['lists'][string];

const rangesOf = (numbers: readonly number[]): Ranges => {
  const ranges: Ranges = [];
  for (const number of numbers) {
    const last = ranges.at(-1);
    if (last && last[0] + last[1] === number) last[1] += 1;
    else ranges.push([number, 1]);
  }
  return ranges;
};

/** Restores snapshots from their references in a trace. */
export const freezeContent = (entries: readonly TraceEntry[]): ((content: TraceContent) => Frozen) => {
  const pool = poolOf(entries);
  return ({ lists, values }) => ({
    lists: new Map(
      Object.entries(lists).map(
        ([name, ranges]) => [name, valuesAt(pool, ranges).map((value) => JSON.stringify(value))] as const,
      ),
    ),
    values,
  });
};

const poolOf = (entries: readonly TraceEntry[]): unknown[] =>
  entries.flatMap((entry) => ('adds' in entry && entry.adds ? entry.adds : []));

const valuesAt = (pool: readonly unknown[], ranges: Ranges): unknown[] =>
  ranges.flatMap(([from, count]) => pool.slice(from, from + count));

/** Reads the content of trace entries. */
type ReadContent = (content: TraceContent) => Record<string, unknown>;

/** Collects the values of a trace. The result belongs to the caller, which may change it. */
export const readContents = (entries: readonly TraceEntry[], mapText?: MapText): ReadContent => {
  const read = (value: unknown): unknown => fromPlainJson(value, mapText);
  const pool = poolOf(entries);
  return ({ lists, values }) => ({
    ...fieldsIn(read(values)), // the same fields
    ...Object.fromEntries(Object.entries(lists).map(([name, ranges]) => [name, valuesAt(pool, ranges).map(read)])),
  });
};
