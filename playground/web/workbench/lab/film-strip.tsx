import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useRef } from 'react';
import type { Film } from './film.js';

interface FilmStripProps {
  readonly film: Film;
  readonly index: number;
  readonly onGo: (index: number) => void;
}

const frameWidth = 76;

/** The frames in a row: what went in above, what left below. The slider is its keyboard. */
export const FilmStrip = ({ film: { emissions }, index, onGo }: FilmStripProps) => {
  const strip = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: emissions.length,
    getScrollElement: () => strip.current,
    estimateSize: () => frameWidth,
    horizontal: true,
    overscan: 6,
  });
  useEffect(() => {
    if (index > 0) virtual.scrollToIndex(index - 1, { align: 'auto' });
  }, [virtual, index]);
  return (
    <div className="reel" ref={strip} tabIndex={-1}>
      <div className="reel-all" style={{ width: virtual.getTotalSize() }}>
        {virtual.getVirtualItems().map(({ index: at, start }) => {
          const { pushed, left = '', heldChars = 0, stop } = emissions[at] ?? {};
          const number = at + 1;
          const look = stop ? 'reel-stopped' : left === '' ? '' : 'reel-left';
          return (
            <button
              key={at}
              type="button"
              tabIndex={-1}
              aria-current={number === index || undefined}
              className={`reel-frame ${look}`}
              style={{ transform: `translateX(${start}px)`, width: frameWidth - 4 }}
              onClick={() => onGo(number)}
            >
              <span className="unseen">Chunk {number}: </span>
              <bdi className="reel-in">{pushed === undefined ? 'end' : visible(pushed) || '—'}</bdi>
              <bdi className="reel-out">{stop ? '■' : visible(left) || '—'}</bdi>
              <span className="reel-held">{heldChars > 0 ? `▒ ${heldChars}` : ''}</span>
            </button>
          );
        })}
      </div>
    </div>
  );
};

/** Spaces and line ends as signs, since a frame may be nothing else. */
const visible = (text: string): string => text.replaceAll(' ', '␣').replaceAll('\n', '⏎');
