import { Eye } from 'lucide-react';
import { useState } from 'react';
import type { Revealed } from '../../protocol/trace-entry.js';
import { useCatalog } from '../api/catalog.js';
import { get, query } from '../api/request.js';
import { Button } from '../components/button.js';
import { ErrorNotice } from '../components/error-notice.js';
import { WordDiff } from '../components/word-diff.js';
import type { Lane } from '../fold/run-view.js';
import { editorsIn } from './model-saw.js';

interface ModelWroteProps {
  readonly runId: string;
  readonly lane: Lane;
}

/** Compares what the model wrote with what was sent, where guards of the answer changed it; on a click, since those words left no run. */
export const ModelWrote = ({ runId, lane }: ModelWroteProps) => {
  const { phases } = useCatalog();
  const [words, setWords] = useState<readonly Revealed[]>();
  const [error, setError] = useState<Error>();
  const isOutput = (name: string): boolean => phases.some(({ phase, lane: side }) => phase === name && side === 'output');
  const editors = editorsIn(lane.marks, isOutput);
  if (editors.length === 0) return null;
  const ask = () => {
    get<Revealed[]>(`runs/${encodeURIComponent(runId)}/reveal${query({ from: lane.startSeq })}`)
      .then(setWords)
      .catch((thrown: unknown) => setError(thrown instanceof Error ? thrown : new Error(String(thrown))));
  };
  if (error) return <ErrorNotice error={error} />;
  if (!words)
    return (
      <Button look="quiet" onClick={ask}>
        <Eye size={14} aria-hidden /> Compare with what the model wrote
      </Button>
    );
  return (
    <div className="model-saw">
      <p>The model wrote, and you saw (changed by {editors.join(', ')}):</p>
      {lane.parts
        .filter(({ kind }) => kind === 'text')
        .map(({ partId, text }) => (
          <WordDiff
            key={partId}
            before={words.flatMap((one) => (one.partId === partId ? [one.text] : [])).join('')}
            after={text}
          />
        ))}
    </div>
  );
};
