import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import type { Agent } from '@mastra/core/agent';
import { InMemoryStore } from '@mastra/core/storage';
import type { MastraDBMessage } from '@mastra/core/agent/message-list';
import { Mastra } from '@mastra/core/mastra';
import type { Processor } from '@mastra/core/processors';
import { createTool } from '@mastra/core/tools';
import { Memory } from '@mastra/memory';
import { z } from 'zod';

import type { Guard, Outcome, Reader, Session, Setup } from '../host.js';

type Hook = (guard: Guard) => Partial<Processor>;
type Abort = (reason?: string, options?: { retry?: boolean }) => never;

const textOf = ({ content }: MastraDBMessage): string =>
  content.parts.map((part) => (part.type === 'text' ? part.text : '')).join('');

const withText = (message: MastraDBMessage, change: (text: string) => string): MastraDBMessage => ({
  ...message,
  content: {
    ...message.content,
    ...(typeof message.content.content === 'string' && { content: change(message.content.content) }),
    parts: message.content.parts.map((part) => (part.type === 'text' ? { ...part, text: change(part.text) } : part)),
  },
});

/** The arguments that every hook has. */
interface Hooked {
  readonly abort: Abort;
  readonly abortSignal?: AbortSignal;
}

/** Carries a verdict about a text out: returns the text to go on with, or aborts. */
const carryOut = async (guard: Guard, text: string, { abort, abortSignal }: Hooked): Promise<string> => {
  const verdict = await guard.judge(text, abortSignal);
  if (verdict.kind === 'block') return abort(verdict.reason);
  if (verdict.kind === 'retry') return abort(verdict.feedback, { retry: true });
  return verdict.kind === 'edit' ? verdict.text : text;
};

const lastOf = (messages: readonly MastraDBMessage[], role: string) => messages.findLast((message) => message.role === role);

/** Judges the last message of a role, and replaces it where the guard edits. */
const judgeLast = async (
  guard: Guard,
  role: 'user' | 'assistant',
  { messages, abort, abortSignal }: { messages: MastraDBMessage[]; abort: Abort; abortSignal?: AbortSignal },
): Promise<MastraDBMessage[]> => {
  const message = lastOf(messages, role);
  if (!message) return messages;
  const text = textOf(message);
  const edited = await carryOut(guard, text, { abort, abortSignal });
  if (edited === text) return messages;
  return messages.map((it) => (it === message ? withText(it, (old) => old.replaceAll(guard.on, guard.to ?? '')) : it));
};

const hooks: Readonly<Record<Guard['at'], Hook>> = {
  input: (guard) => ({ processInput: (args) => judgeLast(guard, 'user', args) }),
  request: (guard) => ({
    processLLMRequest: async ({ prompt, abort, abortSignal }) => {
      const last = prompt.findLast(({ role }) => role === 'user');
      await carryOut(guard, JSON.stringify(last?.content ?? ''), { abort, abortSignal });
      return undefined;
    },
  }),
  stream: (guard) => ({
    processOutputStream: async ({ part, abort, abortSignal }) => {
      if (part.type !== 'text-delta' && part.type !== 'reasoning-delta') return part;
      const text = await carryOut(guard, part.payload.text, { abort, abortSignal });
      return { ...part, payload: { ...part.payload, text } };
    },
  }),
  step: (guard) => ({ processOutputStep: (args) => judgeLast(guard, 'assistant', args) }),
  toolCall: (guard) => ({
    processOutputStep: async ({ toolCalls = [], messages, abort, abortSignal }) => {
      for (const { args } of toolCalls) await carryOut(guard, JSON.stringify(args), { abort, abortSignal });
      return messages;
    },
  }),
  toolResult: (guard) => ({
    processToolResult: async ({ result, toolCallId, toolName, args, messageList, abort, abortSignal }) => {
      const text = String(result);
      const edited = await carryOut(guard, text, { abort, abortSignal });
      if (edited !== text)
        messageList.updateToolInvocation({
          type: 'tool-invocation',
          toolInvocation: { state: 'result', toolCallId, toolName, args, result: edited },
        });
      return messageList;
    },
  }),
  answer: (guard) => ({ processOutputResult: (args) => judgeLast(guard, 'assistant', args) }),
};

/** A guard as a Mastra processor. */
export const toProcessor = (guard: Guard): Processor => ({ id: guard.id, ...hooks[guard.at](guard) });

const isInput = ({ at }: Guard): boolean => at === 'input' || at === 'request';

/** How an author of this host puts guards into an agent's two lists. */
export type Compose = (guards: readonly Guard[], side: 'input' | 'output') => readonly unknown[];

interface MastraChunk {
  readonly type: string;
  readonly payload?: { readonly text?: string; readonly id?: string; readonly argsTextDelta?: string; readonly args?: unknown };
  readonly data?: { readonly partIds?: readonly string[] };
}

export interface MastraResult {
  readonly text?: string;
  readonly tripwire?: unknown;
  readonly error?: unknown;
  readonly finishReason?: string;
}

const outcomeOf = (result: MastraResult): Outcome => {
  const ended = result.error ? 'failed' : result.tripwire || result.finishReason === 'tripwire' ? 'blocked' : 'completed';
  return { ended, answer: result.text ?? '', result };
};

const terminal = new Set(['finish', 'error', 'tripwire', 'abort']);

const watch = (reader: Reader, withdraws: (chunk: MastraChunk) => readonly string[]) => {
  let ended = false;
  return (chunk: MastraChunk): void => {
    const { type, payload = {} } = chunk;
    if (type === 'text-delta') reader.show(payload.text ?? '', payload.id);
    if (type === 'reasoning-delta') reader.also(payload.text ?? '');
    if (type === 'tool-call-delta') reader.also(payload.argsTextDelta ?? '');
    if (type === 'tool-call') reader.also(JSON.stringify(payload.args));
    for (const id of withdraws(chunk)) reader.withdraw(id);
    // A reason and the `finish` after it are one end; an end after `finish` is a second one.
    if (terminal.has(type) && (!ended || type !== 'finish')) reader.end();
    ended ||= terminal.has(type);
  };
};

interface Options {
  readonly memory: { readonly thread: string; readonly resource: string };
  readonly abortSignal: AbortSignal;
  readonly maxSteps: number;
  readonly maxProcessorRetries?: number;
}

interface Durable {
  readonly stream: (prompt: string, options: Options) => Promise<{ output: Awaited<ReturnType<Agent['stream']>> }>;
}

/** The differences between agents with Mastra's interface. */
export interface MastraKind {
  readonly make: (config: Record<string, unknown>) => Agent;
  readonly compose: Compose;
  /** Another object in the place of the agent, which gives its stream as `output`. */
  readonly wrap?: (agent: Agent) => Durable;
  /** The parts that a chunk takes back. Default: none. */
  readonly withdraws?: (chunk: MastraChunk) => readonly string[];
}

const options = (abortSignal: AbortSignal): Options => ({
  memory: { thread: 'thread', resource: 'user' },
  abortSignal,
  maxSteps: 5,
});

/** A durable agent has no `generate`, and takes the number of retries with the call. */
const callsOf = (agent: Agent, durable: Durable | undefined, maxProcessorRetries: number) => {
  const stream = async (prompt: string, abortSignal: AbortSignal) =>
    durable
      ? (await durable.stream(prompt, { ...options(abortSignal), maxProcessorRetries })).output
      : agent.stream(prompt, options(abortSignal));
  const generate = async (prompt: string, abortSignal: AbortSignal) =>
    durable ? (await stream(prompt, abortSignal)).getFullOutput() : agent.generate(prompt, options(abortSignal));
  return { stream, generate };
};

/** Makes a session with an agent of Mastra's shape. */
export const openMastra = (setup: Setup, { make, compose, wrap, withdraws = () => [] }: MastraKind): Session => {
  const model = createOpenAICompatible({ name: 'local', baseURL: setup.baseUrl })('local-model');
  const lists = (guards: readonly Guard[]) => ({
    inputProcessors: compose(guards.filter(isInput), 'input'),
    outputProcessors: compose(
      guards.filter((guard) => !isInput(guard)),
      'output',
    ),
  });
  const tools = Object.fromEntries(
    setup.tools.map(({ name, run }) => [
      name,
      createTool({
        id: name,
        description: name,
        inputSchema: z.object({ text: z.string() }),
        execute: async (args) => run(args),
      }),
    ]),
  );
  const common = { instructions: 'Help.', model, maxProcessorRetries: setup.retries };
  const child =
    setup.child &&
    make({ ...common, id: setup.child.name, name: setup.child.name, description: 'Helps.', ...lists(setup.child.guards) });
  const memory = new Memory({ storage: new InMemoryStore() });
  const agent = make({
    ...common,
    id: 'agent',
    name: 'agent',
    tools,
    memory,
    ...(child && { agents: { [setup.child?.name ?? '']: child } }),
    ...lists(setup.guards),
  });
  const durable = wrap?.(agent);
  const mastra = new Mastra({
    agents: { agent: (durable ?? agent) as Agent, ...(child && { child }) },
    logger: false,
    storage: new InMemoryStore(),
  });
  mastra.getAgent('agent'); // registered, as in an application
  const calls = callsOf(agent, durable, setup.retries);
  return {
    generate: async (prompt, abortSignal) => outcomeOf(await calls.generate(prompt, abortSignal)),
    stream: async (prompt, abortSignal, reader) => {
      const output = await calls.stream(prompt, abortSignal);
      const see = watch(reader, withdraws);
      for await (const chunk of output.fullStream) see(chunk as never);
      const result = await output.getFullOutput().catch((error: unknown) => ({ error }));
      return outcomeOf(result);
    },
    history: async () =>
      (await memory.recall({ threadId: 'thread', resourceId: 'user' }).catch(() => ({ messages: [] }))).messages,
  };
};
