import { ArrowLeft, ArrowRight, Film, OctagonX, SkipForward } from 'lucide-react';
import { useState } from 'react';
import type { LabRun } from '../../../protocol/workbench.js';
import { Button } from '../../components/button.js';
import { EmptyState } from '../../components/empty-state.js';
import { InertText } from '../../components/inert-text.js';
import { Panel } from '../../components/panel.js';
import { FilmStrip } from './film-strip.js';
import { FilmText } from './film-text.js';
import { frameAt, frameCount, mostHeld, nextRelease, sayFrame, type Frame } from './film.js';
import { LabVerdicts } from './lab-verdicts.js';
import type { LabResult } from './use-lab.js';
import { usePageKeys } from './use-page-keys.js';

interface FilmPanelProps {
  readonly result: LabResult | undefined;
  /** The settings were changed since. */
  readonly isStale: boolean;
}

/** What the gate did, chunk by chunk. */
export const FilmPanel = ({ result, isStale }: FilmPanelProps) => (
  <Panel title="What left, and when" note={isStale ? 'Settings have changed: run again to see them' : undefined}>
    {result ? (
      <FilmView key={result.number} run={result.run} />
    ) : (
      <EmptyState icon={Film} title="Nothing has run yet">
        Run the stream through the gate; then step through it, chunk by chunk.
      </EmptyState>
    )}
  </Panel>
);

const FilmView = ({ run }: { readonly run: LabRun }) => {
  const last = frameCount(run) - 1;
  const [index, setIndex] = useState(last);
  const frame = frameAt(run, index);
  const go = (to: number): void => setIndex(Math.max(0, Math.min(to, last)));
  usePageKeys({
    ArrowLeft: () => go(index - 1),
    ArrowRight: () => go(index + 1),
    Home: () => go(0),
    End: () => go(last),
    n: () => go(nextRelease(run, index)),
  });
  return (
    <div className="film">
      <FilmText frame={frame} />
      <FilmTools run={run} frame={frame} last={last} onGo={go} />
      <p className="film-words">
        <strong>
          {index} of {last}
        </strong>{' '}
        <InertText text={sayFrame(frame)} />
      </p>
      {frame.stop && <StopNotice stop={frame.stop} />}
      <FilmStrip run={run} index={index} onGo={go} />
      <p className="faint film-words">
        <kbd>←</kbd> <kbd>→</kbd> step, <kbd>n</kbd> next release, <kbd>Home</kbd> <kbd>End</kbd>. At most {mostHeld(run)}{' '}
        characters were held.
      </p>
      <LabVerdicts events={run.events} />
    </div>
  );
};

interface FilmToolsProps {
  readonly run: LabRun;
  readonly frame: Frame;
  readonly last: number;
  readonly onGo: (index: number) => void;
}

const FilmTools = ({ run, frame, last, onGo }: FilmToolsProps) => {
  const { index } = frame;
  return (
    <div className="film-tools">
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
      <Button disabled={index === last} onClick={() => onGo(nextRelease(run, index))}>
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
