import type { BoardEntry, EntryMark, PlacedEntry } from '../../durable/journal.js';
import type { Chunk } from '../../loop/ports.js';
import { attempted } from '../../phase/awaitable.js';
import { InterlockError } from '../../errors.js';
import { decodeAt } from '../../loop/state/encode.js';
import type { Position } from '../../trace/recorder.js';
import type { PersistedCall } from './persisted-segment.js';

/** The heading of a run's record; a call or a chunk follows it. */
type Heading =
  /** A process starts to run a run segment. */
  | { readonly kind: 'life'; readonly sitting: number }
  /** A visible chunk, and the checkpointed section of the run that produced it. `own`: without the run's id and sender, see {@link fromAgent}. */
  | { readonly kind: 'chunk' | 'own'; readonly stretch: string; readonly at: Position };

/** A published chunk of a run. */
export interface RunEntry {
  readonly runId: string;
  /** Its place on the board of the run: it grows, not always by one. */
  readonly sequence: number;
  readonly sitting: number;
  readonly stretch: string;
  readonly at: Position;
  readonly kind: 'chunk' | 'own';
  /** The chunk as text. */
  readonly text: string;
}

/** The fields that most chunks of a run share. They are not stored with each. */
export const fromAgent = (runId: string) => ({ runId, from: 'AGENT' }) as const;

/** The last run segment that a process has started: the place of the first start, the call of the last one, the number of starts. */
interface OpenedSegment {
  readonly sitting: number;
  readonly sequence: number;
  readonly processes: number;
  readonly call: PersistedCall;
}

const headingText = (heading: Heading): string => {
  if (heading.kind === 'life') return `life ${heading.sitting}`;
  const { kind, stretch, at } = heading;
  return `${kind} ${at.stepNumber} ${at.attempt} ${stretch}`;
};

/** Undefined for a text that is no heading. Earlier versions wrote JSON. */
const headingOf = (text: string): Heading | undefined => {
  if (text.startsWith('{')) return attempted(() => JSON.parse(text) as Heading);
  const [, sitting] = /^life (\d+)$/.exec(text) ?? [];
  if (sitting !== undefined) return { kind: 'life', sitting: Number(sitting) };
  const [, kind, stepNumber, attempt, stretch = ''] = /^(own|chunk) (\d+) (\d+) (.*)$/s.exec(text) ?? [];
  if (kind !== 'own' && kind !== 'chunk') return undefined;
  return { kind, stretch, at: { stepNumber: Number(stepNumber), attempt: Number(attempt) } };
};

/** @param text the body below the heading, see `encode` */
export const writeEntry = (heading: Heading, text: string, mark?: EntryMark): BoardEntry => ({
  text: `${headingText(heading)}\n${text}`,
  mark: heading.kind === 'life' ? 'life' : mark,
});

/** Raises `durable/damaged`. */
export const readChunk = ({ text, runId, sequence, kind }: RunEntry): Chunk => {
  const chunk = decodeAt(text, `${runId} entry ${sequence}`) as Chunk; // a chunk
  return kind === 'own' ? { ...chunk, ...fromAgent(runId) } : chunk;
};

interface StepFinish {
  readonly output?: { readonly steps?: readonly unknown[]; readonly earlier?: number };
}

const finishIn = (chunk: Chunk): StepFinish => (chunk.type === 'step-finish' ? (chunk.payload as StepFinish) : {});

/** Replaces the steps so far that a `step-finish` chunk repeats. Other chunks are unchanged. */
export const withSteps = (chunk: Chunk, pick: (steps: readonly unknown[], earlier: number) => object): Chunk => {
  const { output, ...payload } = finishIn(chunk);
  if (!output?.steps) return chunk;
  const { steps, earlier = 0, ...own } = output;
  return { ...chunk, payload: { ...payload, output: { ...own, ...pick(steps, earlier) } } };
};

/** Restores the earlier steps of each `step-finish` chunk. */
export const createStepRestorer = (earlierSteps: (before: number) => Promise<readonly RunEntry[]>) => {
  let known: readonly unknown[] = [];
  const restore = (chunk: Chunk): Chunk =>
    withSteps(chunk, (steps, earlier) => ({ steps: (known = [...known.slice(0, earlier), ...steps]) }));
  return async (chunk: Chunk, { sequence }: RunEntry): Promise<Chunk> => {
    const { output } = finishIn(chunk);
    if ((output?.earlier ?? 0) > known.length) for (const one of await earlierSteps(sequence)) restore(readChunk(one));
    return restore(chunk);
  };
};

const readEntry = (entry: string, path: string): { readonly heading: Heading; readonly text: string } => {
  const end = entry.indexOf('\n');
  const heading = headingOf(entry.slice(0, end));
  if (!heading) throw new InterlockError('durable/damaged', { path, detail: 'it has no heading.' });
  return { heading, text: entry.slice(end + 1) };
};

/** @param from the place of the first entry; pass marked entries before it to `takePlaced` */
export const createEntryParser = (runId: string, from = 0) => {
  let place = from;
  let opened: OpenedSegment | undefined;
  const takeOne = ({ place: sequence, text: entry }: PlacedEntry): RunEntry[] => {
    const path = `${runId} entry ${sequence}`;
    const { heading, text } = readEntry(entry, path);
    switch (heading.kind) {
      case 'life': {
        const { sitting: segment } = heading;
        const first = opened?.sitting === segment ? opened : { sitting: segment, sequence, processes: 0 };
        opened = { ...first, processes: first.processes + 1, call: decodeAt(text, path) as PersistedCall };
        return [];
      }
      case 'chunk':
      case 'own': {
        return opened ? [{ runId, sequence, sitting: opened.sitting, ...heading, text }] : [];
      }
      default:
        return heading satisfies never;
    }
  };
  return {
    /** The place of the next entry. */
    get place() {
      return place;
    },
    get opened() {
      return opened;
    },
    /** Parses the next entries. Returns the chunks. */
    take: (entries: readonly string[]) => entries.flatMap((text) => takeOne({ place: place++, text })),
    /** Parses entries from any places, in ascending order. Returns the chunks. */
    takePlaced: (entries: readonly PlacedEntry[]) => entries.flatMap(takeOne),
  };
};
