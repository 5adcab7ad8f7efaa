import { ChevronLeft, ChevronRight, ChevronsLeft, ChevronsRight, OctagonX, RotateCcw } from 'lucide-react';
import { useEffect } from 'react';
import type { StudioEntry } from '../../../protocol/trace-entry.js';
import { Button } from '../../components/button.js';
import { formatDuration } from '../../components/format.js';
import { nextMarker, type Marker, type MarkerKind } from '../../fold/markers.js';
import type { RunView } from '../../fold/run-view.js';
import type { Playhead } from '../use-playhead.js';
import { seqAfter } from './ticks.js';

interface TransportProps {
  readonly entries: readonly StudioEntry[];
  readonly markers: readonly Marker[];
  readonly view: RunView;
  readonly playhead: Playhead;
}

/** The jump targets of letter keys. */
const jumps: Readonly<Record<string, readonly MarkerKind[]>> = { t: ['trip'], r: ['retry'] };

const steps: Readonly<Record<string, number>> = { ArrowRight: 1, ArrowLeft: -1 };

/** Whether a field, a list of tabs, or a browser command uses the key. */
const isTaken = ({ target, altKey, ctrlKey, metaKey, defaultPrevented }: KeyboardEvent): boolean =>
  defaultPrevented ||
  altKey ||
  ctrlKey ||
  metaKey ||
  (target instanceof Element && target.closest('input, textarea, select, [role="tablist"], [contenteditable]') !== null);

/** The keys that work anywhere on the page. */
const useKeys = ({ entries, markers, view, playhead }: TransportProps): void => {
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => {
      if (isTaken(event)) return;
      const by = steps[event.key];
      const kinds = jumps[event.key.toLowerCase()];
      if (by !== undefined) playhead.moveTo(seqAfter(entries, view.seq, event.shiftKey ? by * 10 : by));
      else if (kinds) {
        const marker = nextMarker(markers, view.seq, kinds);
        if (marker) playhead.moveTo(marker.seq);
      } else return;
      event.preventDefault();
    };
    addEventListener('keydown', onKeyDown);
    return () => removeEventListener('keydown', onKeyDown);
  }, [entries, markers, view.seq, playhead]);
};

const Jump = ({ letter, ...props }: TransportProps & { readonly letter: 't' | 'r' }) => {
  const marker = nextMarker(props.markers, props.view.seq, jumps[letter] ?? []);
  const word = letter === 't' ? 'trip' : 'retry';
  const Icon = letter === 't' ? OctagonX : RotateCcw;
  return (
    <Button look="quiet" aria-keyshortcuts={letter} disabled={!marker} onClick={() => props.playhead.moveTo(marker?.seq)}>
      <Icon size={14} aria-hidden /> <span className="unseen">Next</span> {word} <kbd aria-hidden>{letter.toUpperCase()}</kbd>
    </Button>
  );
};

/** Buttons for steps and jumps through the run. */
export const Transport = (props: TransportProps) => {
  const { entries, view, playhead } = props;
  useKeys(props);
  const step = (by: number) => () => playhead.moveTo(seqAfter(entries, view.seq, by));
  const isAtEnd = view.seq >= (entries.at(-1)?.seq ?? 0);
  return (
    <div className="transport">
      <div className="transport-buttons">
        <Button look="quiet" isIcon aria-label="Go to start" onClick={step(-Infinity)}>
          <ChevronsLeft size={16} aria-hidden />
        </Button>
        <Button look="quiet" isIcon aria-label="Previous event" aria-keyshortcuts="ArrowLeft" onClick={step(-1)}>
          <ChevronLeft size={16} aria-hidden />
        </Button>
        <Button look="quiet" isIcon aria-label="Next event" aria-keyshortcuts="ArrowRight" disabled={isAtEnd} onClick={step(1)}>
          <ChevronRight size={16} aria-hidden />
        </Button>
        <Button
          look="quiet"
          isIcon
          aria-label="Go to end and follow"
          disabled={playhead.at === undefined}
          onClick={() => playhead.moveTo(undefined)}
        >
          <ChevronsRight size={16} aria-hidden />
        </Button>
        <Jump letter="t" {...props} />
        <Jump letter="r" {...props} />
      </div>
      <p className="transport-place">
        <span>
          event <b>{view.seq + 1}</b> of {entries.length}
        </span>
        <span>
          <b>+{formatDuration((view.at ?? 0) - (view.startedAt ?? 0))}</b>
        </span>
      </p>
    </div>
  );
};
