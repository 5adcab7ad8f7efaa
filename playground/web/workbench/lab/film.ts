import type { LabEmission, LabRun } from '../../../protocol/workbench.js';

/** One step of a stream; `pushed` is empty where words left while none came. */
export interface FilmEmission extends LabEmission {
  /** Epoch milliseconds, where it was recorded. */
  readonly at?: number;
}

/** A stream, step by step. */
export interface Film {
  readonly chunks: LabRun['chunks'];
  readonly emissions: readonly FilmEmission[];
}

/** How things stood at one point of a lab's run. */
export interface Frame {
  /** 0 is before the first chunk. */
  readonly index: number;
  /** What had left before. */
  readonly released: string;
  /** What left just now. */
  readonly fresh: string;
  /** What is held back, in the model's words. */
  readonly held: string;
  /** What has not come yet. */
  readonly coming: string;
  /** What went in just now; absent at the start and at the end of the stream. */
  readonly pushed?: string;
  readonly stop?: LabEmission['stop'];
}

/** How many frames a run has: one for each emission, and one before them. */
export const frameCount = ({ emissions }: Film): number => emissions.length + 1;

/** The frame at `index`; the last one where that is past the end. */
export const frameAt = ({ chunks, emissions }: Film, index: number): Frame => {
  const at = Math.max(0, Math.min(index, emissions.length));
  const past = emissions.slice(0, at);
  const now = past.at(-1);
  return {
    index: at,
    released: past
      .slice(0, -1)
      .map(({ left }) => left)
      .join(''),
    fresh: now?.left ?? '',
    held: now?.held ?? '',
    coming: chunks.slice(at).join(''), // each emission but the last is of one chunk
    ...(now?.pushed !== undefined && { pushed: now.pushed }),
    ...(now?.stop && { stop: now.stop }),
  };
};

/** The next frame after `index` in which something happens to what a reader sees: words leave, or the stream is stopped. */
export const nextRelease = ({ emissions }: Film, index: number): number => {
  const found = emissions.findIndex(({ left, stop }, at) => at >= index && (left !== '' || stop !== undefined));
  return found < 0 ? emissions.length : found + 1;
};

/** The most that was held at any point, in code points. */
export const mostHeld = ({ emissions }: Film): number => emissions.reduce((most, { heldChars }) => Math.max(most, heldChars), 0);

/** What happened in a frame, in words. */
export const sayFrame = ({ index, pushed, fresh, held }: Frame): string => {
  if (index === 0) return 'nothing has come';
  const came = pushed === undefined ? 'the stream ended' : pushed === '' ? 'nothing came' : `came ${JSON.stringify(pushed)}`;
  const left = fresh === '' ? 'nothing left' : `left ${JSON.stringify(fresh)}`;
  return `${came}; ${left}; ${Array.from(held).length} held`;
};
