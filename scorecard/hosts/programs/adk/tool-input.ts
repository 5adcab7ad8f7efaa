import { BaseLlm, FunctionTool, InMemoryRunner, LlmAgent, StreamingMode, type LlmResponse } from '@google/adk';
import { z } from 'zod';

import { report } from '../../../scripted-model.js';

const call = { functionCall: { id: 'call', name: 'save', args: { text: '4111-1111' } } };
const replies: LlmResponse[] = [call, { text: 'Saved.' }].map((part) => ({ content: { role: 'model', parts: [part] } }));

class Scripted extends BaseLlm {
  override async *generateContentAsync(): AsyncGenerator<LlmResponse, void> {
    yield replies.shift() ?? {};
  }
  override connect = undefined as never;
}

const parameters = z.object({ text: z.string() });
const save = new FunctionTool({ name: 'save', description: 'Saves.', parameters, execute: async () => 'ok' });
const beforeToolCallback = async ({ args }: { args: Record<string, unknown> }) =>
  JSON.stringify(args).includes('4111-1111') ? { error: 'Blocked.' } : undefined;

const model = new Scripted({ model: 'scripted' });
const agent = new LlmAgent({ name: 'agent', model, instruction: 'Help.', tools: [save], beforeToolCallback });
const runner = new InMemoryRunner({ agent, appName: 'app' });
const { id: sessionId } = await runner.sessionService.createSession({ appName: 'app', userId: 'user' });
const newMessage = { role: 'user', parts: [{ text: 'Hello.' }] };
const reader: unknown[] = [];
for await (const event of runner.runAsync({
  userId: 'user',
  sessionId,
  newMessage,
  runConfig: { streamingMode: StreamingMode.SSE },
}))
  reader.push(event.content);
report('4111-1111', { reader });
