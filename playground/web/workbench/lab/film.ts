import type { LabEmission, LabRun } from '../../../protocol/workbench.js';

/** One step of a stream; `pushed` is empty if text left without new input. */
export interface FilmEmission extends LabEmission {
  /** Epoch milliseconds, if it was recorded. */
  readonly at?: number;
}

/** A stream, step by step. */
export interface Film {
  readonly chunks: LabRun['chunks'];
  readonly emissions: readonly FilmEmission[];
}

/** The state at one point of a lab's run. */
export interface Frame {
  /** 0 is before the first chunk. */
  readonly index: number;
  /** The text that left before. */
  readonly released: string;
  /** The text that left in this frame. */
  readonly fresh: string;
  /** The buffered text, in the model's words. */
  readonly held: string;
  /** The text that is still to come. */
  readonly coming: string;
  /** The pushed chunk; undefined at the start and at the end of the stream. */
  readonly pushed?: string;
  readonly stop?: LabEmission['stop'];
}

/** The number of frames of a run: one for each emission, and one before them. */
export const frameCount = ({ emissions }: Film): number => emissions.length + 1;

/** The frame at `index`; the last one if that is past the end. */
export const frameAt = ({ chunks, emissions }: Film, index: number): Frame => {
  const at = Math.max(0, Math.min(index, emissions.length));
  const past = emissions.slice(0, at);
  const now = past.at(-1);
  return {
    index: at,
    released: past
      .slice(0, -1)
      .map(({ emitted }) => emitted)
      .join(''),
    fresh: now?.emitted ?? '',
    held: now?.held ?? '',
    coming: chunks.slice(at).join(''), // each emission but the last has one chunk
    ...(now?.pushed !== undefined && { pushed: now.pushed }),
    ...(now?.stop && { stop: now.stop }),
  };
};

/** The next frame after `index` with a visible change: text leaves, or the stream is stopped. */
export const nextRelease = ({ emissions }: Film, index: number): number => {
  const found = emissions.findIndex(({ emitted, stop }, at) => at >= index && (emitted !== '' || stop !== undefined));
  return found < 0 ? emissions.length : found + 1;
};

/** The maximum length of the buffered text, in code points. */
export const mostHeld = ({ emissions }: Film): number => emissions.reduce((most, { heldChars }) => Math.max(most, heldChars), 0);

/** The events of a frame, in words. */
export const describeFrame = ({ index, pushed, fresh, held }: Frame): string => {
  if (index === 0) return 'start of the stream';
  const received =
    pushed === undefined ? 'end of the stream' : pushed === '' ? 'received nothing' : `received ${JSON.stringify(pushed)}`;
  const emitted = fresh === '' ? 'emitted nothing' : `emitted ${JSON.stringify(fresh)}`;
  return `${received}; ${emitted}; ${Array.from(held).length} buffered`;
};
