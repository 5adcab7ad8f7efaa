import { memo, useMemo, type KeyboardEvent } from 'react';
import type { StudioEntry } from '../../../protocol/trace-entry.js';
import { useCatalog } from '../../api/catalog.js';
import { formatDuration } from '../../components/format.js';
import { InertText } from '../../components/inert-text.js';
import { Panel } from '../../components/panel.js';
import type { RunView } from '../../fold/run-view.js';
import { waterfallOf, type Bar, type RowKind, type WaterfallRow } from '../../fold/waterfall.js';
import type { Place } from '../use-playhead.js';
import './waterfall.css';

interface WaterfallPanelProps {
  readonly entries: readonly StudioEntry[];
  readonly lines: number;
  readonly view: RunView;
  readonly onSeq: (seq: number, place?: Place) => void;
}

/** The whole run on a time axis; a bar leads to its moment, and a guard's bar to its verdict. */
export const WaterfallPanel = ({ entries, lines, view, onSeq }: WaterfallPanelProps) => {
  const known = useMemo(() => entries.slice(0, lines), [entries, lines]);
  const rows = useMemo(() => waterfallOf(known), [known]);
  const start = known[0]?.at ?? 0;
  const scale = useMemo((): Scale => ({ start, ms: Math.max(1, (known.at(-1)?.at ?? start) - start) }), [known, start]);
  if (rows.length === 0) return null;
  return (
    <Panel title="Waterfall" note={`${formatDuration(scale.ms)} total`} isFlush>
      <div className="waterfall">
        <div className="waterfall-body">
          <div className="waterfall-now" style={{ '--at': placeOf(view.at ?? start, scale) } as object} aria-hidden />
          <ol>
            {rows.map((row) => (
              <Row
                key={`${row.kind} ${row.name} ${row.bars[0]?.place?.path ?? ''} ${row.note ?? ''}`}
                row={row}
                scale={scale}
                onSeq={onSeq}
              />
            ))}
          </ol>
        </div>
      </div>
    </Panel>
  );
};

interface Scale {
  readonly start: number;
  readonly ms: number;
}

const placeOf = (at: number, { start, ms }: Scale): number => Math.min(1, Math.max(0, (at - start) / ms));

const kindWords: Readonly<Record<RowKind, string>> = {
  state: 'state',
  guard: 'guard',
  model: 'model',
  tool: 'tool',
  agent: 'sub-agent',
};

/** Arrow keys move among the bars of a row, so that a row is one stop of the tab key. */
const onKeyDown = (event: KeyboardEvent<HTMLElement>): void => {
  const by = { ArrowRight: 'nextElementSibling', ArrowLeft: 'previousElementSibling' } as const;
  const way = by[event.key as keyof typeof by];
  if (way === undefined || !(event.target instanceof HTMLElement)) return;
  event.preventDefault();
  const next = event.target[way];
  if (next instanceof HTMLElement) next.focus();
};

interface RowProps {
  readonly row: WaterfallRow;
  readonly scale: Scale;
  readonly onSeq: WaterfallPanelProps['onSeq'];
}

const Row = memo(({ row: { kind, name, note, bars }, scale, onSeq }: RowProps) => {
  const { phases } = useCatalog();
  const title = phases.find(({ phase }) => phase === note)?.title;
  return (
    <li className={`waterfall-row waterfall-${kind}`}>
      <span className="waterfall-name">
        <InertText text={name} /> <span className="waterfall-note">{title ?? kindWords[kind]}</span>
      </span>
      {/* oxlint-disable-next-line jsx-a11y/no-static-element-interactions -- its buttons are what is used; keys move among them */}
      <span className="waterfall-track" onKeyDown={onKeyDown}>
        {bars.map((bar, index) => (
          <BarButton key={`${bar.seq} ${bar.from}`} bar={bar} name={name} isFirst={index === 0} scale={scale} onSeq={onSeq} />
        ))}
      </span>
    </li>
  );
});

interface BarButtonProps {
  readonly bar: Bar;
  readonly name: string;
  readonly isFirst: boolean;
  readonly scale: Scale;
  readonly onSeq: WaterfallPanelProps['onSeq'];
}

const BarButton = ({ bar, name, isFirst, scale, onSeq }: BarButtonProps) => {
  const { seq, from, to, tone, label, place } = bar;
  const [left, right] = [placeOf(from, scale), placeOf(to, scale)];
  const words = [name, label, formatDuration(to - from), `after ${formatDuration(from - scale.start)}`]
    .filter(Boolean)
    .join(', ');
  return (
    <button
      type="button"
      className={`waterfall-bar ${tone ? `waterfall-tone-${tone}` : ''}`}
      style={{ insetInlineStart: `${(left * 100).toFixed(3)}%`, width: `${((right - left) * 100).toFixed(3)}%` }}
      tabIndex={isFirst ? 0 : -1}
      aria-label={words}
      title={words}
      onClick={() => onSeq(seq, place)}
    />
  );
};
