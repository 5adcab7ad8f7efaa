import { Eye } from 'lucide-react';
import { use, useState } from 'react';
import { runPath } from '../../../protocol/run-file.js';
import type { Revealed } from '../../../protocol/trace-entry.js';
import { get, runFile } from '../../api/request.js';
import { Button } from '../../components/button.js';
import { ErrorNotice } from '../../components/error-notice.js';
import { InertText } from '../../components/inert-text.js';
import { PartText } from '../../components/part-text.js';
import type { Lane, Part } from '../../fold/run-view.js';
import { NoWords } from '../no-words.js';

interface LaneWordsProps {
  readonly runId: string;
  readonly lane: Lane;
  /** The last line up to the point in time that may belong to it. */
  readonly until: number;
}

/** Setting a text anew at each point in time takes time; of a long one its end is shown, where it grows. */
const mostChars = 4000;

const isHidden = ({ came, text }: Part): boolean => came > text.length;

/** Asks for the words that nobody outside the run has seen. */
const Reveal = ({ runId, lane, until }: LaneWordsProps) => {
  const [words, setWords] = useState<readonly Revealed[]>();
  const [error, setError] = useState<Error>();
  const ask = () => {
    get<Revealed[]>(`${runPath(runId)}/reveal`)
      .then(setWords)
      .catch((thrown: unknown) => setError(thrown instanceof Error ? thrown : new Error(String(thrown))));
  };
  if (error) return <ErrorNotice error={error} />;
  if (words === undefined)
    return (
      <Button look="quiet" onClick={ask}>
        <Eye size={14} aria-hidden /> Show what came in
      </Button>
    );
  const came = words.flatMap(({ seq, text }) => (seq >= lane.startSeq && seq <= until ? [text] : [])).join('');
  return (
    <blockquote className="revealed">
      <p className="revealed-note">As the model wrote it, up to this point in time; not all of it left the run.</p>
      <InertText text={came === '' ? 'nothing' : came} />
    </blockquote>
  );
};

/** What an attempt let out, held and lost; what nobody saw only behind a click. */
export const LaneWords = ({ runId, lane, until }: LaneWordsProps) => {
  const parts = lane.parts.filter(({ came, text }) => came > 0 || text !== '');
  const [isWhole, setIsWhole] = useState(false);
  const canReveal = use(NoWords) === undefined && runFile?.hasAllWords !== false;
  if (parts.length === 0) return null;
  const isLong = parts.some(({ text }) => text.length > mostChars);
  return (
    <div className="lane-words">
      {parts.map((part) => (
        <PartText key={part.partId} part={part} lane={lane} mostChars={isWhole ? Infinity : mostChars} />
      ))}
      {isLong && (
        <Button look="quiet" onClick={() => setIsWhole(!isWhole)}>
          {isWhole ? 'Show the end alone' : 'Show all of it'}
        </Button>
      )}
      {canReveal && parts.some(isHidden) && <Reveal runId={runId} lane={lane} until={until} />}
    </div>
  );
};
