import {
  AgentTool,
  FunctionTool,
  InMemoryRunner,
  isFinalResponse,
  LlmAgent,
  StreamingMode,
  type Event,
  type LlmRequest,
  type LlmResponse,
} from '@google/adk';
import OpenAI from 'openai';
import { z } from 'zod';

import { type At, type Guard, type Host, type Outcome } from '../host.js';
import { CompatibleLlm } from './adk-model.js';

const blockedBy = (reason: string): LlmResponse => ({ content: { role: 'model', parts: [{ text: `Blocked: ${reason}` }] } });
const at = (guards: readonly Guard[], ...places: readonly At[]) => guards.filter((guard) => places.includes(guard.at));
const textOf = (content: { parts?: { text?: string }[] } | undefined): string =>
  (content?.parts ?? []).map(({ text = '' }) => text).join('');

/** Callbacks as the documentation shows guardrails: one that returns something replaces the request, response, call or result. */
const callbacks = (guards: readonly Guard[]) => ({
  beforeModelCallback: at(guards, 'input', 'request').map((guard) => async ({ request }: { request: LlmRequest }) => {
    const last = request.contents.findLast(({ role, parts }) => role === 'user' && parts?.some(({ text }) => text));
    const verdict = await guard.judge(textOf(last));
    if (verdict.kind === 'edit' && last) last.parts = [{ text: verdict.text }];
    return verdict.kind === 'block' ? blockedBy(verdict.reason) : undefined;
  }),
  afterModelCallback: at(guards, 'stream', 'step').map((guard) => async ({ response }: { response: LlmResponse }) => {
    const isWanted = guard.at === 'stream' || !response.partial;
    if (!isWanted) return undefined;
    const verdict = await guard.judge(textOf(response.content));
    if (verdict.kind === 'block') return blockedBy(verdict.reason);
    return verdict.kind === 'edit' ? { ...response, content: { role: 'model', parts: [{ text: verdict.text }] } } : undefined;
  }),
  beforeToolCallback: at(guards, 'toolCall').map((guard) => async ({ args }: { args: Record<string, unknown> }) => {
    const verdict = await guard.judge(JSON.stringify(args));
    if (verdict.kind === 'edit') Object.assign(args, JSON.parse(verdict.text));
    return verdict.kind === 'block' ? { error: `Blocked: ${verdict.reason}` } : undefined;
  }),
  afterToolCallback: at(guards, 'toolResult').map((guard) => async ({ response }: { response: Record<string, unknown> }) => {
    const text = JSON.stringify(response);
    const verdict = await guard.judge(text);
    return verdict.kind === 'edit' ? (JSON.parse(verdict.text) as Record<string, unknown>) : undefined;
  }),
});

const outcomeOf = (events: readonly Event[]): Outcome => {
  const error = events.find(({ errorCode }) => errorCode);
  const last = events.findLast((event) => isFinalResponse(event) && !event.partial);
  const answer = textOf(last?.content);
  const isBlocked = answer.startsWith('Blocked: ');
  return { ended: error ? 'failed' : isBlocked ? 'blocked' : 'completed', answer: isBlocked ? '' : answer, result: events };
};

export const host: Host = {
  id: 'adk',
  name: 'Google ADK',
  packages: ['@google/adk'],
  docs: [
    'https://google.github.io/adk-docs/callbacks/',
    'https://google.github.io/adk-docs/callbacks/design-patterns-and-best-practices/',
  ],
  hooks: {
    input: ['edit', 'block'],
    request: ['edit', 'block'],
    stream: ['edit', 'block'],
    step: ['edit', 'block'],
    toolCall: ['edit', 'block'],
    toolResult: ['edit'],
  },
  keeps: { history: true, subAgents: true },
  open: async ({ baseUrl, guards, tools, child }) => {
    const model = new CompatibleLlm(new OpenAI({ baseURL: baseUrl, apiKey: 'none', maxRetries: 0 }));
    const own = tools.map(
      ({ name, run }) =>
        new FunctionTool({
          name,
          description: name,
          parameters: z.object({ text: z.string() }) as never,
          execute: (async (input: { text: string }) => ({ result: await run(input) })) as never,
        }),
    );
    const helper =
      child &&
      new LlmAgent({ name: child.name, description: 'Helps.', model, instruction: 'Help.', ...callbacks(child.guards) } as never);
    const agent = new LlmAgent({
      name: 'agent',
      model,
      instruction: 'Help.',
      tools: (helper ? [...own, new AgentTool({ agent: helper })] : own) as never,
      ...callbacks(guards),
    } as never);
    const runner = new InMemoryRunner({ agent, appName: 'app' });
    const { sessionService } = runner;
    const session = await sessionService.createSession({ appName: 'app', userId: 'user' });
    const run = (prompt: string, streamingMode: StreamingMode) =>
      runner.runAsync({
        userId: 'user',
        sessionId: session.id,
        newMessage: { role: 'user', parts: [{ text: prompt }] },
        runConfig: { streamingMode, maxLlmCalls: 6 },
      });
    return {
      generate: async (prompt) => {
        const events: Event[] = [];
        for await (const event of run(prompt, StreamingMode.NONE)) events.push(event);
        return outcomeOf(events);
      },
      stream: async (prompt, _signal, reader) => {
        const events: Event[] = [];
        for await (const event of run(prompt, StreamingMode.SSE)) {
          events.push(event);
          if (event.partial) reader.show(textOf(event.content), event.invocationId);
          else if (events.every(({ partial }) => !partial)) reader.show(textOf(event.content), event.invocationId);
          for (const { functionCall } of event.content?.parts ?? [])
            if (functionCall) reader.also(JSON.stringify(functionCall.args));
          if (event.errorCode) reader.end();
        }
        const outcome = outcomeOf(events.filter(({ partial }) => !partial));
        if (outcome.ended !== 'failed') reader.end();
        return outcome;
      },
      history: async () => (await sessionService.getSession({ appName: 'app', userId: 'user', sessionId: session.id }))?.events,
    };
  },
};
