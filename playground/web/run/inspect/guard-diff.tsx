import { Eye } from 'lucide-react';
import { useCallback, useState } from 'react';
import { runPath } from '../../../protocol/run-file.js';
import type { GuardView } from '../../../protocol/trace-entry.js';
import { ApiError, get, query, runFile } from '../../api/request.js';
import { restMs, useLoaded } from '../../api/use-loaded.js';
import { Button } from '../../components/button.js';
import { ErrorNotice } from '../../components/error-notice.js';
import { Scrolled } from '../../components/fact-list.js';
import { InertText } from '../../components/inert-text.js';
import { targetTitle } from '../../components/target-title.js';
import { WordDiff } from '../../components/word-diff.js';
import { pairsOf } from './text-pairs.js';

export interface GuardDiffProps {
  readonly runId: string;
  readonly seq: number;
  readonly author: number;
  /** False if it stopped the run: then its input is shown, and nothing as removed. */
  readonly returnedText: boolean;
}

/** A guard's error, or a cause of it, with its stack. */
const Cause = ({ cause, isFirst }: { readonly cause: NonNullable<GuardView['causes']>[number]; readonly isFirst: boolean }) => (
  <div className="card diff-pair">
    <p>
      <b>
        {!isFirst && 'Caused by '}
        {cause.name}
      </b>
      : <InertText text={cause.message} /> {cause.code !== undefined && <code>{cause.code}</code>}
    </p>
    {cause.frames.length > 0 && (
      <details className="diff-same" open={isFirst}>
        <summary>Stack</summary>
        <Scrolled label="Stack" text={cause.frames.join('\n')} />
      </details>
    )}
  </div>
);

const Texts = ({ view, author, returnedText }: Omit<GuardDiffProps, 'runId' | 'seq'> & { readonly view: GuardView }) => {
  const pairs = pairsOf(returnedText ? view : { received: view.received, returned: view.received });
  const changed = pairs.filter(({ before, after }) => before !== after);
  const same = pairs.filter(({ before, after }) => before === after);
  return (
    <>
      {changed.map(({ target, before, after }) => (
        <div key={target} className="card diff-pair">
          <h4 title={target}>{targetTitle(target)}</h4>
          <WordDiff before={before} after={after} author={author} />
        </div>
      ))}
      {same.length > 0 && (
        <details className="diff-same" open={changed.length === 0 && same.length < 4}>
          <summary>{returnedText ? (changed.length === 0 ? 'Input (unchanged)' : 'Unchanged') : 'Input'}</summary>
          {same.map(({ target, before }) => (
            <div key={target} className="card diff-pair">
              <h4 title={target}>{targetTitle(target)}</h4>
              <p>
                <InertText text={before} />
              </p>
            </div>
          ))}
        </details>
      )}
      {pairs.length === 0 && !view.causes && <p className="soft small">The input has no text.</p>}
    </>
  );
};

/** A server without this run's text is no error. */
const isUnknown = (error: Error): boolean => error instanceof ApiError && error.code !== 'studio/unreachable';

/** A guard's input and output, word by word. Text that was not released is shown only on request. */
export const GuardDiff = ({ runId, seq, author, returnedText }: GuardDiffProps) => {
  const [isRevealed, setIsRevealed] = useState(false);
  const load = useCallback(
    (signal: AbortSignal) =>
      get<GuardView>(`${runPath(runId)}/guards/${seq}${query({ reveal: isRevealed ? 1 : undefined })}`, signal),
    [runId, seq, isRevealed],
  );
  const loaded = useLoaded(load, restMs);
  if (loaded.state === 'loading') return <p className="soft small">Loading input …</p>;
  if (loaded.state === 'failed')
    return isUnknown(loaded.error) ? (
      <p className="soft small">
        <InertText text={loaded.error.message} />
      </p>
    ) : (
      <ErrorNotice error={loaded.error} onRetry={loaded.reload} />
    );
  const isHidden = [...loaded.value.received, ...loaded.value.returned].some(({ text }) => text.includes('▒'));
  return (
    <div className="stack-s diff">
      {loaded.value.causes?.map((cause, depth) => (
        // oxlint-disable-next-line react/no-array-index-key -- causes of one error have no other name
        <Cause key={depth} cause={cause} isFirst={depth === 0} />
      ))}
      <Texts view={loaded.value} author={author} returnedText={returnedText} />
      {isHidden && !isRevealed && !runFile && (
        <Button look="quiet" onClick={() => setIsRevealed(true)}>
          <Eye size={14} aria-hidden /> Show text that was not emitted
        </Button>
      )}
    </div>
  );
};
