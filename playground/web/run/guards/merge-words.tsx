import { Eye } from 'lucide-react';
import { useCallback, useState } from 'react';
import type { MergedText, MergeView } from '../../../protocol/trace-entry.js';
import { get, query, runFile } from '../../api/request.js';
import { useLoaded } from '../../api/use-loaded.js';
import { Button } from '../../components/button.js';
import { InertText } from '../../components/inert-text.js';
import { WordDiff } from '../../components/word-diff.js';
import './merge-words.css';

const Merged = ({ text: { target, base, proposals, result } }: { readonly text: MergedText }) => (
  <dl className="merge">
    <div className="merge-place">
      <dt>Place</dt>
      <dd>
        <code>
          <InertText text={target} />
        </code>
      </dd>
    </div>
    <div>
      <dt>Base</dt>
      <dd>
        <InertText text={base} />
      </dd>
    </div>
    {proposals.map(({ processorId, text }, author) => (
      <div key={processorId}>
        <dt>
          Proposed by <InertText text={processorId} />
        </dt>
        <dd>
          <WordDiff before={base} after={text} author={author} />
        </dd>
      </div>
    ))}
    <div className="merge-result">
      <dt>Result</dt>
      <dd>{result === undefined ? 'not recorded: no guard was asked after the block' : <InertText text={result} />}</dd>
    </div>
  </dl>
);

/** The words of a conflict: what the branches were given, what each proposed, and what went on. */
export const MergeWords = ({ runId, seq }: { readonly runId: string; readonly seq: number }) => {
  const [isRevealed, setIsRevealed] = useState(false);
  const load = useCallback(
    (signal: AbortSignal) =>
      get<MergeView>(`runs/${encodeURIComponent(runId)}/merges/${seq}${query({ reveal: isRevealed ? 1 : undefined })}`, signal),
    [runId, seq, isRevealed],
  );
  const loaded = useLoaded(load);
  if (loaded.state === 'loading') return <p className="inspector-none">Reading what the branches made of it …</p>;
  if (loaded.state === 'failed')
    return (
      <p className="inspector-none">
        <InertText text={loaded.error.message} />
      </p>
    );
  const isHidden = loaded.value.texts.some(({ base, proposals }) =>
    [base, ...proposals.map(({ text }) => text)].join('').includes('▒'),
  );
  return (
    <>
      {loaded.value.texts.map((text) => (
        <Merged key={text.target} text={text} />
      ))}
      {isHidden && !isRevealed && !runFile && (
        <Button look="quiet" onClick={() => setIsRevealed(true)}>
          <Eye size={14} aria-hidden /> Show words that no reader has seen
        </Button>
      )}
    </>
  );
};
