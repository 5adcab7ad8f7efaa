import { ArrowLeft, ArrowRight, OctagonX, Pause, Play, SkipForward } from 'lucide-react';
import { Button } from '../../components/button.js';
import { InertText } from '../../components/inert-text.js';
import { FilmStrip } from './film-strip.js';
import { FilmText } from './film-text.js';
import { frameAt, frameCount, mostHeld, nextRelease, sayFrame, type Film, type Frame } from './film.js';
import { usePlay } from './use-play.js';

interface FilmViewProps {
  readonly film: Film;
  readonly index: number;
  readonly onGo: (index: number) => void;
  /** The keys beside `p` and `n` that move it, for eyes. */
  readonly keys: string;
}

/** A stream chunk by chunk: what came, what was held, and what left. */
export const FilmView = ({ film, index, onGo, keys }: FilmViewProps) => {
  const frame = frameAt(film, index);
  const last = frameCount(film) - 1;
  return (
    <div className="film">
      <FilmText frame={frame} />
      <FilmTools film={film} frame={frame} last={last} onGo={onGo} />
      <p className="film-words">
        <strong>
          {index} of {last}
        </strong>{' '}
        <InertText text={sayFrame(frame)} />
      </p>
      {frame.stop && <StopNotice stop={frame.stop} />}
      <FilmStrip film={film} index={index} onGo={onGo} />
      <p className="faint film-words">
        <kbd>p</kbd> play, <kbd>n</kbd> next release, {keys}. At most {mostHeld(film)} characters were held.
      </p>
    </div>
  );
};

interface FilmToolsProps {
  readonly film: Film;
  readonly frame: Frame;
  readonly last: number;
  readonly onGo: (index: number) => void;
}

const FilmTools = ({ film, frame, last, onGo }: FilmToolsProps) => {
  const { index } = frame;
  const { isPlaying, toggle } = usePlay({ film, index, last, onGo });
  return (
    <div className="film-tools">
      <Button aria-keyshortcuts="p" disabled={last === 0} onClick={toggle}>
        {isPlaying ? <Pause size={14} aria-hidden /> : <Play size={14} aria-hidden />} {isPlaying ? 'Pause' : 'Play'}
      </Button>
      <Button isIcon aria-label="Back" disabled={index === 0} onClick={() => onGo(index - 1)}>
        <ArrowLeft size={16} />
      </Button>
      <input
        className="film-range"
        type="range"
        aria-label="Point in the stream"
        aria-valuetext={`${index} of ${last}: ${sayFrame(frame)}`}
        min={0}
        max={last}
        value={index}
        onChange={({ target }) => onGo(Number(target.value))}
      />
      <Button isIcon aria-label="Forward" disabled={index === last} onClick={() => onGo(index + 1)}>
        <ArrowRight size={16} />
      </Button>
      <Button aria-keyshortcuts="n" disabled={index === last} onClick={() => onGo(nextRelease(film, index))}>
        <SkipForward size={14} aria-hidden /> Next release
      </Button>
    </div>
  );
};

const StopNotice = ({ stop }: { readonly stop: NonNullable<Frame['stop']> }) => (
  <div className="notice notice-trip">
    <OctagonX size={18} aria-hidden />
    <div className="notice-body">
      <p>
        <code>{stop.processorId}</code> stopped the stream ({stop.kind}): <InertText text={stop.reason} />
      </p>
    </div>
  </div>
);
