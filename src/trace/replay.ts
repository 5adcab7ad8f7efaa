import type { TraceContent, TraceEntry } from '../../schemas/trace-entry.js';
import type { Trace } from './traces.js';
import { createContentWriter, freezeContent, type Frozen } from './contents.js';

/**
 * A replayed trace with the clock of the recorded one. A line that differs from a recorded line only in time is replaced by it,
 * at its place, because only the clock orders concurrent lines. New lines follow the line that they followed in the
 * replay.
 */
export const alignTrace = (replayed: Trace, recorded: Trace): Trace => {
  const known = byKey(recorded);
  let order = -1;
  const placed = standalone(replayed).map((entry, index) => {
    const match = known.get(keyOf(entry))?.shift();
    order = match?.entry.seq ?? order;
    return { entry: match ?? entry, order, index };
  });
  placed.sort((a, b) => a.order - b.order || a.index - b.index);
  return renumbered(placed.map(({ entry }) => entry));
};

/** A line with all values that it refers to. */
interface Standalone {
  readonly entry: TraceEntry;
  /** The content of its fields by name, in their order. */
  readonly contents: readonly (readonly [name: string, Frozen])[];
}

const contentFields = ['received', 'returned', 'request', 'list'] as const;

const standalone = (trace: Trace): Standalone[] => {
  const freeze = freezeContent(trace);
  return trace.map((entry) => {
    const fields = entry as { readonly [K in (typeof contentFields)[number]]?: TraceContent };
    return {
      entry,
      contents: contentFields.flatMap((name) => (fields[name] ? [[name, freeze(fields[name])] as const] : [])),
    };
  });
};

const byKey = (trace: Trace): Map<string, Standalone[]> => {
  const known = new Map<string, Standalone[]>();
  for (const line of standalone(trace)) {
    const key = keyOf(line);
    known.set(key, [...(known.get(key) ?? []), line]);
  }
  return known;
};

/** Fields that depend on the clock or on the numbering. */
const clockFields = new Set(['seq', 'at', 'durationMs', 'createdAt', 'adds', ...contentFields]);

/** Lines with equal keys have equal content. */
const keyOf = ({ entry, contents }: Standalone): string => {
  const content = contents.map(([name, { lists, values }]) => [
    name,
    [...lists].map(([list, jsons]) => [list, jsons.map((json): unknown => JSON.parse(json))]),
    values,
  ]);
  return JSON.stringify([entry, content], (key, value: unknown) => (clockFields.has(key) ? undefined : value));
};

/** The lines with new numbers; each value is recorded at its first occurrence. */
const renumbered = (lines: readonly Standalone[]): Trace => {
  const write = createContentWriter();
  let eventSeq = 0;
  let at = 0;
  return lines.map(({ entry, contents }, seq) => {
    at = Math.max(at, entry.at);
    const adds: unknown[] = [];
    const written = Object.fromEntries(contents.map(([name, frozen]) => [name, write(frozen, adds)] as const));
    const isEvent = entry.kind === 'event';
    const event = isEvent ? { event: { ...entry.event, seq: eventSeq } } : {};
    if (isEvent) eventSeq += 1;
    return { ...entry, seq, ...event, ...written, ...('adds' in entry && { adds }) };
  });
};

/** Takes the next recorded item that fits: each is returned once, in their order. */
export const createTape = <T>(recorded: readonly T[]): ((fits: (recorded: T) => boolean) => T | undefined) => {
  const rest = [...recorded];
  return (fits) => {
    const index = rest.findIndex(fits);
    return index === -1 ? undefined : rest.splice(index, 1)[0];
  };
};
