import { BaseLlm, InMemoryRunner, LlmAgent, StreamingMode, type LlmResponse } from '@google/adk';

import { report } from '../../../scripted-model.js';

const deltas = ['Your number is 4111', '-1111, keep it.'];
const llmResponse = (text: string, partial: boolean): LlmResponse => ({ content: { role: 'model', parts: [{ text }] }, partial });

class Scripted extends BaseLlm {
  override async *generateContentAsync(): AsyncGenerator<LlmResponse, void> {
    for (const delta of deltas) yield llmResponse(delta, true);
    yield llmResponse(deltas.join(''), false);
  }
  override connect = undefined as never;
}

const noNumber = async ({ response }: { response: LlmResponse }) =>
  response.content?.parts?.[0]?.text?.includes('4111-1111') ? llmResponse('Blocked.', response.partial ?? false) : undefined;

const model = new Scripted({ model: 'scripted' });
const agent = new LlmAgent({ name: 'agent', model, instruction: 'Help.', afterModelCallback: noNumber });
const runner = new InMemoryRunner({ agent, appName: 'app' });
const { id: sessionId } = await runner.sessionService.createSession({ appName: 'app', userId: 'user' });
const newMessage = { role: 'user', parts: [{ text: 'Hello.' }] };
let reader = '';
for await (const event of runner.runAsync({
  userId: 'user',
  sessionId,
  newMessage,
  runConfig: { streamingMode: StreamingMode.SSE },
}))
  if (event.partial) reader += event.content?.parts?.[0]?.text ?? '';
report('4111-1111', { reader });
