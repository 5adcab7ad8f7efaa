import { Eye, Film, FlaskConical, GitFork } from 'lucide-react';
import { useCallback, useMemo, useState } from 'react';
import type { Lane } from '../../../fold/run-view.js';
import { runPath } from '../../../protocol/run-file.js';
import type { Revealed, GuardView } from '../../../protocol/trace-entry.js';
import { useAgent, useCanRepeat, useCatalog } from '../../api/catalog.js';
import { get, runFile } from '../../api/request.js';
import { useRun } from '../../api/run-readers.js';
import { Badge } from '../../components/badge.js';
import { Button, ButtonLink } from '../../components/button.js';
import { Authors } from '../../components/word-diff.js';
import { PartText } from '../../components/part-text.js';
import { filmOfRun } from '../../fold/film-of-run.js';
import { labHref } from '../../workbench/lab/lab-link.js';
import { FilmView } from '../../workbench/lab/film-view.js';
import { forkHref } from '../../shell/hrefs.js';
import type { DetailProps } from './inspector.js';
import { guardsIn } from '../../../protocol/shapes.js';
import { restMs, useLoaded } from '../../api/use-loaded.js';
import type { EditedWords } from '../../components/split-authored.js';
import { diffWords } from '../../components/diff-words.js';
import { pipelineNamed, pipelineOf } from './judged.js';
import { pairsOf } from '../../components/text-pairs.js';

/** An attempt: its text as sent, and its stream chunk by chunk. */
export const StepDetails = ({ runId, row, whole, view, playhead }: DetailProps) => {
  const { moveTo, subRun } = playhead;
  const [isFilm, setIsFilm] = useState(false); // the text is shown once: with its chunks, or without
  const onSeq = useCallback((seq: number) => moveTo(seq, undefined, { row: row.key, subRun }), [moveTo, row.key, subRun]); // this row stays selected
  const lane = whole.lanes[row.lane ?? 0];
  const words = useEditedWords(runId, lane);
  const isRecorded = whole.visits.length > 0;
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
      {!runFile && parts.length > 0 && isRecorded && <StepActions runId={runId} lane={lane} agentId={whole.agentId} />}
      {isFilm && <StreamFilm runId={runId} lane={lane} isRecorded={isRecorded} seq={view.seq} onSeq={onSeq} />}
    </>
  );
};

interface StepActionsProps {
  readonly runId: string;
  readonly lane: Lane;
  readonly agentId: string | undefined;
}

const StepActions = ({ runId, lane, agentId }: StepActionsProps) => {
  const { pipelines } = useCatalog();
  const pipelineId = useAgent(agentId)?.pipelines['output'] ?? pipelines[0]?.id ?? '';
  return (
    <div className="cluster">
      {useCanRepeat(agentId) && (
        <ButtonLink icon={GitFork} href={forkHref(runId, { part: `answers ${lane.stepNumber}.${lane.attempt}` })}>
          Edit response, fork from here
        </ButtonLink>
      )}
      <ButtonLink icon={FlaskConical} href={labHref(runId, lane, pipelineId)}>
        Open in the lab
      </ButtonLink>
    </div>
  );
};

interface StreamFilmProps {
  readonly runId: string;
  readonly lane: Lane;
  readonly isRecorded: boolean;
  /** The point in time that the page shows. */
  readonly seq: number;
  readonly onSeq: (seq: number) => void;
}

/** The stream of an attempt, frame by frame; the whole page follows it. Nothing for an attempt without text. */
const StreamFilm = ({ runId, lane, isRecorded, seq, onSeq }: StreamFilmProps) => {
  const { entries, count } = useRun(runId);
  const [words, setWords] = useState<ReadonlyMap<number, string>>();
  const canReveal = isRecorded && runFile?.hasAllWords !== false;
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

/** The most verdicts that are read. */
const mostEdits = 12;

/** The words that guards of the response put into an attempt. None while they are loaded, or if they are not stored. */
const useEditedWords = (runId: string, lane: Lane | undefined): readonly EditedWords[] => {
  const catalog = useCatalog();
  const isOutput = (name: string): boolean => catalog.phases.some((info) => info.phase === name && info.lane === 'output');
  const edits = (lane?.marks ?? []).filter((mark) => mark.kind === 'verdict' && mark.verdict === 'edit' && isOutput(mark.phase));
  const seqs = edits
    .slice(-mostEdits)
    .map(({ seq }) => seq)
    .join(' ');
  const load = useCallback(
    (signal: AbortSignal) =>
      Promise.all(
        seqs
          .split(' ')
          .filter(Boolean)
          .map((seq) => get<GuardView>(`${runPath(runId)}/guards/${seq}`, signal)),
      ),
    [runId, seqs],
  );
  const loaded = useLoaded(load, restMs);
  if (loaded.state !== 'loaded') return [];
  return loaded.value.flatMap((view) => {
    const pipeline = pipelineNamed(catalog, pipelineOf(view.path));
    const author = pipeline ? guardsIn(pipeline.graph).findIndex(({ path }) => path === view.path) : 0;
    const added = pairsOf(view.received, view.returned).flatMap(({ before, after }) =>
      diffWords(before, after).filter(({ kind }) => kind === 'added'),
    );
    return added.map(({ text }) => ({ text: text.trim(), name: view.processorId, author: Math.max(0, author) }));
  });
};
