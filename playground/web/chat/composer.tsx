import { ArrowUp, Plus } from 'lucide-react';
import { useEffect, useRef, useState, type KeyboardEvent } from 'react';
import type { AgentInfo } from '../../protocol/catalog.js';
import { useCatalog } from '../api/catalog.js';
import { useRun } from '../api/run-readers.js';
import { Button } from '../components/button.js';
import { StopButton } from '../components/stop-button.js';

interface ComposerProps {
  readonly agent: AgentInfo;
  readonly draft: string;
  readonly onDraft: (text: string) => void;
  /** The latest turn. */
  readonly runId: string | undefined;
  readonly onSend: (text: string) => Promise<void>;
  /** Starts a conversation with an agent. */
  readonly onAgent: (agentId: string) => void;
}

/** The groups of agents in a choice. */
const kinds = [
  { kind: 'interlock', title: 'Interlock' },
  { kind: 'mastra', title: 'Mastra' },
] as const satisfies readonly { kind: AgentInfo['kind']; title: string }[];

const AgentOptions = ({ title, agents }: { readonly title: string; readonly agents: readonly AgentInfo[] }) => (
  <optgroup label={title}>
    {agents.map(({ id, name }) => (
      <option key={id} value={id}>
        {name}
      </option>
    ))}
  </optgroup>
);

const AgentPicker = ({ agent, onAgent }: Pick<ComposerProps, 'agent' | 'onAgent'>) => {
  const { agents } = useCatalog();
  return (
    <label className="cluster soft small agent-picker">
      <span>Agent</span>
      <select value={agent.id} onChange={({ target }) => onAgent(target.value)}>
        {kinds.map(({ kind, title }) => {
          const own = agents.filter((one) => one.kind === kind);
          return own.length > 0 && <AgentOptions key={kind} title={title} agents={own} />;
        })}
      </select>
    </label>
  );
};

const SendButton = ({ disabled }: { readonly disabled: boolean }) => (
  <Button look="primary" type="submit" disabled={disabled}>
    <ArrowUp size={15} aria-hidden /> Send
  </Button>
);

/** Wide screens only: on a phone, focus would open the keyboard. */
const isWide = (): boolean => matchMedia('(width >= 48rem)').matches;

/** The input field: Enter sends, Shift and Enter starts a new line; a turn under way can be stopped. */
export const Composer = ({ agent, draft, onDraft, runId, onSend, onAgent }: ComposerProps) => {
  const field = useRef<HTMLTextAreaElement>(null);
  const [isSending, setIsSending] = useState(false);
  const { fold, state } = useRun(runId);
  const isBusy = state !== 'over' && state !== 'failed' && fold.at().status === 'running';
  const isEmpty = draft === '';
  useEffect(() => {
    if (!isEmpty || isWide()) field.current?.focus();
  }, [isEmpty]);

  const send = () => {
    const text = draft.trim();
    if (text === '' || isBusy || isSending) return;
    setIsSending(true);
    void onSend(text)
      .then(() => onDraft(''))
      .catch(() => undefined) // the page shows the error
      .finally(() => setIsSending(false));
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    send();
  };
  return (
    <form
      className="composer"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <textarea
        ref={field}
        rows={2}
        value={draft}
        aria-label="Your message"
        placeholder="Write a message"
        onChange={({ target }) => onDraft(target.value)}
        onKeyDown={onKeyDown}
      />
      <div className="spread composer-tools">
        <div className="cluster">
          <AgentPicker agent={agent} onAgent={onAgent} />
          {runId !== undefined && (
            <Button look="quiet" aria-label="New conversation" onClick={() => onAgent(agent.id)}>
              <Plus size={15} aria-hidden /> New
            </Button>
          )}
        </div>
        {isBusy ? <StopButton runId={runId ?? ''} /> : <SendButton disabled={draft.trim() === '' || isSending} />}
      </div>
    </form>
  );
};
