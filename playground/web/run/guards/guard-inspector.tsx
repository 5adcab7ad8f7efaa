import { FactList } from '../../components/fact-list.js';
import { formatDuration } from '../../components/format.js';
import { MarkBadge } from '../../components/guard-mark-row.js';
import type { GuardMark } from '../../fold/run-view.js';
import { GuardDiff } from './guard-diff.js';

interface GuardInspectorProps {
  readonly runId: string;
  readonly path: string;
  /** What is known of the place. */
  readonly marks: readonly GuardMark[];
  /** The guard's position in its pipeline: its colour. */
  readonly author: number;
}

const factsOf = (mark: GuardMark): Readonly<Record<string, unknown>> => {
  switch (mark.kind) {
    case 'verdict':
    case 'shadow':
      return {
        Reason: mark.reason,
        Metadata: mark.metadata,
        Took: formatDuration(mark.durationMs),
        Calls: mark.calls > 1 ? `${mark.calls}, ${mark.edits} of them edited` : undefined,
        Effect: mark.kind === 'shadow' ? 'none: it judges in the shadow' : undefined,
      };
    case 'bypass':
      return {
        Reason: mark.reason,
        Calls: mark.calls > 1 ? mark.calls : undefined,
        Effect: 'it passed unedited, as its policy says',
      };
    case 'conflict':
      return { Authors: mark.authors.join(' and '), 'Both edited': mark.target, 'Settled by': mark.rule };
    case 'stale':
      return {
        'Passed first': mark.readers.join(', '),
        'Then changed by': mark.authors.join(', '),
        Effect: mark.rerun ? 'they judged the merged payload again' : 'their verdict is of words that are gone',
      };
    default:
      return mark satisfies never;
  }
};

/** One place of the pipeline: each verdict with its reason, and what was done to which words. */
export const GuardInspector = ({ runId, path, marks, author }: GuardInspectorProps) => (
  <div className="inspector" aria-live="polite">
    <h3>
      {path.slice(path.lastIndexOf('/') + 1)} <code>{path}</code>
    </h3>
    {marks.length === 0 && <p className="inspector-none">Nothing is known of it at this point in time.</p>}
    {marks.map((mark) => (
      <div key={mark.seq} className="inspector-mark">
        <MarkBadge mark={mark} />
        <FactList facts={factsOf(mark)} />
        {mark.kind === 'verdict' && <GuardDiff runId={runId} seq={mark.seq} author={author} />}
      </div>
    ))}
  </div>
);
