import { useCallback, useMemo, useState } from 'react';
import { runPath } from '../../../protocol/run-file.js';
import type { PromptView, StudioEntry } from '../../../protocol/trace-entry.js';
import { get } from '../../api/request.js';
import { useLoaded } from '../../api/use-loaded.js';
import { ErrorNotice } from '../../components/error-notice.js';
import { Value } from '../../components/fact-list.js';
import { count } from '../../components/format.js';
import { useLatestOf } from '../../components/latest-of.js';
import { InertText } from '../../components/inert-text.js';
import { Panel } from '../../components/panel.js';
import './prompts.css';

interface PromptsPanelProps {
  readonly runId: string;
  readonly entries: readonly StudioEntry[];
  readonly lines: number;
  /** The point in time that the page shows. */
  readonly seq: number;
}

/** Model calls, each with its prompt as sent, after every guard before it. */
export const PromptsPanel = ({ runId, entries, lines, seq }: PromptsPanelProps) => {
  const calls = useMemo(
    () => entries.slice(0, lines).filter((entry) => entry.kind === 'event' && entry.event.type === 'model-call'),
    [entries, lines],
  );
  const made = calls.filter((call) => call.seq <= seq);
  const { latest, more } = useLatestOf(made, 'calls');
  if (made.length === 0) return null;
  return (
    <Panel title="Prompts" note={`as sent to the model, ${count(made.length, 'call')}`}>
      {more}
      <ol className="prompts">
        {latest.map((call) => (
          <li key={call.seq}>
            <Call runId={runId} index={made.indexOf(call)} entry={call} />
          </li>
        ))}
      </ol>
    </Panel>
  );
};

const Call = ({ runId, index, entry }: { readonly runId: string; readonly index: number; readonly entry: StudioEntry }) => {
  const [isOpen, setIsOpen] = useState(false);
  if (entry.kind !== 'event' || entry.event.type !== 'model-call') return null;
  const { stepNumber, attempt, modelId, provider } = entry.event;
  return (
    <details className="prompt" onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
      <summary>
        Call {index + 1}{' '}
        <span>
          step {stepNumber + 1}, attempt {attempt}, {provider}/{modelId}
        </span>
      </summary>
      {isOpen && <Sent runId={runId} index={index} />}
    </details>
  );
};

const Sent = ({ runId, index }: { readonly runId: string; readonly index: number }) => {
  const load = useCallback((signal: AbortSignal) => get<PromptView[]>(`${runPath(runId)}/prompts`, signal), [runId]);
  const loaded = useLoaded(load);
  if (loaded.state === 'failed') return <ErrorNotice error={loaded.error} onRetry={loaded.reload} />;
  const prompt = loaded.state === 'loaded' ? loaded.value[index] : undefined;
  if (!prompt) return <p className="prompt-none">{loaded.state === 'loading' ? 'Loading …' : 'This prompt was not recorded.'}</p>;
  return (
    <ol className="prompt-messages">
      {prompt.messages.map(({ role, text, parts }, place) => (
        // oxlint-disable-next-line react/no-array-index-key -- messages of a prompt have no other name
        <li key={place}>
          <b>{role}</b>
          {text !== '' && <InertText text={text} className="prompt-text" />}
          {parts.length > 0 && <Value value={parts} />}
        </li>
      ))}
      <li>
        <b>settings</b>
        <Value value={prompt.settings} />
      </li>
    </ol>
  );
};
