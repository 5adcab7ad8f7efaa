import {
  Bot,
  ChevronDown,
  ChevronRight,
  CornerDownRight,
  Flag,
  ShieldCheck,
  Undo2,
  Wrench,
  Sparkles,
  type LucideIcon,
} from 'lucide-react';
import { memo, useEffect, useRef, type KeyboardEvent } from 'react';
import { useCatalog } from '../../api/catalog.js';
import { formatDuration } from '../../components/format.js';
import { InertText } from '../../components/inert-text.js';
import type { Axis } from '../../fold/axis.js';
import type { SpineRow } from '../../fold/spine-row.js';
import './spine.css';

interface SpineProps {
  readonly rows: readonly SpineRow[];
  readonly axis: Axis;
  /** The key of the selected row. */
  readonly selected: string | undefined;
  /** The last line of the run up to the point in time; later rows are faint. */
  readonly seq: number;
  readonly rootId: string;
  readonly onRow: (row: SpineRow) => void;
  readonly onFold: (key: string, isOpen: boolean) => void;
}

const icons: Readonly<Record<SpineRow['kind'], LucideIcon>> = {
  step: CornerDownRight,
  guard: ShieldCheck,
  passes: ShieldCheck,
  model: Sparkles,
  tool: Wrench,
  agent: Bot,
  retraction: Undo2,
  end: Flag,
};

/** Arrow keys move among the rows, so that the tree is one stop of the tab key. */
const useTreeKeys = ({ rows, selected, onRow, onFold }: SpineProps) => {
  return (event: KeyboardEvent<HTMLElement>): void => {
    const index = rows.findIndex(({ key }) => key === selected);
    const row = rows[index];
    const next = { ArrowDown: rows[index + 1], ArrowUp: rows[index - 1], Home: rows[0], End: rows.at(-1) }[event.key];
    if (next) onRow(next);
    else if (row?.isOpen === false && event.key === 'ArrowRight') onFold(row.key, true);
    else if (row?.isOpen === true && event.key === 'ArrowLeft') onFold(row.key, false);
    else return;
    event.preventDefault();
    event.stopPropagation(); // the page uses the arrows for its timeline
  };
};

/** The tree of a run: its attempts, guards, calls and sub-runs, each with its effect, its own time, and a bar on one axis. */
export const Spine = (props: SpineProps) => {
  const { rows, axis, selected, seq, rootId } = props;
  const list = useRef<HTMLOListElement>(null);
  const onKeyDown = useTreeKeys(props);
  useEffect(() => {
    const row = list.current?.querySelector<HTMLElement>('[aria-selected="true"]');
    row?.scrollIntoView({ block: 'nearest' });
    if (row && list.current?.contains(document.activeElement)) row.focus();
    // oxlint-disable-next-line react/exhaustive-effect-dependencies -- the row of this key is found in the document
  }, [selected]);
  return (
    <section className="spine" aria-label="Run tree">
      <AxisHead axis={axis} />
      <div className="spine-body">
        <ol ref={list} role="tree" aria-label="Run tree" onKeyDown={onKeyDown}>
          {rows.map((row) => (
            <Row
              key={row.key}
              row={row}
              isSelected={row.key === selected}
              isLater={row.runId === rootId && row.kind !== 'step' && row.seq > seq}
              axis={axis}
              onRow={props.onRow}
              onFold={props.onFold}
            />
          ))}
        </ol>
      </div>
    </section>
  );
};

const percent = (place: number): string => `${(place * 100).toFixed(2)}%`;

/** A label after this place would be cut. */
const lastLabel = 0.7;

const AxisHead = ({ axis: { ticks, cuts } }: Pick<SpineProps, 'axis'>) => (
  <div className="spine-axis" aria-hidden>
    <span className="spine-ticks">
      {ticks.map(({ place, ms }) => (
        <span key={ms} style={{ insetInlineStart: percent(place) }}>
          {ms === 0 ? '0' : place < lastLabel && formatDuration(ms)}
        </span>
      ))}
      {cuts.map(({ place, ms }) => (
        <span
          key={`cut ${place}`}
          className="spine-cut"
          style={{ insetInlineStart: percent(place) }}
          title={`pause of ${formatDuration(ms)}`}
        >
          {`// ${formatDuration(ms)} //`}
        </span>
      ))}
    </span>
  </div>
);

interface RowProps extends Pick<SpineProps, 'axis' | 'onRow' | 'onFold'> {
  readonly row: SpineRow;
  readonly isSelected: boolean;
  readonly isLater: boolean;
}

/** A row of an unchanged run is another object with the same content. */
const isSameRow = ({ row, ...others }: RowProps, { row: next, ...then }: RowProps): boolean =>
  Object.entries(others).every(([name, value]) => then[name as keyof typeof then] === value) &&
  Object.entries(row).every(([name, value]) => name === 'place' || next[name as keyof SpineRow] === value);

const Row = memo(({ row, isSelected, isLater, axis, onRow, onFold }: RowProps) => {
  const { key, kind, depth, name, phase, tone, word, note, isFact, ownMs, isOpen, runId, seq } = row;
  const { phases } = useCatalog();
  const title = phases.find((info) => info.phase === phase)?.title;
  const Icon = icons[kind];
  const time = ownMs === undefined ? '' : formatDuration(ownMs);
  return (
    <li
      role="treeitem"
      tabIndex={isSelected ? 0 : -1}
      aria-selected={isSelected}
      aria-expanded={isOpen}
      aria-level={depth + 1}
      className={`row row-${kind} tone-${tone} ${isFact ? 'row-fact' : ''} ${isLater ? 'row-later' : ''}`}
      style={{ '--depth': depth } as object}
      data-fact={isFact ? `${runId} ${seq}` : undefined}
      title={note}
      onClick={() => onRow(row)}
      onKeyDown={(event) => {
        if (event.key !== 'Enter' && event.key !== ' ') return;
        event.preventDefault();
        onRow(row);
      }}
    >
      <span className="row-name">
        {isOpen === undefined ? (
          <span className="bare row-fold" />
        ) : (
          <button
            type="button"
            className="bare row-fold"
            tabIndex={-1}
            aria-hidden // the arrow keys do the same
            onClick={(event) => {
              event.stopPropagation();
              onFold(key, !isOpen);
            }}
          >
            {isOpen ? <ChevronDown size={13} aria-hidden /> : <ChevronRight size={13} aria-hidden />}
          </button>
        )}
        <Icon size={13} aria-hidden />
        <InertText text={name} className="row-id ellipsis" />
        {title !== undefined && <span className="row-phase ellipsis tiny">{title}</span>}
      </span>
      <span className="row-word soft ellipsis tiny">{word}</span>
      <span className="row-time soft tiny">{time}</span>
      <Bar row={row} axis={axis} />
    </li>
  );
}, isSameRow);

/** The time from its start to its end, pale; its own time at the end of it, solid. */
const Bar = ({ row: { from, to, ownMs = 0 }, axis }: Pick<RowProps, 'row' | 'axis'>) => {
  const [left, right] = [axis.placeOf(from), axis.placeOf(to)];
  const own = to > from ? Math.min(1, ownMs / (to - from)) : 1;
  return (
    <span className="row-track" aria-hidden>
      <span className="row-bar" style={{ insetInlineStart: percent(left), width: percent(right - left) }}>
        <span style={{ width: percent(own) }} />
      </span>
    </span>
  );
};
