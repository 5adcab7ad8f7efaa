import { Eye } from 'lucide-react';
import { use, useCallback, useMemo, useState } from 'react';
import { runPath } from '../../../protocol/run-file.js';
import type { Revealed, StudioEntry } from '../../../protocol/trace-entry.js';
import { get, runFile } from '../../api/request.js';
import { Button } from '../../components/button.js';
import { filmOfRun } from '../../fold/film-of-run.js';
import type { Lane } from '../../fold/run-view.js';
import { FilmView } from '../../workbench/lab/film-view.js';
import { NoWords } from '../no-words.js';

interface RunFilmProps {
  readonly runId: string;
  readonly entries: readonly StudioEntry[];
  readonly lines: number;
  readonly lane: Lane;
  /** The point in time that the page shows. */
  readonly seq: number;
  readonly onSeq: (seq: number) => void;
}

/** The stream of an attempt, frame by frame; the whole page moves with it. */
export const RunFilmView = ({ runId, entries, lines, lane, seq, onSeq }: RunFilmProps) => {
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
      <FilmView film={film} index={film.lines.filter((line) => line <= seq).length} onGo={onGo} keys="the keys of the timeline" />
      {canReveal && !words && (
        <Button look="quiet" onClick={() => void reveal()}>
          <Eye size={14} aria-hidden /> Show the words that came in
        </Button>
      )}
    </>
  );
};
