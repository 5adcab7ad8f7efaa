import type { MastraDBMessage } from '@mastra/core/agent/message-list';

import type { Phase } from '../../src/index.js';
import type { PhaseData } from '../../src/phase/row.js';
import { listOf, payloads } from '../../src/phase/test-setup.js';

const message = (id: string, role: 'user' | 'assistant', at: number, parts: object[]): MastraDBMessage => ({
  id,
  role,
  createdAt: new Date(at),
  content: { format: 2, parts: parts as MastraDBMessage['content']['parts'] },
});

const text = (...words: number[]) => ({ type: 'text', text: words.map((word) => `w${word}`).join(' ') });

const invocation = () => ({
  type: 'tool-invocation',
  toolInvocation: {
    state: 'result',
    toolCallId: 'call-1',
    toolName: 'lookup',
    args: { q: 1 },
    result: { note: 'w3 w4' },
  },
});

/** A payload of a phase over the words `w0` to `w8`. */
export const payloadOf = (phase: Phase): PhaseData => {
  const list = listOf(
    message('first', 'user', 1_000, [text(0, 1, 2)]),
    message('second', 'user', 2_000, [text(1, 3)]),
    message('answer', 'assistant', 3_000, [invocation(), text(4, 5), text(6, 7, 8)]),
    message('last', 'assistant', 4_000, [text(0, 8)]),
  );
  const data = payloads[phase](list);
  return Object.assign(data, own[phase]?.());
};

const own: { readonly [P in Phase]?: () => object } = {
  llmRequest: () => ({
    prompt: [
      { role: 'user', content: [text(0, 1, 2), text(3)] },
      { role: 'assistant', content: [text(4, 5)] },
      { role: 'user', content: [text(6, 7, 8)] },
    ],
  }),
  outputStream: () => ({
    part: { type: 'text-delta', runId: 'run', from: 'AGENT', payload: { id: 'text-1', ...text(0, 1, 2, 3, 4) } },
  }),
  toolResult: () => ({ result: { note: 'w3 w4' } }),
};
