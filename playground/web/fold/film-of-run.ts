import type { StudioEntry } from '../../protocol/trace-entry.js';
import type { Film, FilmEmission } from '../workbench/lab/film.js';
import type { Lane } from './run-view.js';

/** The stream of an attempt, as recorded by the run. */
export interface RunFilm extends Film {
  /** The last line included in each frame, from the second frame on. */
  readonly lines: readonly number[];
}

type Frames = { pushed?: string; emitted: string; at: number; seq: number; stop?: NonNullable<FilmEmission['stop']> }[];

/**
 * The film of an attempt; `undefined` if no text arrived. Text that no reader has seen is shown as blocks unless it is given.
 *
 * @param words the arrived text, by its lines
 */
export const filmOfRun = (
  entries: readonly StudioEntry[],
  lane: Pick<Lane, 'stepNumber' | 'attempt'>,
  words?: ReadonlyMap<number, string>,
): RunFilm | undefined => {
  const frames: Frames = [];
  for (const entry of entries) {
    if (entry.kind === 'event' ? !isOf(entry.event, lane) : !('stepNumber' in entry && isOf(entry, lane))) continue;
    addTo(frames, entry, words);
  }
  if (frames.length === 0) return undefined;
  let [received, emittedChars] = ['', 0];
  const emissions = frames.map(({ seq: _seq, ...frame }): FilmEmission => {
    received += frame.pushed ?? '';
    emittedChars += frame.emitted.length;
    const heldChars = frame.pushed === undefined ? 0 : Math.max(0, received.length - emittedChars);
    return { ...frame, heldChars, held: heldChars === 0 ? '' : received.slice(-heldChars) };
  });
  return { chunks: frames.map(({ pushed = '' }) => pushed), emissions, lines: frames.map(({ seq }) => seq) };
};

const isOf = (
  place: { readonly stepNumber: number; readonly attempt: number },
  lane: Pick<Lane, 'stepNumber' | 'attempt'>,
): boolean => place.stepNumber === lane.stepNumber && place.attempt === lane.attempt;

/** Text that leaves within this time after a chunk arrived is shown in its frame. */
const sameFrameMs = 5;

const addTo = (frames: Frames, entry: StudioEntry, words: ReadonlyMap<number, string> | undefined): void => {
  const { seq, at } = entry;
  const last = frames.at(-1);
  if (entry.kind === 'came' && entry.part.chars > 0)
    frames.push({ pushed: words?.get(seq) ?? '▒'.repeat(entry.part.chars), emitted: '', at, seq });
  if (!last) return;
  if (entry.kind === 'event') endWith(frames, last, entry);
  if (entry.kind !== 'left' || entry.text === undefined) return;
  if (at - last.at <= sameFrameMs) Object.assign(last, { emitted: last.emitted + entry.text, seq });
  else frames.push({ pushed: '', emitted: entry.text, at, seq });
};

type EventEntry = Extract<StudioEntry, { kind: 'event' }>;

/** The attempt ends, or a guard ends it. */
const endWith = (frames: Frames, last: Frames[number], { event, at, seq }: EventEntry): void => {
  if (event.type === 'guard' && /^(trip|retry)$/.test(event.verdict))
    last.stop ??= { processorId: event.processorId, kind: event.verdict, reason: event.reason ?? '' };
  if (event.type === 'step-finish' && !last.stop && last.pushed !== undefined) frames.push({ emitted: '', at, seq });
};
