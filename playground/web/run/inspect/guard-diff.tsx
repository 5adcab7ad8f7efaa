import { runPath } from '../../../protocol/run-file.js';
import type { GuardView } from '../../../protocol/trace-entry.js';
import { Scrolled } from '../../components/fact-list.js';
import { InertText } from '../../components/inert-text.js';
import { pairsOf } from '../../components/text-pairs.js';
import { Texts } from '../../components/texts.js';
import { Revealed } from './revealed.js';

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
      <details className="diff-pair" open={isFirst}>
        <summary>Stack</summary>
        <Scrolled label="Stack" text={cause.frames.join('\n')} />
      </details>
    )}
  </div>
);

/** A guard's input and output, word by word. */
export const GuardDiff = ({ runId, seq, author, returnedText }: GuardDiffProps) => (
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
