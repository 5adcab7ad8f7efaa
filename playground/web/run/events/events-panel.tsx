import { Search } from 'lucide-react';
import { useMemo, useState } from 'react';
import type { StudioEntry } from '../../../protocol/trace-entry.js';
import { formatDuration } from '../../components/format.js';
import { InertText } from '../../components/inert-text.js';
import { Panel } from '../../components/panel.js';
import { VirtualList } from '../../components/virtual-list.js';
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
  const here = linesUpTo(found, seq) - 1;
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
      <VirtualList
        label="Event list"
        className="events"
        count={found.length}
        size={28}
        at={here}
        keyOf={(index) => found[index]?.seq ?? index}
      >
        {(index) => <EventRow entry={found[index]} startedAt={entries[0]?.at ?? 0} isHere={index === here} onSeq={onSeq} />}
      </VirtualList>
    </Panel>
  );
};

interface EventRowProps extends Pick<EventsPanelProps, 'onSeq'> {
  readonly entry: StudioEntry | undefined;
  readonly startedAt: number;
  readonly isHere: boolean;
}

/** Text beyond this is not visible. */
const mostChars = 400;

const EventRow = ({ entry, startedAt, isHere, onSeq }: EventRowProps) => {
  if (!entry) return null;
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
