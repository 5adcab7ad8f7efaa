import { useState } from 'react';
import type { AgentInfo } from '../../protocol/catalog.js';
import { useCatalog } from '../api/catalog.js';
import { EmptyState } from '../components/empty-state.js';
import { ErrorNotice } from '../components/error-notice.js';
import { useQuery } from '../shell/use-query.js';
import { useTitle } from '../shell/use-title.js';
import { Bot } from 'lucide-react';
import { Composer } from './composer.js';
import { LiveStrip } from './live-strip.js';
import { Transcript } from './transcript.js';
import { useThread } from './use-thread.js';
import { Welcome } from './welcome.js';
import './chat.css';

const Talk = ({
  agent,
  thread,
  onAgent,
}: {
  readonly agent: AgentInfo;
  readonly thread: string | undefined;
  readonly onAgent: (id: string) => void;
}) => {
  const { turns, say, error } = useThread(agent, thread);
  const [draft, setDraft] = useState('');
  const last = turns.at(-1);
  return (
    <div className="chat">
      <div className="chat-talk">
        {turns.length === 0 ? <Welcome agent={agent} onPick={setDraft} /> : <Transcript turns={turns} />}
        {error && (
          <div className="chat-error">
            <ErrorNotice error={error} />
          </div>
        )}
        <Composer agent={agent} draft={draft} onDraft={setDraft} runId={last} onSay={say} onAgent={onAgent} />
      </div>
      <LiveStrip runId={last} />
    </div>
  );
};

/** A conversation with one of the agents; which, and which conversation, is in the address. */
export const ChatPage = () => {
  useTitle('Chat');
  const { agents } = useCatalog();
  const [query, setQuery] = useQuery();
  const agent = agents.find(({ id }) => id === query.get('agent')) ?? agents[0];
  if (!agent)
    return (
      <EmptyState icon={Bot} title="There is no agent">
        Register an agent with the Mastra instance that the studio was started on.
      </EmptyState>
    );
  const thread = query.get('thread') ?? undefined;
  return <Talk key={agent.id} agent={agent} thread={thread} onAgent={(id) => setQuery({ agent: id, thread: undefined })} />;
};
