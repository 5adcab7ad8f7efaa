import type { Chunk } from '../../loop/ports.js';
import { decode } from '../../loop/state/encode.js';
import type { Position } from '../../trace/recorder.js';
import type { PersistedCall } from './persisted-segment.js';

/** The heading of a run's entry on the board; a call or a chunk follows it. */
export type Heading =
  /** A process takes up a run segment: from here on nothing counts that another one still says of the run. */
  | { readonly kind: 'life'; readonly life: string; readonly sitting: number }
  /** What can be seen, and the checkpointed section of the run in which it came out. */
  | { readonly kind: 'chunk'; readonly life: string; readonly stretch: string; readonly at: Position };

/** A published chunk of a run. */
export interface RunEntry {
  /** Its place on the board of the run: it grows, not always by one. */
  readonly sequence: number;
  readonly life: string;
  readonly sitting: number;
  readonly stretch: string;
  readonly at: Position;
  /** The chunk as text. */
  readonly text: string;
}

/** Parses the entries of a run from its beginning. */
export interface EntryParser {
  /** The place of what is heard next. */
  readonly place: number;
  /** The processes that have run it, in order. */
  readonly lives: readonly string[];
  /** The last run segment that was taken up, and where that was first. */
  readonly opened: { readonly sitting: number; readonly sequence: number; readonly call: PersistedCall } | undefined;
  /** Takes the next entries; gives what counts of them. */
  take(entries: readonly string[]): RunEntry[];
}

/** @param text the body below the heading, see `encode` */
export const writeEntry = (heading: Heading, text: string): string => `${JSON.stringify(heading)}\n${text}`;

export const readChunk = ({ text }: RunEntry): Chunk => decode(text) as Chunk; // what a chunk was made to

interface StepFinish {
  readonly output?: {
    readonly steps?: readonly { readonly toolCalls?: unknown }[];
    readonly toolCalls?: unknown;
    readonly earlier?: number;
  };
}

/**
 * A `step-finish` chunk repeats all steps so far. It is published with its own step only, so that the cost of a step stays
 * constant.
 */
export const withOwnStep = (chunk: Chunk): Chunk => {
  const { output, ...payload } = (chunk.type === 'step-finish' ? chunk.payload : {}) as StepFinish;
  const last = output?.steps?.at(-1);
  if (!last || last.toolCalls !== output?.toolCalls) return chunk; // the end of an earlier step is repeated
  return { ...chunk, payload: { ...payload, output: { ...output, steps: [last], earlier: (output?.steps?.length ?? 1) - 1 } } };
};

/** Gives each `step-finish` the steps before it back, as far as they were heard. */
export const createStepRestorer = (): ((chunk: Chunk) => Chunk) => {
  let known: readonly unknown[] = [];
  return (chunk) => {
    const { output, ...payload } = (chunk.type === 'step-finish' ? chunk.payload : {}) as StepFinish;
    if (!output?.steps) return chunk;
    const { earlier = 0, ...own } = output;
    known = [...known.slice(0, earlier), ...output.steps];
    return { ...chunk, payload: { ...payload, output: { ...own, steps: known } } };
  };
};

export const createEntryParser = (): EntryParser => {
  let place = 0;
  const lives: string[] = [];
  let opened: EntryParser['opened'];
  const takeOne = (entry: string): RunEntry[] => {
    const end = entry.indexOf('\n');
    const heading = JSON.parse(entry.slice(0, end)) as Heading; // what writeEntry wrote
    const text = entry.slice(end + 1);
    const sequence = place;
    place += 1;
    switch (heading.kind) {
      case 'life': {
        const { life, sitting: segment } = heading;
        lives.push(life);
        if (opened?.sitting !== segment) opened = { sitting: segment, sequence, call: decode(text) as PersistedCall };
        return [];
      }
      case 'chunk': {
        const { life, stretch, at } = heading;
        // A process that was given up, and does not know it, may still speak.
        return life === lives.at(-1) && opened ? [{ sequence, life, sitting: opened.sitting, stretch, at, text }] : [];
      }
      default:
        return heading satisfies never;
    }
  };
  return {
    get place() {
      return place;
    },
    lives,
    get opened() {
      return opened;
    },
    take: (entries) => entries.flatMap(takeOne),
  };
};
