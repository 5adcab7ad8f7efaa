import { ChevronLeft, ChevronRight, ChevronsLeft, ChevronsRight, OctagonX, RotateCcw } from 'lucide-react';
import { useEffect } from 'react';
import type { StudioEntry } from '../../../protocol/trace-entry.js';
import { Button } from '../../components/button.js';
import { formatDuration } from '../../components/format.js';
import type { Fact, Tone } from '../../../fold/facts.js';
import type { RunView } from '../../../fold/run-view.js';
import type { Playhead } from '../use-playhead.js';
import { nextFact, seqAfter } from './ticks.js';

interface TransportProps {
  readonly entries: readonly StudioEntry[];
  readonly facts: readonly Fact[];
  readonly view: RunView;
  readonly playhead: Playhead;
}

/** The jump targets of letter keys. */
const jumps: Readonly<Record<string, Tone>> = { t: 'trip', r: 'retry' };

const steps: Readonly<Record<string, number>> = { ArrowRight: 1, ArrowLeft: -1 };

/** Whether a field, a list of tabs, or a browser command uses the key. */
const isTaken = ({ target, altKey, ctrlKey, metaKey, defaultPrevented }: KeyboardEvent): boolean =>
  defaultPrevented ||
  altKey ||
  ctrlKey ||
  metaKey ||
  (target instanceof Element && target.closest('input, textarea, select, [role="tablist"], [contenteditable]') !== null);

const goTo = ({ moveTo }: Playhead, { seq, mark }: Fact): void => moveTo(seq, mark && { phase: mark.phase, path: mark.path });

/** The keys that work anywhere on the page. */
const useKeys = ({ entries, facts, view, playhead }: TransportProps): void => {
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => {
      if (isTaken(event)) return;
      const by = steps[event.key];
      const tone = jumps[event.key.toLowerCase()];
      if (by !== undefined) playhead.moveTo(seqAfter(entries, view.seq, event.shiftKey ? by * 10 : by));
      else if (tone) {
        const fact = nextFact(facts, view.seq, tone);
        if (fact) goTo(playhead, fact);
      } else return;
      event.preventDefault();
    };
    addEventListener('keydown', onKeyDown);
    return () => removeEventListener('keydown', onKeyDown);
  }, [entries, facts, view.seq, playhead]);
};

const Jump = ({ letter, ...props }: TransportProps & { readonly letter: 't' | 'r' }) => {
  const fact = nextFact(props.facts, props.view.seq, jumps[letter] ?? 'trip');
  const word = letter === 't' ? 'block' : 'retry';
  const Icon = letter === 't' ? OctagonX : RotateCcw;
  return (
    <Button look="quiet" aria-keyshortcuts={letter} disabled={!fact} onClick={() => fact && goTo(props.playhead, fact)}>
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
    <div className="spread transport">
      <div className="cluster transport-buttons">
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
      <p className="cluster soft small transport-place">
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
