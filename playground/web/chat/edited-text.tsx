import { Eye } from 'lucide-react';
import type { GuardMark, Lane, RunView } from '../../fold/run-view.js';
import { runPath } from '../../protocol/run-file.js';
import type { PromptView, Revealed } from '../../protocol/trace-entry.js';
import { useCatalog } from '../api/catalog.js';
import { get, query } from '../api/request.js';
import { useAction, useGet } from '../api/use-loaded.js';
import { Button } from '../components/button.js';
import { ErrorNotice } from '../components/notices.js';
import { WordDiff } from '../components/word-diff.js';
import './edited-text.css';

/** The ids of the guards of an array that changed something, each once. */
const useEditors = (marks: readonly GuardMark[], side: string): readonly string[] => {
  const { phases } = useCatalog();
  const isOfSide = (name: string): boolean => phases.some(({ phase, lane }) => phase === name && lane === side);
  const edits = marks.flatMap((mark) => (mark.kind === 'verdict' && mark.verdict === 'edit' && isOfSide(mark.phase) ? mark : []));
  return [...new Set(edits.map(({ processorId }) => processorId))];
};

interface EditedProps {
  readonly title: string;
  readonly editors: readonly string[];
  readonly texts: readonly { readonly before: string; readonly after: string }[];
}

const Edited = ({ title, editors, texts }: EditedProps) => (
  <div className="stack-s small model-input">
    <p>
      {title}, edited by {editors.join(', ')}:
    </p>
    {texts.map((text) => (
      <WordDiff key={text.after} {...text} />
    ))}
  </div>
);

interface ModelInputProps {
  readonly runId: string;
  readonly view: RunView;
  readonly userText: string;
}

/** The model's input from the user's text, if guards changed it; nothing before the model is called. */
export const ModelInput = ({ view: { lanes }, ...props }: ModelInputProps) => {
  const editors = useEditors(
    lanes.flatMap(({ marks }) => marks),
    'input',
  );
  const wasCalled = lanes.some(({ models }) => models.length > 0);
  return editors.length > 0 && wasCalled ? <EditedInput {...props} editors={editors} /> : null;
};

const EditedInput = ({ runId, userText, editors }: Omit<ModelInputProps, 'view'> & Pick<EditedProps, 'editors'>) => {
  const loaded = useGet<PromptView[]>(`${runPath(runId)}/prompts`);
  if (loaded.state !== 'loaded') return null; // without stored text there is nothing to show
  const received = loaded.value[0]?.messages.findLast(({ role }) => role === 'user')?.text;
  if (received === undefined || received === userText) return null;
  return <Edited title="Model input" editors={editors} texts={[{ before: userText, after: received }]} />;
};

/** Compares the model's text with the released one if guards of the answer changed it; on a click, because that text left no run. */
export const ModelWrote = ({ runId, lane }: { readonly runId: string; readonly lane: Lane }) => {
  const [words, act] = useAction<readonly Revealed[]>();
  const editors = useEditors(lane.marks, 'output');
  if (editors.length === 0) return null;
  if (words.error) return <ErrorNotice error={words.error} />;
  const { value } = words;
  const show = () => void act(() => get<Revealed[]>(`${runPath(runId)}/reveal${query({ from: lane.startSeq })}`));
  if (!value)
    return (
      <Button icon={Eye} look="quiet" onClick={show}>
        Compare with the model output
      </Button>
    );
  const wrote = (id: string): string => value.flatMap(({ partId, text }) => (partId === id ? [text] : [])).join('');
  const texts = lane.parts.filter(({ kind }) => kind === 'text');
  return (
    <Edited
      title="Model output"
      editors={editors}
      texts={texts.map(({ partId, text }) => ({ before: wrote(partId), after: text }))}
    />
  );
};
