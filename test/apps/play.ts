import type { Agent } from '@mastra/core/agent';
import type { Mastra } from '@mastra/core/mastra';
import { LibSQLStore } from '@mastra/libsql';
import { handleChatStream } from '@mastra/ai-sdk';
import { Observability, TestExporter } from '@mastra/observability';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { App, Talk } from './app.js';
import { spanTree } from './span-tree.js';
import { startProviders } from './provider-server.js';

const collect = async <T>(stream: AsyncIterable<T>): Promise<T[]> => {
  const all: T[] = [];
  for await (const item of stream) all.push(item);
  return all;
};

/** An error as an application gets it. */
const failure = (error: unknown) => ({ failed: error instanceof Error ? error.message : String(error) });

const attempt = async <T>(act: () => Promise<T>): Promise<T | { failed: string }> => act().catch(failure);

const fields = [
  'text',
  'object',
  'finishReason',
  'usage',
  'totalUsage',
  'toolCalls',
  'toolResults',
  'tripwire',
  'reasoningText',
] as const;

interface Step {
  readonly [name: string]: unknown;
}

const readSteps = (steps: readonly Step[]) =>
  steps.map(({ text, finishReason, usage, toolCalls, toolResults, tripwire }) => ({
    text,
    finishReason,
    usage,
    toolCalls,
    toolResults,
    tripwire,
  }));

const readResult = async (result: Record<string, unknown>) => ({
  ...Object.fromEntries(await Promise.all(fields.map(async (name) => [name, await result[name]] as const))),
  steps: readSteps(((await result['steps']) ?? []) as Step[]),
});

type Chunk = { readonly type: string; readonly payload?: unknown; readonly data?: unknown; readonly object?: unknown };

type Mode = 'generate' | 'stream';

/** The parts of a stream and of a result that the calls here read. */
interface Called {
  readonly runId: string;
  readonly fullStream: AsyncIterable<Chunk>;
}

/** One call as `stream` or `generate`: the result, and the chunks of a stream. */
const call = (mode: Mode, act: () => Promise<unknown>) =>
  attempt(async () => {
    const called = (await act()) as Called & Record<string, unknown>;
    if (mode === 'generate') return { runId: called.runId, ...(await readResult(called)) };
    const chunks = await collect(called.fullStream);
    return {
      chunks: chunks.map(({ type, payload, data, object }) => ({ type, payload, data, object })),
      runId: called.runId,
      ...(await attempt(() => readResult(called))),
    };
  });

type Answered = Awaited<ReturnType<typeof call>>;

/** The ids of a suspended run and of its first waiting call. */
const waitingIn = (answered: Answered) => {
  const { runId, finishReason, toolCalls } = answered as Record<string, unknown>;
  if (finishReason !== 'suspended') return undefined;
  const [first] = toolCalls as { payload: { toolCallId: string } }[];
  return first && { runId, toolCallId: first.payload.toolCallId };
};

const message = (text: string) => ({ id: 'm', role: 'user' as const, parts: [{ type: 'text' as const, text }] });

const playTalk = async (mastra: Mastra, { agent: name, turns, memory, approves, options }: Talk) => {
  const agent = mastra.getAgent(name);
  const thread = (id: string) => (memory ? { memory: { thread: `${name}-${id}`, resource: 'person' } } : {});
  const calls: unknown[] = [];
  for (const [index, turn] of turns.entries()) {
    const mode = index % 2 === 0 ? 'stream' : 'generate';
    const own = { ...options, ...thread('one') };
    const answered = await call(mode, () => agent[mode](turn as never, own)); // a string or messages
    const waiting = approves ? waitingIn(answered) : undefined;
    calls.push(answered);
    const approve = () => agent[mode === 'stream' ? 'approveToolCall' : 'approveToolCallGenerate'](waiting as never);
    if (waiting) calls.push(await call(mode, approve));
  }
  const ui = await attempt(async () => {
    const first = turns.find((turn) => typeof turn === 'string');
    const params = { messages: [message(first ?? 'Hello')], ...options, ...thread('chat') };
    return collect((await handleChatStream({ mastra, agentId: agent.id, params, version: 'v7' })) as AsyncIterable<unknown>);
  });
  const kept = memory ? await agent.getMemory() : undefined;
  const rows = await Promise.all(
    (kept ? ['one', 'chat'] : []).map(
      async (id) => (await kept?.recall({ threadId: `${name}-${id}`, resourceId: 'person', perPage: false }))?.messages,
    ),
  );
  return { calls, ui, rows: rows.map((all) => all?.map(({ role, type, content }) => ({ role, type, content }))) };
};

const playWorkflow = (mastra: Mastra, { workflow, input, resume }: NonNullable<App['workflows']>[number]) =>
  attempt(async () => {
    const run = await mastra.getWorkflow(workflow).createRun();
    const started = await run.start({ inputData: input });
    if (started.status !== 'suspended' || !resume) return [started];
    return [started, await run.resume({ resumeData: resume, step: started.suspended[0] as never })];
  });

const tracing = () => {
  const exporter = new TestExporter({ storeLogs: false });
  return { exporter, observability: new Observability({ configs: { default: { serviceName: 'app', exporters: [exporter] } } }) };
};

/** Runs an application on a class of agents, and records all that its users, its storage and its providers see. */
export const play = async (app: App, AgentClass: typeof Agent) => {
  const providers = await startProviders(app.reply);
  const folder = await mkdtemp(join(tmpdir(), 'interlock-app-'));
  const storage = new LibSQLStore({ id: 'app', url: `file:${join(folder, 'app.db')}` });
  const { exporter, observability } = tracing();
  try {
    const mastra = await app.create({ Agent: AgentClass, storage, observability, ...providers.clients });
    const talks: Record<string, unknown> = {};
    for (const talk of app.talks) talks[talk.agent] = await playTalk(mastra, talk);
    const workflows: Record<string, unknown> = {};
    for (const one of app.workflows ?? []) workflows[one.workflow] = await playWorkflow(mastra, one);
    await observability.getDefaultInstance()?.flush();
    const text = (request: object) => JSON.stringify(request);
    const requests = app.isParallel ? providers.requests.toSorted((a, b) => text(a).localeCompare(text(b))) : providers.requests;
    return { talks, workflows, requests, spans: spanTree(exporter.getAllSpans()) };
  } finally {
    await providers.close();
    await storage.close();
    await rm(folder, { recursive: true, force: true });
  }
};

export type Played = Awaited<ReturnType<typeof play>>;
