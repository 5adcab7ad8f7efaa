import { useState } from 'react';
import { Bot, Play, ArrowRight } from 'lucide-react';
import './chat.css';
import { Link } from 'wouter';
import { useFork } from '../again/use-fork.js';
import { Button } from '../components/button.js';
import type { AgentInfo } from '../../protocol/catalog.js';
import { useAgent, useCatalog } from '../api/catalog.js';
import { EmptyState, ErrorNotice } from '../components/notices.js';
import { useQuery } from '../shell/use-query.js';
import { useTitle } from '../shell/use-title.js';
import { Composer } from './composer.js';
import { LiveStrip } from './live-strip.js';
import { useThread, type Thread } from './use-thread.js';
import { InertText } from '../components/inert-text.js';
import { useRun } from '../api/run-readers.js';
import { StatusBadge } from '../components/badge.js';
import { BlockNotice } from '../components/block-notice.js';
import { factsOf, worstFact } from '../../fold/facts.js';
import type { RunView } from '../../fold/run-view.js';
import { runHref } from '../shell/hrefs.js';
import { Approvals } from './approval.js';
import { Attempt } from './attempt.js';
import { ModelInput } from './edited-text.js';

interface TalkProps {
  readonly agent: AgentInfo;
  readonly thread: string | undefined;
  readonly onAgent: (id: string) => void;
}

const Talk = ({ agent, thread, onAgent }: TalkProps) => {
  const { turns, send, add, error } = useThread(agent, thread);
  const [draft, setDraft] = useState('');
  const last = turns.at(-1);
  const run = (example: string) => void send(example).catch(() => setDraft(example)); // the page shows the error
  return (
    <div className="chat">
      <div className="chat-talk">
        {turns.length === 0 ? <Welcome agent={agent} onRun={run} /> : <Transcript turns={turns} onAnswer={add} />}
        {error && (
          <div className="chat-error">
            <ErrorNotice error={error} />
          </div>
        )}
        <Composer agent={agent} draft={draft} onDraft={setDraft} runId={last} onSend={send} onAgent={onAgent} />
      </div>
      <LiveStrip runId={last} />
    </div>
  );
};

/** A conversation with one of the agents; the address names both. */
export const ChatPage = () => {
  useTitle('Chat');
  const { agents } = useCatalog();
  const [query, setQuery] = useQuery();
  const agent = agents.find(({ id }) => id === query.get('agent')) ?? agents[0];
  if (!agent)
    return (
      <EmptyState icon={Bot} title="No agents" isPage>
        Register an agent with the Mastra instance of this studio.
      </EmptyState>
    );
  const thread = query.get('thread') ?? undefined;
  return <Talk key={agent.id} agent={agent} thread={thread} onAgent={(id) => setQuery({ agent: id, thread: undefined })} />;
};

/** The examples of an agent, before the first message. */
const Welcome = ({ agent, onRun }: { readonly agent: AgentInfo; readonly onRun: (text: string) => void }) => (
  <div className="welcome">
    <h1>
      Chat with <InertText text={agent.name} />
    </h1>
    <p className="soft welcome-lead">
      Guards check your messages and the responses. Choose an example to run it, then open the run and step through it.
    </p>
    {agent.note !== undefined && <p className="soft small welcome-note">{agent.note}</p>}
    <ul className="examples">
      {agent.examples.map(({ text, shows }) => (
        <li key={text}>
          <button type="button" className="bare" onClick={() => onRun(text)}>
            <span className="example-text">
              <InertText text={text} />
            </span>
            <span className="faint small example-shows">{shows}</span>
            <Play size={15} aria-hidden />
          </button>
        </li>
      ))}
    </ul>
  </div>
);

/** The turns of a conversation, each of which is a run. Its styles keep the end in view, unless the user has scrolled away. */
const Transcript = ({ turns, onAnswer }: { readonly turns: readonly string[] } & Pick<TurnProps, 'onAnswer'>) => (
  // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a region that scrolls is reached by the keyboard
  <div className="transcript" role="log" aria-label="Conversation" tabIndex={0}>
    <h1 className="unseen">Conversation</h1>
    <ol>
      {turns.map((runId) => (
        <Turn key={runId} runId={runId} onAnswer={onAnswer} />
      ))}
    </ol>
  </div>
);

interface TurnProps {
  readonly runId: string;
  readonly onAnswer: Thread['add'];
}

/** A turn: the input, every attempt at an answer, and the end. */
const Turn = ({ runId, onAnswer }: TurnProps) => {
  const { fold, count, state, error } = useRun(runId);
  const view = fold.at();
  const isLive = state === 'live' && view.status === 'running';
  const last = view.inputMessages.at(-1);
  const input = last?.role === 'assistant' ? undefined : (view.inputMessages.findLast(({ role }) => role === 'user') ?? last); // it continues a turn
  return (
    <li className="stack turn">
      {input && (
        <>
          <div className="user-text" dir="auto">
            <InertText text={input.text} />
          </div>
          <ModelInput runId={runId} view={view} userText={input.text} />
        </>
      )}
      <div className="stack answer" aria-busy={isLive}>
        {view.lanes.map((lane) => (
          <Attempt key={lane.index} runId={runId} lane={lane} isLive={isLive} isLast={lane.index === view.lanes.length - 1} />
        ))}
        <Approvals runId={runId} view={view} onAnswer={onAnswer} />
        {view.tripwire && <BlockNotice tripwire={view.tripwire} href={runHref(runId, worstFact(factsOf(view))?.seq)} />}
        {view.error && <ErrorNotice error={view.error} />}
        {error && state === 'failed' && <ErrorNotice error={error} />}
        <p className="cluster small turn-foot">
          {count === 0 && state === 'loading' ? (
            <span className="turn-note">Loading …</span>
          ) : (
            <StatusBadge status={view.status} />
          )}
          {state === 'waiting' && <span className="turn-note">Server not reachable. Reconnecting …</span>}
          <Link href={runHref(runId)}>
            Open run <ArrowRight size={13} aria-hidden />
          </Link>
          {!isLive && <OtherHost runId={runId} view={view} />}
        </p>
      </div>
    </li>
  );
};

/** Sends the same message to the agent with the same tools on the other host, and compares both runs. */
const OtherHost = ({ runId, view: { inputMessages } }: { readonly runId: string; readonly view: RunView }) => {
  const { agents } = useCatalog();
  const [query] = useQuery();
  const own = useAgent(query.get('agent') ?? undefined);
  const toolsOf = (agent: AgentInfo | undefined): string =>
    JSON.stringify(agent?.tools.toSorted((a, b) => a.name.localeCompare(b.name)));
  const other = agents.find((one) => own && own.tools.length > 0 && one.kind !== own.kind && toolsOf(one) === toolsOf(own));
  const { fork, start } = useFork(runId, `agents/${encodeURIComponent(other?.id ?? '')}/runs`);
  const text = inputMessages.findLast(({ role }) => role === 'user')?.text;
  if (!other || text === undefined) return null;
  return (
    <Button look="quiet" disabled={fork.state === 'busy'} onClick={() => void start({ text })}>
      {fork.state === 'busy' ? 'Running …' : `Compare with ${other.name}`}
    </Button>
  );
};
