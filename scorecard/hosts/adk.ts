import {
  AgentTool,
  BasePlugin,
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

type Content = LlmRequest['contents'][number];

const blockedBy = (reason: string): LlmResponse => ({ content: { role: 'model', parts: [{ text: `Blocked: ${reason}` }] } });
const at = (guards: readonly Guard[], ...places: readonly At[]) => guards.filter((guard) => places.includes(guard.at));
const textOf = (content: { parts?: { text?: string }[] } | undefined): string =>
  (content?.parts ?? []).map(({ text = '' }) => text).join('');

/** Runs the guards over a text, one after the other, up to the first that blocks. (A list of callbacks would end at the first that returns something.) */
const judged = async (guards: readonly Guard[], given: string): Promise<{ text: string; reason?: string }> => {
  let text = given;
  for (const guard of guards) {
    const verdict = await guard.judge(text);
    if (verdict.kind === 'block') return { text, reason: verdict.reason };
    if (verdict.kind === 'edit') ({ text } = verdict);
  }
  return { text };
};

/** A plugin judges what users say before it is kept: it replaces the message, and ends a run whose message it has replaced, as the documentation's safety plugins do. */
class InputGuards extends BasePlugin {
  private reason: string | undefined;
  private readonly guards: readonly Guard[];

  constructor(guards: readonly Guard[]) {
    super('input-guards');
    this.guards = guards;
  }

  override async onUserMessageCallback({ userMessage }: { userMessage: Content }): Promise<Content | undefined> {
    const given = textOf(userMessage);
    const { text, reason } = await judged(this.guards, given);
    this.reason = reason;
    if (reason) return { role: 'user', parts: [{ text: '[blocked]' }] };
    return text === given ? undefined : { role: 'user', parts: [{ text }] };
  }

  override async beforeRunCallback(): Promise<Content | undefined> {
    return this.reason ? blockedBy(this.reason).content : undefined;
  }
}

const beforeModel =
  (guards: readonly Guard[]) =>
  async ({ request }: { request: LlmRequest }) => {
    const last = request.contents.findLast(({ role, parts }) => role === 'user' && parts?.some(({ text }) => text));
    const { text, reason } = await judged(guards, textOf(last));
    if (last && text !== textOf(last)) last.parts = [{ text }];
    return reason ? blockedBy(reason) : undefined;
  };

const afterModel =
  (guards: readonly Guard[]) =>
  async ({ response }: { response: LlmResponse }) => {
    const given = textOf(response.content);
    const { text, reason } = await judged(response.partial ? at(guards, 'stream') : guards, given);
    if (reason) return blockedBy(reason);
    return text === given ? undefined : { ...response, content: { role: 'model', parts: [{ text }] } };
  };

const beforeTool =
  (guards: readonly Guard[]) =>
  async ({ args }: { args: Record<string, unknown> }) => {
    const { text, reason } = await judged(guards, JSON.stringify(args));
    Object.assign(args, JSON.parse(text));
    return reason ? { error: `Blocked: ${reason}` } : undefined;
  };

const afterTool =
  (guards: readonly Guard[]) =>
  async ({ response }: { response: Record<string, unknown> }) => {
    const { text } = await judged(guards, JSON.stringify(response));
    return JSON.parse(text) as Record<string, unknown>;
  };

/** Callbacks as the documentation shows guardrails: one that returns something replaces the request, response, call or result. */
const callbacks = (guards: readonly Guard[], ofInput: readonly Guard[]) => {
  const ofRequests = [...ofInput, ...at(guards, 'request')];
  const ofSteps = at(guards, 'stream', 'step');
  const ofCalls = at(guards, 'toolCall');
  const ofResults = at(guards, 'toolResult');
  return {
    ...(ofRequests.length > 0 && { beforeModelCallback: beforeModel(ofRequests) }),
    ...(ofSteps.length > 0 && { afterModelCallback: afterModel(ofSteps) }),
    ...(ofCalls.length > 0 && { beforeToolCallback: beforeTool(ofCalls) }),
    ...(ofResults.length > 0 && { afterToolCallback: afterTool(ofResults) }),
  };
};

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
    'https://google.github.io/adk-docs/plugins/',
    'https://google.github.io/adk-docs/safety/',
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
      new LlmAgent({
        name: child.name,
        description: 'Helps.',
        model,
        instruction: 'Help.',
        ...callbacks(child.guards, at(child.guards, 'input')),
      } as never);
    const agent = new LlmAgent({
      name: 'agent',
      model,
      instruction: 'Help.',
      tools: (helper ? [...own, new AgentTool({ agent: helper })] : own) as never,
      ...callbacks(guards, []),
    } as never);
    const runner = new InMemoryRunner({ agent, appName: 'app', plugins: [new InputGuards(at(guards, 'input'))] });
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
