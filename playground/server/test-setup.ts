import { request } from 'node:http';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Mastra } from '@mastra/core/mastra';
import type { Agent } from '@mastra/core/agent';
import { createTool } from '@mastra/core/tools';
import type { Processor } from '@mastra/core/processors';
import { onTestFinished, vi } from 'vitest';
import { z } from 'zod';
import { InterlockAgent, pipeline, type InterlockAgentConfig } from '../../src/index.js';
import { scriptedModel, type ScriptedStep } from '../../src/testing/index.js';
import { redactor } from '../../workflows/guards/index.js';
import type { RunSummary, StartedRun } from '../protocol/runs.js';
import type { StudioEntry } from '../protocol/trace-entry.js';
import { startStudio, type StudioServerOptions } from './start-studio.js';

/** A folder for a test, removed after it. */
export const folder = (): string => {
  const path = mkdtempSync(join(tmpdir(), 'studio-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
};

const noSecrets: Processor = {
  id: 'no-secrets',
  processOutputStep: async ({ text = '', messages, abort }) =>
    text.includes('SECRET') ? abort('It tells a secret.', { retry: true }) : messages,
};

const charge = createTool({
  id: 'charge',
  description: 'Takes money.',
  inputSchema: z.object({ amount: z.number() }),
  requireApproval: true,
  execute: async ({ amount }) => `${amount} taken`,
});

const inputPipeline = () =>
  pipeline('comes-in')
    .then(redactor({ strategy: 'replace' }))
    .commit();
const outputPipeline = () =>
  pipeline('goes-out')
    .then(redactor({ strategy: 'replace' }))
    .then(noSecrets)
    .commit();

/** An agent over scripted answers; one for each call of its model. */
export const makeAgent = (steps: readonly ScriptedStep<'v2'>[], config: Partial<InterlockAgentConfig> = {}) => {
  const model = scriptedModel({ steps });
  const agent = new InterlockAgent({
    id: 'helper',
    name: 'Helper',
    instructions: 'Help.',
    model,
    tools: { charge },
    inputProcessors: inputPipeline(),
    outputProcessors: outputPipeline(),
    ...(config as object), // spread with its type, the union of both is too large for the compiler
  });
  return { agent, model };
};

/** The studio over agents, on a separate port, for one test. */
export const openStudio = async (agents: Agent | readonly Agent[], options: Partial<StudioServerOptions> = {}) => {
  const list: readonly Agent[] = [agents].flat();
  const mastra = new Mastra({ agents: Object.fromEntries(list.map((agent) => [agent.id, agent])), logger: false });
  const studio = await startStudio({ mastra, port: 0, token: false, ...options });
  let isOpen = true;
  const close = async () => {
    if (isOpen) await studio.close();
    isOpen = false;
  };
  onTestFinished(close);
  return { ...clientOf(studio.url.replace(/\/(?:\?.*)?$/, '')), url: studio.url, close };
};

/** More time than a busy machine needs. */
export const patience = { timeout: 20_000, interval: 10 } as const;

/** The requests of a page. */
export const clientOf = (base: string) => {
  const get = (path: string, init?: RequestInit) => fetch(`${base}/api/${path}`, init);
  const json = async <T>(path: string): Promise<T> => (await get(path)).json() as Promise<T>;
  const post = (path: string, body?: unknown) =>
    get(path, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body ?? {}) });
  const start = async (text: string, threadId?: string, agentId = 'helper'): Promise<StartedRun> => {
    const response = await post(`agents/${agentId}/runs`, { text, threadId });
    if (response.status !== 201) throw new Error(await response.text());
    return (await response.json()) as StartedRun;
  };
  const summary = (runId: string) => json<RunSummary>(`runs/${runId}`);
  const entriesOf = (runId: string, from = 0) => json<StudioEntry[]>(`runs/${runId}/entries?from=${from}`);
  /** Reads a run's lines, page by page, until one satisfies `isLast`. */
  const entriesUntil = async (runId: string, isLast: (entry: StudioEntry) => boolean): Promise<StudioEntry[]> => {
    const entries: StudioEntry[] = [];
    await vi.waitFor(async () => {
      entries.push(...(await entriesOf(runId, entries.length)));
      if (!entries.some(isLast)) throw new Error(`The line has not come after ${entries.length} lines.`);
    }, patience);
    return entries;
  };
  const run = async (text: string, threadId?: string, agentId?: string) => {
    const started = await start(text, threadId, agentId);
    const { runId } = started;
    await vi.waitFor(async () => {
      const { status } = await summary(runId);
      if (status === 'running') throw new Error('The run has not ended.');
      if ((await entriesOf(runId)).at(-1)?.kind === 'status') return; // of Mastra's own agent, which has no trace
      if (!(await (await get(`runs/${runId}/trace`)).text()).includes('"run-finish"')) throw new Error('Its trace is not kept.');
    }, patience);
    return { ...started, entries: await entriesOf(runId), summary: await summary(runId) };
  };
  return { base, get, json, post, start, summary, entriesOf, entriesUntil, run };
};

/** One event of an event stream. */
export interface ServerEvent {
  readonly id?: string;
  readonly event?: string;
  readonly data: string;
}

/** Reads an event stream until `until` is true. */
export const live = async (url: string, until: (event: ServerEvent) => boolean): Promise<ServerEvent[]> => {
  const controller = new AbortController();
  const response = await fetch(url, { signal: controller.signal });
  const events: ServerEvent[] = [];
  let rest = '';
  try {
    for await (const text of (response.body as ReadableStream<Uint8Array>).pipeThrough(new TextDecoderStream())) {
      const blocks = `${rest}${text}`.split('\n\n');
      rest = blocks.pop() ?? '';
      const received = blocks.filter((block) => !block.startsWith(':')).map(parseEvent);
      const last = received.findIndex((event) => until(event));
      events.push(...(last < 0 ? received : received.slice(0, last + 1)));
      if (last >= 0) return events;
    }
    return events;
  } finally {
    controller.abort();
  }
};

const parseEvent = (block: string): ServerEvent => {
  const fields = block.split('\n').map((line) => line.split(/: (.*)/s) as [string, string?]);
  return { data: '', ...Object.fromEntries(fields.map(([name, value = '']) => [name, value])) };
};

/** A request with headers that `fetch` does not allow. */
export const rawGet = (url: string, headers: Record<string, string>): Promise<{ status: number; body: string }> =>
  new Promise((resolve, reject) => {
    const { hostname, port, pathname, search } = new URL(url);
    const call = request({ hostname, port, path: `${pathname}${search}`, headers }, (response) => {
      let body = '';
      response.on('data', (data: Buffer) => (body += data.toString()));
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body }));
    });
    call.on('error', reject).end();
  });
