const createdAt = '2026-01-01T12:00:00.000Z';

const message = (id: string, role: 'user' | 'assistant', part: object): object => ({
  id,
  role,
  createdAt,
  content: { format: 2, parts: [part] },
});

const textMessage = (id: string, role: 'user' | 'assistant', text: string): object => message(id, role, { type: 'text', text });

const question = 'My address is ann@example.org. When will my parcel 555 0100 arrive?';

export const exampleAnswer = 'It arrives on Monday, Ann. We write to ann@example.org.';

/** The message of the user in the example payloads. */
export const exampleQuestion = textMessage('question', 'user', question);

/** The same with the model's answer, as phases after the call see it. */
export const exampleConversation = [exampleQuestion, textMessage('answer', 'assistant', exampleAnswer)];

/** The question as it goes to the provider. */
export const examplePrompt = [
  { role: 'system', content: 'You help customers of a parcel service.' },
  { role: 'user', content: [{ type: 'text', text: question }] },
];

/** A tool that has returned what the question asks for. */
export const exampleToolCall = {
  toolName: 'find-parcel',
  toolCallId: 'call',
  args: { parcel: '555 0100' },
  result: { arrives: 'Monday', recipient: 'ann@example.org' },
};

/** The question with the call of that tool. */
export const exampleToolTurn = [
  exampleQuestion,
  message('call', 'assistant', { type: 'tool-invocation', toolInvocation: { state: 'result', ...exampleToolCall } }),
];
