import { memo, useMemo } from 'react';
import { linesUpTo } from '../../../fold/fold-run.js';
import { formatDuration } from '../../components/format.js';
import { ticksOf, type Tick } from './ticks.js';
import { Transport, type TimelineProps } from './transport.js';
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
