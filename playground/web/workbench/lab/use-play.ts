import { useEffect, useState } from 'react';
import { nextRelease, type Film } from './film.js';
import { usePageKeys } from './use-page-keys.js';

interface PlayOptions {
  readonly film: Film;
  readonly index: number;
  readonly last: number;
  readonly onGo: (index: number) => void;
}

/** Between frames of a stream without times. */
const stepMs = 120;
/** Nobody waits longer for the next frame. */
const longestMs = 2_000;

/** Milliseconds from the frame at `index` to the next. */
const waitAfter = ({ emissions }: Film, index: number): number => {
  const [now, next] = [emissions[index - 1]?.at, emissions[index]?.at];
  if (next === undefined) return stepMs;
  return now === undefined ? 0 : Math.min(longestMs, Math.max(0, next - now));
};

/** Moves through a film at the speed of its stream; from the end it begins anew. */
export const usePlay = ({
  film,
  index,
  last,
  onGo,
}: PlayOptions): { readonly isPlaying: boolean; readonly toggle: () => void } => {
  const [isPlaying, setIsPlaying] = useState(false);
  useEffect(() => {
    if (!isPlaying) return undefined;
    const timer = setTimeout(
      () => (index < last ? onGo(index + 1) : setIsPlaying(false)),
      index < last ? waitAfter(film, index) : 0,
    );
    return () => clearTimeout(timer);
  }, [isPlaying, film, index, last, onGo]);
  const toggle = (): void => {
    if (!isPlaying && index >= last) onGo(0);
    setIsPlaying(!isPlaying);
  };
  usePageKeys({ p: toggle, n: () => onGo(nextRelease(film, index)) });
  return { isPlaying, toggle };
};
