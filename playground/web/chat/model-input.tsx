import { useCallback } from 'react';
import type { PromptView } from '../../protocol/trace-entry.js';
import { useCatalog } from '../api/catalog.js';
import { get } from '../api/request.js';
import { useLoaded } from '../api/use-loaded.js';
import { WordDiff } from '../components/word-diff.js';
import type { GuardMark, RunView } from '../../fold/run-view.js';
import './model-input.css';

/** The ids of guards of an array that changed something, each once. */
export const editorsIn = (marks: readonly GuardMark[], isOfLane: (phase: string) => boolean): readonly string[] => [
  ...new Set(
    marks.flatMap((mark) =>
      mark.kind === 'verdict' && mark.verdict === 'edit' && isOfLane(mark.phase) ? [mark.processorId] : [],
    ),
  ),
];

interface ModelInputProps {
  readonly runId: string;
  readonly view: RunView;
  readonly userText: string;
}

/** The model's input from the user's text, if guards changed it; nothing before the model is called. */
export const ModelInput = ({ runId, view, userText }: ModelInputProps) => {
  const { phases } = useCatalog();
  const isInput = (name: string): boolean => phases.some(({ phase, lane }) => phase === name && lane === 'input');
  const editors = editorsIn(
    view.lanes.flatMap(({ marks }) => marks),
    isInput,
  );
  const wasCalled = view.lanes.some(({ models }) => models.length > 0);
  return editors.length > 0 && wasCalled ? <EditedInput runId={runId} userText={userText} editors={editors} /> : null;
};

const EditedInput = ({ runId, userText, editors }: Omit<ModelInputProps, 'view'> & { readonly editors: readonly string[] }) => {
  const load = useCallback(
    (signal: AbortSignal) => get<PromptView[]>(`runs/${encodeURIComponent(runId)}/prompts`, signal),
    [runId],
  );
  const loaded = useLoaded(load);
  if (loaded.state !== 'loaded') return null; // without stored text there is nothing to show
  const received = loaded.value[0]?.messages.findLast(({ role }) => role === 'user')?.text;
  if (received === undefined || received === userText) return null;
  return (
    <div className="stack-s small model-input">
      <p>Model input, edited by {editors.join(', ')}:</p>
      <WordDiff before={userText} after={received} />
    </div>
  );
};
