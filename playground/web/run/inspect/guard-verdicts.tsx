import { useState, type ReactNode } from 'react';
import { Button } from '../../components/button.js';
import { FactList, Scrolled } from '../../components/fact-list.js';
import { count, formatDuration } from '../../components/format.js';
import { MarkBadge } from '../../components/badge.js';
import type { VerdictKind } from '../../../../schemas/run-event.js';
import { targetTitle, pairsOf } from '../../components/text-pairs.js';
import { InertText } from '../../components/inert-text.js';
import type { GuardMark } from '../../../fold/run-view.js';
import type { GuardShape } from '../../../protocol/shapes.js';
import { Revealed } from './revealed.js';
import { weight } from './judged.js';
import type { MergedText, MergeView, GuardView } from '../../../protocol/trace-entry.js';
import { runPath } from '../../../protocol/run-file.js';
import { WordDiff } from '../../components/word-diff.js';
import { Texts } from '../../components/texts.js';
import './merge-words.css';

interface GuardVerdictsProps {
  readonly runId: string;
  readonly path: string;
  /** The marks of the place. */
  readonly marks: readonly GuardMark[];
  /** The guard's position in its pipeline: its color. */
  readonly author: number;
  /** Undefined if the place is no guard. */
  readonly shape: GuardShape | undefined;
  /** The state of a guard without a verdict. */
  readonly state: string | undefined;
  /** False if another host runs the loop: then there are no texts. */
  readonly isRecorded: boolean;
  /** The actions at the cause, below its reason. */
  readonly actions: ReactNode;
}

const factsOf = (mark: GuardMark): Readonly<Record<string, unknown>> => {
  switch (mark.kind) {
    case 'verdict':
    case 'shadow':
      return {
        Metadata: mark.metadata,
        Took: formatDuration(mark.durationMs),
        Calls: mark.calls > 1 ? `${mark.calls}, ${mark.edits} with edits` : undefined,
        Effect: mark.kind === 'shadow' ? 'none: verdicts of shadow guards are only recorded' : undefined,
      };
    case 'bypass':
      return {
        Took: mark.durationMs === undefined ? undefined : formatDuration(mark.durationMs),
        Calls: mark.calls > 1 ? mark.calls : undefined,
        Effect: 'the payload passed unchanged, as set by the guard’s policy',
      };
    case 'late':
      return { Effect: 'none: the hook called abort after it had settled' };
    case 'conflict':
      return { Authors: mark.authors.join(' and '), 'Both edited': targetTitle(mark.target), 'Resolved by': mark.rule };
    case 'stale':
      return {
        'Edited afterwards by': mark.authors.join(', '),
        Effect: mark.rerun ? 'the guard checked the merged text again' : 'the verdict is for text that was edited afterwards',
      };
    default:
      return mark satisfies never;
  }
};

/** A guard that stops the run or is unavailable returns no text. */
const returnsText = (verdict: VerdictKind): boolean => verdict === 'pass' || verdict === 'edit';

/** The maximum number of shown verdicts per place; a guard of single chunks may have thousands. */
const maxMarks = 8;

/** The text of a verdict: at once for the first, on request for others. */
const Words = ({ isOpen, ...diff }: GuardDiffProps & { readonly isOpen: boolean }) => {
  const [isRequested, setIsRequested] = useState(isOpen);
  if (isRequested) return <GuardDiff {...diff} />;
  return (
    <Button look="quiet" onClick={() => setIsRequested(true)}>
      Show text
    </Button>
  );
};

/** The name of a guard; groups have none. */
const nameAt = (path: string): string => path.slice(path.lastIndexOf('/') + 1).replace(/^parallel\.\d+$/, 'Parallel group');

/** One place of the pipeline: each verdict with its reason, and its changes. */
export const GuardVerdicts = ({ runId, path, marks, author, shape, state, isRecorded, actions }: GuardVerdictsProps) => {
  const newestFirst = marks.slice(-maxMarks).toReversed();
  const latest = newestFirst.toSorted((a, b) => weight(b) - weight(a));
  const entryOf = (mark: GuardMark, index: number) => (
    <div key={`${mark.kind} ${mark.seq}`} className="stack-s inspector-mark">
      <p>
        <MarkBadge mark={mark} /> {'reason' in mark && mark.reason !== undefined && <InertText text={mark.reason} />}
      </p>
      {index === 0 && mark === latest[0] && actions}
      <FactList facts={factsOf(mark)} />
      {mark.kind === 'conflict' && isRecorded && (
        <Revealed<MergeView> path={`${runPath(runId)}/merges/${mark.seq}`} noun="edits" isMasked>
          {({ texts }) => texts.map((text) => <Merged key={text.target} text={text} />)}
        </Revealed>
      )}
      {(mark.kind === 'verdict' || mark.kind === 'bypass') && isRecorded && (
        <Words
          isOpen={mark === latest.find(({ kind }) => kind === 'verdict' || kind === 'bypass')}
          runId={runId}
          seq={mark.seq}
          author={author}
          returnedText={mark.kind === 'bypass' || returnsText(mark.verdict)}
        />
      )}
    </div>
  );
  return (
    <>
      <h3>
        {nameAt(path)} <code>{path}</code>
      </h3>
      {latest.slice(0, 1).map(entryOf)}
      {latest.length === 0 && (
        <p className="soft small">{shape ? `No verdict at this time: ${state}.` : 'No conflict in this group at this time.'}</p>
      )}
      {latest.length === 0 && actions}
      {shape?.description !== undefined && (
        <p>
          <InertText text={shape.description} />
        </p>
      )}
      <FactList facts={{ Window: shape?.judges, ...shape?.policy }} />
      {latest.length > 1 && (
        <details className="inspector-more" open={latest.some(({ kind }) => kind === 'stale' || kind === 'conflict')}>
          <summary>{count(latest.length - 1, 'more verdict')} of this guard in this phase</summary>
          {latest.slice(1).map(entryOf)}
        </details>
      )}
      {!isRecorded && latest.length > 0 && (
        <p className="soft small">
          The input of this guard is not recorded. Another host runs the loop; only an InterlockAgent records a trace.
        </p>
      )}
      {marks.length > maxMarks && (
        <p className="soft small">Move the timeline back to see {count(marks.length - maxMarks, 'earlier verdict')}.</p>
      )}
    </>
  );
};

/** The texts of a conflict: the branches' input, each proposal, and the result. */
const Merged = ({ text: { target, base, proposals, result } }: { readonly text: MergedText }) => (
  <dl className="stack-s merge">
    <div>
      <dt title={target}>{targetTitle(target)}, original</dt>
      <dd>
        <InertText text={base} />
      </dd>
    </div>
    {proposals.map(({ processorId, text }, author) => (
      <div key={processorId}>
        <dt>
          Edit by <InertText text={processorId} />
        </dt>
        <dd>
          <WordDiff before={base} after={text} author={author} />
        </dd>
      </div>
    ))}
    <div className="merge-result">
      <dt>Result</dt>
      <dd>{result === undefined ? 'not recorded: no guard ran after the group' : <InertText text={result} />}</dd>
    </div>
  </dl>
);

interface GuardDiffProps {
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
      <details className="diff-pair" open={isFirst}>
        <summary>Stack</summary>
        <Scrolled label="Stack" text={cause.frames.join('\n')} />
      </details>
    )}
  </div>
);

/** A guard's input and output, word by word. */
const GuardDiff = ({ runId, seq, author, returnedText }: GuardDiffProps) => (
  <Revealed<GuardView> path={`${runPath(runId)}/guards/${seq}`} noun="input" isMasked>
    {({ received, returned, causes = [] }) => (
      <>
        {causes.map((cause, depth) => (
          // oxlint-disable-next-line react/no-array-index-key -- causes of one error have no other name
          <Cause key={depth} cause={cause} isFirst={depth === 0} />
        ))}
        {(received.length > 0 || causes.length === 0) && (
          <Texts
            pairs={pairsOf(received, returnedText ? returned : received)}
            author={author}
            same={returnedText ? 'Input (unchanged)' : 'Input'}
          />
        )}
      </>
    )}
  </Revealed>
);
