import { memo, useMemo, use, useCallback, useState } from 'react';
import './hold-back.css';
import { Eye } from 'lucide-react';
import type { StudioEntry, Revealed } from '../../../protocol/trace-entry.js';
import { count, formatDuration } from '../../components/format.js';
import { Panel } from '../../components/panel.js';
import { holdBackOf, type HoldBack } from '../../fold/hold-back.js';
import type { Lane, RunView } from '../../fold/run-view.js';
import { drawHoldBack, spanOf } from './draw-hold-back.js';
import { runPath } from '../../../protocol/run-file.js';
import { get, runFile } from '../../api/request.js';
import { Button } from '../../components/button.js';
import { filmOfRun } from '../../fold/film-of-run.js';
import { FilmView } from '../../workbench/lab/film-view.js';
import { NoWords } from '../no-words.js';

const box = { width: 560, height: 96 } as const;

const Curves = memo(({ part }: { readonly part: HoldBack }) => {
  const { received, emitted, held } = drawHoldBack(part, box);
  return (
    <>
      <path className="curve-held" d={held} />
      <path className="curve-received" d={received} />
      <path className="curve-emitted" d={emitted} />
    </>
  );
});

/** The arrived and released amounts at a time. */
const pointAt = ({ points }: HoldBack, at: number): { readonly receivedChars: number; readonly emittedChars: number } =>
  points.findLast((point) => point.at <= at) ?? { receivedChars: 0, emittedChars: 0 };

const Chart = ({ part, at }: { readonly part: HoldBack; readonly at: number }) => {
  const { from, ms } = spanOf(part);
  const { receivedChars, emittedChars } = pointAt(part, at);
  const place = Math.min(1, Math.max(0, (at - from) / ms)) * box.width;
  return (
    <figure className="hold-back">
      <figcaption>
        <b>{part.kind}</b>
        <span>
          {count(receivedChars, 'character')} received, {emittedChars} emitted; at most {part.mostHeld} buffered;{' '}
          {formatDuration(ms)}
        </span>
      </figcaption>
      <svg
        viewBox={`0 -2 ${box.width} ${box.height + 4}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`${part.kind}: at most ${part.mostHeld} characters buffered`}
      >
        <Curves part={part} />
        <line className="curve-now" x1={place} x2={place} y1={-2} y2={box.height + 2} />
      </svg>
    </figure>
  );
};

interface HoldBackPanelProps {
  readonly runId: string;
  readonly entries: readonly StudioEntry[];
  readonly lines: number;
  readonly view: RunView;
  readonly lane: Lane | undefined;
  readonly onSeq: (seq: number) => void;
}

/** The buffering times of an attempt's text, and its releases. */
export const HoldBackPanel = ({ runId, entries, lines, view, lane, onSeq }: HoldBackPanelProps) => {
  const all = useMemo(() => holdBackOf(entries.slice(0, lines)), [entries, lines]);
  const parts = all.filter(({ stepNumber, attempt }) => stepNumber === lane?.stepNumber && attempt === lane.attempt);
  if (!lane || parts.length === 0) return null;
  return (
    <Panel
      title="Stream buffer"
      note={
        <span className="curve-key">
          <i className="key-came" /> received <i className="key-left" /> emitted <i className="key-held" /> buffered
        </span>
      }
    >
      <div className="hold-backs">
        {parts.map((part) => (
          <Chart key={part.partId} part={part} at={view.at ?? 0} />
        ))}
      </div>
      <RunFilmView
        key={`${lane.stepNumber} ${lane.attempt}`}
        runId={runId}
        entries={entries}
        lines={lines}
        lane={lane}
        seq={view.seq}
        onSeq={onSeq}
      />
    </Panel>
  );
};

interface RunFilmProps {
  readonly runId: string;
  readonly entries: readonly StudioEntry[];
  readonly lines: number;
  readonly lane: Lane;
  /** The point in time that the page shows. */
  readonly seq: number;
  readonly onSeq: (seq: number) => void;
}

/** The stream of an attempt, frame by frame; the whole page follows it. */
const RunFilmView = ({ runId, entries, lines, lane, seq, onSeq }: RunFilmProps) => {
  const [words, setWords] = useState<ReadonlyMap<number, string>>();
  const canReveal = use(NoWords) === undefined && runFile?.hasAllWords !== false;
  const { stepNumber, attempt, startSeq } = lane;
  const film = useMemo(
    () => filmOfRun(entries.slice(0, lines), { stepNumber, attempt }, words),
    [entries, lines, stepNumber, attempt, words],
  );
  const onGo = useCallback((index: number) => onSeq(film?.lines[index - 1] ?? startSeq), [film, onSeq, startSeq]);
  if (!film) return null;
  const reveal = async (): Promise<void> => {
    const revealed = await get<Revealed[]>(`${runPath(runId)}/reveal`);
    setWords(new Map(revealed.map((one) => [one.seq, one.text])));
  };
  return (
    <>
      <FilmView film={film} index={film.lines.filter((line) => line <= seq).length} onGo={onGo} keys="timeline keys" />
      {canReveal && !words && (
        <Button look="quiet" onClick={() => void reveal()}>
          <Eye size={14} aria-hidden /> Show received text
        </Button>
      )}
    </>
  );
};
