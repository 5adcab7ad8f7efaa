import { Eye, Film, GitFork } from 'lucide-react';
import { use, useCallback, useMemo, useState } from 'react';
import type { Lane } from '../../../fold/run-view.js';
import { runPath } from '../../../protocol/run-file.js';
import type { Revealed } from '../../../protocol/trace-entry.js';
import { get, runFile } from '../../api/request.js';
import { useRun } from '../../api/run-readers.js';
import { Badge } from '../../components/badge.js';
import { Button, ButtonLink } from '../../components/button.js';
import { Authors } from '../../components/authored-text.js';
import { PartText } from '../../components/part-text.js';
import { filmOfRun } from '../../fold/film-of-run.js';
import { FilmView } from '../../workbench/lab/film-view.js';
import { forkHref } from '../../shell/hrefs.js';
import { NoWords } from '../no-words.js';
import type { DetailProps } from './inspector.js';
import { useEditedWords } from './use-edited-words.js';

/** An attempt: its text as sent, and its stream chunk by chunk. */
export const StepDetails = ({ runId, row, whole, view, playhead }: DetailProps) => {
  const { moveTo, subRun } = playhead;
  const [isFilm, setIsFilm] = useState(false); // the text is shown once: with its chunks, or without
  const onSeq = useCallback((seq: number) => moveTo(seq, undefined, { row: row.key, subRun }), [moveTo, row.key, subRun]); // this row stays selected
  const lane = whole.lanes[row.lane ?? 0];
  const words = useEditedWords(runId, lane);
  if (!lane) return <h3>{row.name}</h3>;
  const now = view.lanes[lane.index] ?? lane;
  const parts = now.parts.filter(({ receivedChars: received, text }) => received > 0 || text !== '');
  return (
    <>
      <h3>
        {row.name} {row.word !== '' && <Badge tone={row.tone}>{row.word}</Badge>}
      </h3>
      {parts.length === 0 && <p className="soft small">No text in this step.</p>}
      {!isFilm && parts.map((part) => <PartText key={part.partId} part={part} lane={now} mostChars={4000} words={words} />)}
      {!isFilm && <Authors words={words} />}
      {parts.length > 0 && (
        <Button icon={Film} look="quiet" aria-expanded={isFilm} onClick={() => setIsFilm(!isFilm)}>
          Chunk by chunk
        </Button>
      )}
      {!runFile && parts.length > 0 && whole.visits.length > 0 && (
        <ButtonLink icon={GitFork} href={forkHref(runId, { part: `answers ${lane.stepNumber}.${lane.attempt}` })}>
          Edit response, fork from here
        </ButtonLink>
      )}
      {isFilm && <StreamFilm runId={runId} lane={lane} seq={view.seq} onSeq={onSeq} />}
    </>
  );
};

interface StreamFilmProps {
  readonly runId: string;
  readonly lane: Lane;
  /** The point in time that the page shows. */
  readonly seq: number;
  readonly onSeq: (seq: number) => void;
}

/** The stream of an attempt, frame by frame; the whole page follows it. Nothing for an attempt without text. */
const StreamFilm = ({ runId, lane, seq, onSeq }: StreamFilmProps) => {
  const { entries, count } = useRun(runId);
  const [words, setWords] = useState<ReadonlyMap<number, string>>();
  const canReveal = use(NoWords) === undefined && runFile?.hasAllWords !== false;
  const { stepNumber, attempt, startSeq } = lane;
  const film = useMemo(
    () => filmOfRun(entries.slice(0, count), { stepNumber, attempt }, words),
    [entries, count, stepNumber, attempt, words],
  );
  const onGo = useCallback((index: number) => onSeq(film?.lines[index - 1] ?? startSeq), [film, onSeq, startSeq]);
  if (!film) return null;
  const reveal = async (): Promise<void> => {
    const revealed = await get<Revealed[]>(`${runPath(runId)}/reveal`);
    setWords(new Map(revealed.map((one) => [one.seq, one.text])));
  };
  return (
    <section aria-label="Stream buffer" className="stack-s stream">
      <FilmView film={film} index={film.lines.filter((line) => line <= seq).length} onGo={onGo} keys="timeline keys" />
      {canReveal && !words && (
        <Button icon={Eye} look="quiet" onClick={() => void reveal()}>
          Show received text
        </Button>
      )}
    </section>
  );
};
