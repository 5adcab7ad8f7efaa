import { memo, useMemo, useRef, type KeyboardEvent, type PointerEvent } from 'react';
import type { StudioEntry } from '../../../protocol/trace-entry.js';
import { formatDuration } from '../../components/format.js';
import type { Fact } from '../../../fold/facts.js';
import type { RunView } from '../../../fold/run-view.js';
import type { Playhead } from '../use-playhead.js';
import { placeOf, seqAfter, seqAt, ticksOf, type Tick } from './ticks.js';
import { Transport } from './transport.js';
import './timeline.css';

interface TimelineProps {
  readonly entries: readonly StudioEntry[];
  readonly facts: readonly Fact[];
  /** The run at the point in time. */
  readonly view: RunView;
  readonly playhead: Playhead;
}

const percent = (place: number): string => `${(place * 100).toFixed(3)}%`;

const Ticks = memo(({ ticks }: { readonly ticks: readonly Tick[] }) =>
  ticks.map(({ fact: { seq, kind, tone, name, word }, place }) => (
    <span
      key={`${seq} ${kind}`}
      className={`tick tone-${tone}`}
      style={{ insetInlineStart: percent(place) }}
      title={`${name}: ${word}`}
    />
  )),
);

/** The number of lines for arrow and related keys on the slider. */
const stepsOf = ({ key, shiftKey }: KeyboardEvent): number | undefined => {
  const one = shiftKey ? 10 : 1;
  const steps: Partial<Record<string, number>> = {
    ArrowRight: one,
    ArrowUp: one,
    ArrowLeft: -one,
    ArrowDown: -one,
    PageUp: 50,
    PageDown: -50,
    Home: -Infinity,
    End: Infinity,
  };
  return steps[key];
};

const Rail = ({ entries, facts, view, playhead }: TimelineProps) => {
  const rail = useRef<HTMLDivElement>(null);
  const lines = entries.length;
  const ticks = useMemo(() => ticksOf(entries.slice(0, lines), facts), [entries, lines, facts]);
  const place = placeOf(entries, view.seq);

  const moveToPointer = ({ clientX }: PointerEvent) => {
    const box = rail.current?.getBoundingClientRect();
    if (box && box.width > 0) playhead.moveTo(seqAt(entries, (clientX - box.left) / box.width));
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const steps = stepsOf(event);
    if (steps === undefined) return;
    event.preventDefault();
    playhead.moveTo(seqAfter(entries, view.seq, steps));
  };
  return (
    <div
      ref={rail}
      className="rail"
      role="slider"
      tabIndex={0}
      aria-label="Timeline position"
      aria-valuemin={0}
      aria-valuemax={entries.at(-1)?.seq ?? 0}
      aria-valuenow={Math.max(0, view.seq)}
      aria-valuetext={`event ${view.seq + 1} of ${lines}, ${formatDuration((view.at ?? 0) - (view.startedAt ?? 0))} after the start`}
      onKeyDown={onKeyDown}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        moveToPointer(event);
      }}
      onPointerMove={(event) => event.currentTarget.hasPointerCapture(event.pointerId) && moveToPointer(event)}
    >
      <div className="rail-track">
        <div className="rail-passed" style={{ width: percent(place) }} />
        <Ticks ticks={ticks} />
        <div className="rail-head" style={{ insetInlineStart: percent(place) }} />
      </div>
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
