import { useCallback } from 'react';
import type { PromptView } from '../../protocol/trace-entry.js';
import { useCatalog } from '../api/catalog.js';
import { get } from '../api/request.js';
import { useLoaded } from '../api/use-loaded.js';
import { WordDiff } from '../components/word-diff.js';
import type { GuardMark, RunView } from '../fold/run-view.js';
import './model-saw.css';

/** The ids of guards of a lane that changed something, each once. */
export const editorsIn = (marks: readonly GuardMark[], isOfLane: (phase: string) => boolean): readonly string[] => [
  ...new Set(
    marks.flatMap((mark) =>
      mark.kind === 'verdict' && mark.verdict === 'edit' && isOfLane(mark.phase) ? [mark.processorId] : [],
    ),
  ),
];

interface ModelSawProps {
  readonly runId: string;
  readonly view: RunView;
  readonly said: string;
}

/** The model's input from the user's text, if guards changed it; nothing before the model is called. */
export const ModelSaw = ({ runId, view, said }: ModelSawProps) => {
  const { phases } = useCatalog();
  const isInput = (name: string): boolean => phases.some(({ phase, lane }) => phase === name && lane === 'input');
  const editors = editorsIn(
    view.lanes.flatMap(({ marks }) => marks),
    isInput,
  );
  const wasCalled = view.lanes.some(({ modelId }) => modelId !== undefined);
  return editors.length > 0 && wasCalled ? <Seen runId={runId} said={said} editors={editors} /> : null;
};

const Seen = ({ runId, said, editors }: Omit<ModelSawProps, 'view'> & { readonly editors: readonly string[] }) => {
  const load = useCallback(
    (signal: AbortSignal) => get<PromptView[]>(`runs/${encodeURIComponent(runId)}/prompts`, signal),
    [runId],
  );
  const loaded = useLoaded(load);
  if (loaded.state !== 'loaded') return null; // without stored text there is nothing to show
  const seen = loaded.value[0]?.messages.findLast(({ role }) => role === 'user')?.text;
  if (seen === undefined || seen === said) return null;
  return (
    <div className="model-saw">
      <p>Model input, edited by {editors.join(', ')}:</p>
      <WordDiff before={said} after={seen} />
    </div>
  );
};
