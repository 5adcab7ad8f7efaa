import { useVirtualizer } from '@tanstack/react-virtual';
import { Search } from 'lucide-react';
import { useEffect, useMemo, useRef, useState } from 'react';
import type { StudioEntry } from '../../../protocol/trace-entry.js';
import { formatDuration } from '../../components/format.js';
import { InertText } from '../../components/inert-text.js';
import { Panel } from '../../components/panel.js';
import { describeEntry, searchEntries } from '../../fold/describe-entry.js';
import { linesUpTo } from '../../../fold/fold-run.js';
import './events.css';

interface EventsPanelProps {
  readonly entries: readonly StudioEntry[];
  readonly lines: number;
  /** The line that the page shows. */
  readonly seq: number;
  readonly onSeq: (seq: number) => void;
}

/** All known lines of the run, with a text search. */
export const EventsPanel = ({ entries, lines, seq, onSeq }: EventsPanelProps) => {
  const [query, setQuery] = useState('');
  const found = useMemo(() => searchEntries(entries.slice(0, lines), query), [entries, lines, query]);
  return (
    <Panel
      title="Events"
      note={query === '' ? `${lines} events` : `${found.length} of ${lines} events`}
      tools={
        <label className="events-search">
          <Search size={14} aria-hidden />
          <input
            type="search"
            className="input"
            aria-label="Search events"
            placeholder="guard edit pii"
            value={query}
            onChange={({ target }) => setQuery(target.value)}
          />
        </label>
      }
      isFlush
    >
      <EventList found={found} startedAt={entries[0]?.at ?? 0} seq={seq} onSeq={onSeq} />
    </Panel>
  );
};

interface EventListProps {
  readonly found: readonly StudioEntry[];
  readonly startedAt: number;
  readonly seq: number;
  readonly onSeq: (seq: number) => void;
}

const rowHeight = 28;

const EventList = ({ found, startedAt, seq, onSeq }: EventListProps) => {
  const box = useRef<HTMLDivElement>(null);
  const rows = useVirtualizer({
    count: found.length,
    getScrollElement: () => box.current,
    estimateSize: () => rowHeight,
    getItemKey: (index) => found[index]?.seq ?? index,
    overscan: 8,
  });
  const here = linesUpTo(found, seq) - 1;
  useEffect(() => {
    if (here >= 0) rows.scrollToIndex(here, { align: 'auto' });
  }, [here, rows]);
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a region that scrolls is reached by the keyboard
    <div ref={box} className="events" role="region" aria-label="Event list" tabIndex={0}>
      <ol className="virtual" style={{ height: rows.getTotalSize() }}>
        {rows.getVirtualItems().map(({ key, index, start }) => {
          const entry = found[index];
          return entry ? (
            <li key={key} style={{ transform: `translateY(${start}px)`, height: rowHeight }}>
              <EventRow entry={entry} startedAt={startedAt} isHere={index === here} onSeq={onSeq} />
            </li>
          ) : null;
        })}
      </ol>
    </div>
  );
};

interface EventRowProps {
  readonly entry: StudioEntry;
  readonly startedAt: number;
  readonly isHere: boolean;
  readonly onSeq: (seq: number) => void;
}

/** Text beyond this is not visible. */
const mostChars = 400;

const EventRow = ({ entry, startedAt, isHere, onSeq }: EventRowProps) => {
  const { title, detail } = describeEntry(entry);
  return (
    <button type="button" className="bare tiny event" aria-current={isHere ? 'step' : undefined} onClick={() => onSeq(entry.seq)}>
      <span className="event-line">{entry.seq + 1}</span>
      <span className="event-time">+{formatDuration(entry.at - startedAt)}</span>
      <span className="event-title ellipsis">{title}</span>
      <span className="event-detail ellipsis">
        <InertText text={detail.slice(0, mostChars)} />
      </span>
    </button>
  );
};
