import { memo, useMemo } from 'react';
import { linesUpTo } from '../../../fold/fold-run.js';
import { formatDuration } from '../../components/format.js';
import { ticksOf, type Tick, nextFact, seqAfter } from './ticks.js';
import { ChevronLeft, ChevronRight, ChevronsLeft, ChevronsRight, OctagonX, RotateCcw } from 'lucide-react';
import type { StudioEntry } from '../../../protocol/trace-entry.js';
import { Button } from '../../components/button.js';
import { usePageKeys } from '../../components/use-page-keys.js';
import type { Fact } from '../../../fold/facts.js';
import type { RunView } from '../../../fold/run-view.js';
import type { Playhead } from '../use-playhead.js';
import './timeline.css';

const Ticks = memo(({ ticks }: { readonly ticks: readonly Tick[] }) => (
  <div className="ticks">
    {ticks.map(({ fact: { seq, kind, tone, name, word }, place }) => (
      <span
        key={`${seq} ${kind}`}
        className={`tick tone-${tone}`}
        style={{ insetInlineStart: `${(place * 100).toFixed(3)}%` }}
        title={`${name}: ${word}`}
      />
    ))}
  </div>
));

const Rail = ({ entries, facts, view, playhead }: TimelineProps) => {
  const lines = entries.length;
  const ticks = useMemo(() => ticksOf(entries.slice(0, lines), facts), [entries, lines, facts]);
  return (
    <div className="rail">
      <input
        type="range"
        aria-label="Timeline position"
        aria-valuetext={`event ${view.seq + 1} of ${lines}, ${formatDuration((view.at ?? 0) - (view.startedAt ?? 0))} after the start`}
        min={0}
        max={Math.max(0, lines - 1)}
        value={Math.max(0, linesUpTo(entries, view.seq) - 1)}
        onChange={({ target }) => playhead.moveTo(entries[Number(target.value)]?.seq)}
      />
      <Ticks ticks={ticks} />
    </div>
  );
};

/** Moves through the run: everything on the page follows. */
export const Timeline = (props: TimelineProps) => (
  <section className="timeline" aria-label="Timeline">
    <Transport {...props} />
    <Rail {...props} />
  </section>
);

interface TimelineProps {
  readonly entries: readonly StudioEntry[];
  readonly facts: readonly Fact[];
  /** The run at the point in time. */
  readonly view: RunView;
  readonly playhead: Playhead;
}

/** The targets of letter keys. */
const targets = [
  { letter: 't', tone: 'trip', word: 'block', icon: OctagonX },
  { letter: 'r', tone: 'retry', word: 'retry', icon: RotateCcw },
] as const;

/** Buttons for steps and jumps through the run. */
const Transport = ({ entries, facts, view, playhead }: TimelineProps) => {
  const step = (by: number) => (): void => playhead.moveTo(seqAfter(entries, view.seq, by));
  const jumps = targets.map((target) => {
    const { seq, mark } = nextFact(facts, view.seq, target.tone) ?? {};
    return {
      ...target,
      go: () => seq !== undefined && playhead.moveTo(seq, mark && { phase: mark.phase, path: mark.path }),
      seq,
    };
  });
  usePageKeys({
    ArrowRight: step(1),
    ArrowLeft: step(-1),
    'Shift+ArrowRight': step(10),
    'Shift+ArrowLeft': step(-10),
    ...Object.fromEntries(jumps.map(({ letter, go }) => [letter, go])),
  });
  return (
    <div className="spread transport">
      <div className="cluster transport-buttons">
        <Button icon={ChevronsLeft} look="quiet" aria-label="Go to start" onClick={step(-Infinity)} />
        <Button icon={ChevronLeft} look="quiet" aria-label="Previous event" aria-keyshortcuts="ArrowLeft" onClick={step(-1)} />
        <Button icon={ChevronRight} look="quiet" aria-label="Next event" aria-keyshortcuts="ArrowRight" onClick={step(1)} />
        <Button
          icon={ChevronsRight}
          look="quiet"
          aria-label="Go to end and follow"
          disabled={playhead.at === undefined}
          onClick={() => playhead.moveTo(undefined)}
        />
        {jumps.map(({ letter, word, icon, go, seq }) => (
          <Button key={letter} icon={icon} look="quiet" aria-keyshortcuts={letter} disabled={seq === undefined} onClick={go}>
            <span className="unseen">Next</span> {word} <kbd aria-hidden>{letter.toUpperCase()}</kbd>
          </Button>
        ))}
      </div>
      <p className="cluster soft small transport-place">
        <span>
          event <b>{view.seq + 1}</b> of {entries.length}
        </span>
        <b>+{formatDuration((view.at ?? 0) - (view.startedAt ?? 0))}</b>
      </p>
    </div>
  );
};
