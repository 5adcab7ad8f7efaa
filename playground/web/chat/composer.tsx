import { ArrowUp, Plus } from 'lucide-react';
import { useEffect, useRef, type KeyboardEvent } from 'react';
import type { AgentInfo } from '../../protocol/catalog.js';
import { useCatalog } from '../api/catalog.js';
import { useAction } from '../api/use-loaded.js';
import { useRun } from '../api/run-readers.js';
import { Button } from '../components/button.js';
import { Form, Select } from '../components/fields.js';
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

const kinds: Readonly<Record<AgentInfo['kind'], string>> = { interlock: 'Interlock', 'ai-sdk': 'AI SDK', mastra: 'Mastra' };

const AgentPicker = ({ agent, onAgent }: Pick<ComposerProps, 'agent' | 'onAgent'>) => {
  const { agents } = useCatalog();
  const groups = Object.entries(kinds).map(([kind, group]) => ({
    group,
    options: agents.filter((one) => one.kind === kind).map(({ id, name }) => [id, name] as const),
  }));
  return (
    <Select title="Agent" className="cluster soft small agent-picker" value={agent.id} options={groups} onChange={onAgent} />
  );
};

/** Wide screens only: on a phone, focus would open the keyboard. */
const isWide = (): boolean => matchMedia('(width >= 48rem)').matches;

/** The input field: Enter sends, Shift and Enter starts a new line; a turn under way can be stopped. */
export const Composer = ({ agent, draft, onDraft, runId, onSend, onAgent }: ComposerProps) => {
  const field = useRef<HTMLTextAreaElement>(null);
  const [sent, act] = useAction<void>();
  const isSending = sent.state === 'busy';
  const { fold, state } = useRun(runId);
  const isBusy = state !== 'over' && state !== 'failed' && fold.at().status === 'running';
  const isEmpty = draft === '';
  useEffect(() => {
    if (!isEmpty || isWide()) field.current?.focus();
  }, [isEmpty]);

  const send = () => {
    const text = draft.trim();
    if (text !== '' && !isBusy && !isSending) void act(() => onSend(text).then(() => onDraft(''))); // the page shows an error
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    send();
  };
  return (
    <Form className="composer" onSubmit={send}>
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
            <Button icon={Plus} look="quiet" aria-label="New conversation" onClick={() => onAgent(agent.id)}>
              New
            </Button>
          )}
        </div>
        {isBusy ? (
          <StopButton runId={runId ?? ''} />
        ) : (
          <Button icon={ArrowUp} look="primary" type="submit" disabled={draft.trim() === '' || isSending}>
            Send
          </Button>
        )}
      </div>
    </Form>
  );
};
