import { MessageList } from '@mastra/core/agent/message-list';
import type { PhaseData } from '../../src/phase/row.js';

/** A conversation: so many messages from memory, a question and its answer. */
const conversation = (messages: number): MessageList => {
  const list = new MessageList({ threadId: 'thread', resourceId: 'person' });
  for (let n = 0; n < messages + 2; n += 1) {
    const source = n < messages ? 'memory' : n === messages ? 'input' : 'response';
    const text = `Message ${n}: the parcel was sent on Monday and has not arrived yet.`;
    list.add(
      {
        id: `message-${n}`,
        role: source === 'response' || (source === 'memory' && n % 2 === 1) ? 'assistant' : 'user',
        createdAt: new Date(Date.UTC(2026, 0) + n),
        threadId: 'thread',
        resourceId: 'person',
        content: { format: 2, parts: [{ type: 'text', text }] },
      },
      source,
      { merge: false },
    );
  }
  list.addSystem('Be brief.');
  return list;
};

const usage = { inputTokens: 1, outputTokens: 1, totalTokens: 2 };
const part = { type: 'text-delta', runId: 'bench', from: 'AGENT', payload: { id: '1', text: 'word ' } };

/** The payloads that the loop makes of a conversation of so many messages. */
export const payloads = {
  input: (messages: number): PhaseData<'input'> => {
    const messageList = conversation(messages);
    return { phase: 'input', messages: messageList.get.input.db(), messageList, systemMessages: messageList.getSystemMessages() };
  },
  outputStream: (messages: number): PhaseData<'outputStream'> => ({
    phase: 'outputStream',
    part,
    streamParts: [],
    state: {},
    messageList: conversation(messages),
  }),
  outputResult: (messages: number): PhaseData<'outputResult'> => {
    const messageList = conversation(messages);
    const result = { text: 'word', usage, finishReason: 'stop', steps: [] };
    return { phase: 'outputResult', messages: messageList.get.response.db(), messageList, result };
  },
};

export type BenchPhase = keyof typeof payloads;
export type BenchPayload = ReturnType<(typeof payloads)[BenchPhase]>;
