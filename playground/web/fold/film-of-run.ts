import type { StudioEntry } from '../../protocol/trace-entry.js';
import type { Film, FilmEmission } from '../workbench/lab/film.js';
import type { Lane } from '../../fold/run-view.js';

/** The stream of an attempt, as recorded by the run. */
export interface RunFilm extends Film {
  /** The last line included in each frame, from the second frame on. */
  readonly lines: readonly number[];
}

type Frame = Pick<FilmEmission, 'pushed' | 'stop'> & { emitted: string; at: number; seq: number };

/**
 * The film of an attempt; `undefined` if no text arrived. A frame begins with a chunk of the model, or with the end of a part,
 * and has everything that was sent before the next: the order of the record decides, never a clock. Text that no reader has
 * seen is shown as blocks unless it is given.
 *
 * @param words the arrived text, by its lines
 */
export const filmOfRun = (
  entries: readonly StudioEntry[],
  { stepNumber, attempt }: Pick<Lane, 'stepNumber' | 'attempt'>,
  words?: ReadonlyMap<number, string>,
): RunFilm | undefined => {
  const frames: Frame[] = [];
  for (const entry of entries) {
    const place = entry.kind === 'event' ? entry.event : entry;
    if ('stepNumber' in place && place.stepNumber === stepNumber && place.attempt === attempt) addTo(frames, entry, words);
  }
  if (frames.length === 0) return undefined;
  let [received, emittedChars] = ['', 0];
  const emissions = frames.map(({ seq: _seq, ...frame }): FilmEmission => {
    received += frame.pushed ?? '';
    emittedChars += frame.emitted.length;
    const isEnd = frame.pushed === undefined && frame.stop === undefined;
    const held = isEnd ? '' : received.slice(emittedChars);
    return { ...frame, heldChars: held.length, held };
  });
  return { chunks: frames.map(({ pushed = '' }) => pushed), emissions, lines: frames.map(({ seq }) => seq) };
};

const addTo = (frames: Frame[], entry: StudioEntry, words: ReadonlyMap<number, string> | undefined): void => {
  const { seq } = entry;
  const last = frames.at(-1);
  if (entry.kind === 'came') addFrame(frames, entry, words);
  else if (last && entry.kind === 'left' && entry.text !== undefined)
    Object.assign(last, { emitted: last.emitted + entry.text, seq });
  else if (last && !last.stop && entry.kind === 'event') {
    const stop = stopIn(entry.event);
    if (stop) Object.assign(last, { stop, seq });
  }
};

type Came = Extract<StudioEntry, { kind: 'came' }>;

const addFrame = (frames: Frame[], { seq, at, part: { chars, type } }: Came, words: ReadonlyMap<number, string> | undefined) => {
  const isEnd = /^(text|reasoning)-end$/.test(type) && frames.at(-1)?.pushed !== undefined;
  if (chars > 0) frames.push({ pushed: words?.get(seq) ?? '▒'.repeat(chars), emitted: '', at, seq });
  else if (isEnd) frames.push({ emitted: '', at, seq });
};

/** The guard that ended the attempt. */
const stopIn = (event: Extract<StudioEntry, { kind: 'event' }>['event']): Frame['stop'] => {
  if (event.type !== 'guard' || !/^(trip|retry)$/.test(event.verdict)) return undefined;
  const { processorId, verdict: kind, reason = '' } = event;
  return { processorId, kind, reason };
};
