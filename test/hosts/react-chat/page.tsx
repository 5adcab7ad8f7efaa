import { useChat } from '@ai-sdk/react';
import { DefaultChatTransport, lastAssistantMessageIsCompleteWithApprovalResponses, type UIMessage } from 'ai';
import { createRoot } from 'react-dom/client';

import { visibleMessages } from '../../../src/ui/index.js';

type Part = UIMessage['parts'][number];

/**
 * The address of the page: `?api=` is the route of the chat, `&thread=` the thread of its memory. With `&chat=`, the chat with this id starts with
 * its stored messages, and resumes its stream.
 */
const parameters = new URLSearchParams(location.search);
const thread = parameters.get('thread');
const chat = parameters.get('chat');
const api = parameters.get('api') ?? '';
const resumed =
  chat === null ? {} : { id: chat, messages: (await (await fetch(`${api}/${chat}`)).json()) as UIMessage[], resume: true };
const transport = new DefaultChatTransport({
  api,
  body: thread === null ? {} : { memory: { thread, resource: 'person' } },
});

interface PartProps {
  readonly part: Part;
  readonly onDecision: (id: string, approved: boolean) => void;
}

const PartView = ({ part, onDecision }: PartProps) => {
  if (part.type === 'text') return <p>{part.text}</p>;
  if (part.type === 'data-tripwire') return <p role="alert">Blocked: {(part as { data: { reason: string } }).data.reason}</p>;
  if (!('approval' in part) || part.state !== 'approval-requested') return null;
  const { id } = part.approval;
  return (
    <>
      <button type="button" onClick={() => onDecision(id, true)}>
        Approve
      </button>
      <button type="button" onClick={() => onDecision(id, false)}>
        Decline
      </button>
    </>
  );
};

/** A chat with React, as in docs/guide/chat.md. */
const Chat = () => {
  const { messages, status, sendMessage, setMessages, addToolApprovalResponse } = useChat({
    ...resumed,
    transport,
    onFinish: ({ messages: all }) => setMessages(visibleMessages(all)),
    sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
  });
  return (
    <form action={(data: FormData) => void sendMessage({ text: data.get('text') as string })}>
      {visibleMessages(messages).map(({ id, role, parts }) => (
        <section key={id} aria-label={role}>
          {parts.map((part, index) => (
            <PartView
              key={`${id} ${index}`}
              part={part}
              onDecision={(callId, approved) => void addToolApprovalResponse({ id: callId, approved })}
            />
          ))}
        </section>
      ))}
      <input aria-label="Message" name="text" />
      <button disabled={status !== 'ready'}>Send</button>
    </form>
  );
};

createRoot(document.body).render(<Chat />);
