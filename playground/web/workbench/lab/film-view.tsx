import { ArrowLeft, ArrowRight, OctagonX, Pause, Play, SkipForward } from 'lucide-react';
import { useEffect, useState } from 'react';
import { Button } from '../../components/button.js';
import { InertText } from '../../components/inert-text.js';
import { Notice } from '../../components/notices.js';
import { frameAt, frameCount, mostHeld, nextRelease, describeFrame, type Film, type Frame } from './film.js';
import { usePageKeys } from '../../components/use-page-keys.js';
import { VirtualList } from '../../components/virtual-list.js';

interface FilmViewProps {
  readonly film: Film;
  readonly index: number;
  readonly onGo: (index: number) => void;
  /** The keys for moving it, in addition to `p` and `n`, as displayed. */
  readonly keys: string;
}

/** A stream chunk by chunk: the arrived, buffered and released text. */
export const FilmView = ({ film, index, onGo, keys }: FilmViewProps) => {
  const frame = frameAt(film, index);
  const last = frameCount(film) - 1;
  return (
    <div className="stack">
      <FilmText frame={frame} />
      <FilmTools film={film} frame={frame} last={last} onGo={onGo} />
      <p className="film-words">
        <strong>
          {index} of {last}
        </strong>{' '}
        <InertText text={describeFrame(frame)} />
      </p>
      {frame.stop && (
        <Notice tone="trip" icon={OctagonX}>
          <p>
            <code>{frame.stop.processorId}</code> stopped the stream ({frame.stop.kind}): <InertText text={frame.stop.reason} />
          </p>
        </Notice>
      )}
      <FilmStrip film={film} index={index} onGo={onGo} />
      <p className="faint film-words">
        <kbd>p</kbd> play, <kbd>n</kbd> next emission, {keys}. Peak buffer: {mostHeld(film)} characters.
      </p>
    </div>
  );
};

interface FilmToolsProps extends Pick<FilmViewProps, 'film' | 'onGo'> {
  readonly frame: Frame;
  readonly last: number;
}

const FilmTools = ({ film, frame, last, onGo }: FilmToolsProps) => {
  const { index } = frame;
  const { isPlaying, toggle } = usePlay({ film, index, last, onGo });
  return (
    <div className="cluster">
      <Button icon={isPlaying ? Pause : Play} aria-keyshortcuts="p" disabled={last === 0} onClick={toggle}>
        {isPlaying ? 'Pause' : 'Play'}
      </Button>
      <Button icon={ArrowLeft} aria-label="Previous chunk" disabled={index === 0} onClick={() => onGo(index - 1)} />
      <input
        className="film-range"
        type="range"
        aria-label="Stream position"
        aria-valuetext={`${index} of ${last}: ${describeFrame(frame)}`}
        min={0}
        max={last}
        value={index}
        onChange={({ target }) => onGo(Number(target.value))}
      />
      <Button icon={ArrowRight} aria-label="Next chunk" disabled={index === last} onClick={() => onGo(index + 1)} />
      <Button icon={SkipForward} aria-keyshortcuts="n" disabled={index === last} onClick={() => onGo(nextRelease(film, index))}>
        Next emission
      </Button>
    </div>
  );
};

/** The text in a frame: released, buffered and pending. */
const FilmText = ({ frame: { released, fresh, held, coming } }: { readonly frame: Frame }) => (
  <>
    <div className="film-text">
      <Words look="film-released" label="emitted" text={released.slice(-mostChars)} />
      <Words look="film-released film-fresh" label="just emitted" text={fresh} />
      <Words look="film-held" label="buffered" text={held} />
      <Words look="film-coming" label="pending" text={coming.slice(0, mostChars)} />
    </div>
    <ul className="cluster tiny" aria-hidden>
      <li className="film-released">emitted</li>
      <li>
        <span className="film-held">buffered</span>
      </li>
      <li className="film-coming faint">pending</li>
    </ul>
  </>
);

/** Of a long text only the nearby part is shown. */
const mostChars = 4_000;

const Words = ({ look, label, text }: { readonly look: string; readonly label: string; readonly text: string }) =>
  text !== '' && (
    <span className={look}>
      <span className="unseen">{label}: </span>
      <InertText text={text} />
    </span>
  );

const frameWidth = 76;

/** The frames in a row: input above, output below. The slider has the keyboard controls. */
const FilmStrip = ({ film: { emissions }, index, onGo }: Omit<FilmViewProps, 'keys'>) => (
  <VirtualList label="Chunks" className="reel" count={emissions.length} size={frameWidth} isHorizontal at={index - 1}>
    {(at) => {
      const { pushed, emitted = '', heldChars = 0, stop } = emissions[at] ?? {};
      const number = at + 1;
      const look = stop ? 'reel-stopped' : emitted === '' ? '' : 'reel-left';
      return (
        <button
          type="button"
          tabIndex={-1}
          aria-current={number === index || undefined}
          className={`reel-frame ${look}`}
          onClick={() => onGo(number)}
        >
          <span className="unseen">Chunk {number}: </span>
          <bdi className="reel-in ellipsis soft">{pushed === undefined ? 'end' : visible(pushed) || '—'}</bdi>
          <bdi className="reel-out ellipsis">{stop ? '■' : visible(emitted) || '—'}</bdi>
          <span className="reel-held">{heldChars > 0 ? `▒ ${heldChars}` : ''}</span>
        </button>
      );
    }}
  </VirtualList>
);

/** Spaces and line ends as signs, because a frame may contain nothing else. */
const visible = (text: string): string => text.replaceAll(' ', '␣').replaceAll('\n', '⏎');

/** Milliseconds between frames of a stream without times. */
const stepMs = 120;
/** The longest delay before the next frame. */
const longestMs = 2_000;

/** Milliseconds from the frame at `index` to the next. */
const waitAfter = ({ emissions }: Film, index: number): number => {
  const [now, next] = [emissions[index - 1]?.at, emissions[index]?.at];
  if (next === undefined) return stepMs;
  return now === undefined ? 0 : Math.min(longestMs, Math.max(0, next - now));
};

/** Plays a film at the speed of its stream; at the end it restarts. */
const usePlay = ({ film, index, last, onGo }: Omit<FilmViewProps, 'keys'> & Pick<FilmToolsProps, 'last'>) => {
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
