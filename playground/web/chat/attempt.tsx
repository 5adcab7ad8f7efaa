import { RotateCcw, Eye } from 'lucide-react';
import { Badge } from '../components/badge.js';
import { InertText } from '../components/inert-text.js';
import { PartText } from '../components/part-text.js';
import type { GuardMark, Lane } from '../../fold/run-view.js';
import { ToolRow } from './tool-row.js';
import type { Revealed } from '../../protocol/trace-entry.js';
import { useCatalog } from '../api/catalog.js';
import { runPath } from '../../protocol/run-file.js';
import { get, query } from '../api/request.js';
import { useAction } from '../api/use-action.js';
import { Button } from '../components/button.js';
import { ErrorNotice } from '../components/error-notice.js';
import { WordDiff } from '../components/word-diff.js';
import { editorsIn } from './model-input.js';

interface AttemptProps {
  readonly runId: string;
  readonly lane: Lane;
  readonly isLive: boolean;
  readonly isLast: boolean;
}

/** Parts with text for the person; arguments of a tool are in its call. */
const isText = /^(text|reasoning)$/;

const sentBackBy = ({ marks }: Lane): Extract<GuardMark, { kind: 'verdict' | 'shadow' }> | undefined => {
  const mark = marks.findLast((found) => found.kind === 'verdict' && found.verdict === 'retry');
  return mark?.kind === 'verdict' ? mark : undefined;
};

/** Shows that an attempt was rejected, with the guard and the reason. */
const SentBack = ({ lane }: { readonly lane: Lane }) => {
  const guard = sentBackBy(lane);
  return (
    <p className="cluster soft small">
      <Badge tone="retry" icon={RotateCcw}>
        attempt {lane.attempt} retried
      </Badge>
      {guard && (
        <span>
          <InertText text={guard.processorId} />
          {guard.reason !== undefined && (
            <>
              : <InertText text={guard.reason} />
            </>
          )}
        </span>
      )}
    </p>
  );
};

/** One attempt at an answer: its text and its tool calls. */
export const Attempt = ({ runId, lane, isLive, isLast }: AttemptProps) => {
  const parts = lane.parts.filter(({ kind }) => isText.test(kind));
  const wasSentBack = lane.reason === 'retry';
  if (parts.length === 0 && lane.tools.length === 0 && !wasSentBack) return null;
  return (
    <div className={`stack-s attempt ${wasSentBack ? 'attempt-back' : ''}`}>
      {wasSentBack && <SentBack lane={lane} />}
      {parts.map((part) => (
        <PartText key={part.partId} part={part} lane={lane} isLive={isLive && isLast} />
      ))}
      {lane.reason !== undefined && <ModelWrote runId={runId} lane={lane} />}
      {lane.tools.map((call) => (
        <ToolRow key={call.toolCallId} call={call} />
      ))}
    </div>
  );
};

interface ModelWroteProps {
  readonly runId: string;
  readonly lane: Lane;
}

/** Compares the model's text with the released one if guards of the answer changed it; on a click, because that text left no run. */
const ModelWrote = ({ runId, lane }: ModelWroteProps) => {
  const { phases } = useCatalog();
  const [words, act] = useAction<readonly Revealed[]>();
  const isOutput = (name: string): boolean => phases.some(({ phase, lane: side }) => phase === name && side === 'output');
  const editors = editorsIn(lane.marks, isOutput);
  if (editors.length === 0) return null;
  const request = () => void act(() => get<Revealed[]>(`${runPath(runId)}/reveal${query({ from: lane.startSeq })}`));
  if (words.state === 'failed') return <ErrorNotice error={words.error} />;
  if (words.state !== 'done')
    return (
      <Button look="quiet" onClick={request}>
        <Eye size={14} aria-hidden /> Compare with the model output
      </Button>
    );
  return (
    <div className="stack-s small model-input">
      <p>Model output, edited by {editors.join(', ')}:</p>
      {lane.parts
        .filter(({ kind }) => kind === 'text')
        .map(({ partId, text }) => (
          <WordDiff
            key={partId}
            before={words.value.flatMap((one) => (one.partId === partId ? [one.text] : [])).join('')}
            after={text}
          />
        ))}
    </div>
  );
};
