import { Agent } from '@mastra/core/agent';
import { Mastra } from '@mastra/core/mastra';
import type { Processor } from '@mastra/core/processors';
import { RequestContext } from '@mastra/core/request-context';
import { InMemoryStore } from '@mastra/core/storage';
import { createTool } from '@mastra/core/tools';
import { Memory } from '@mastra/memory';
import { Observability } from '@mastra/observability';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { InterlockAgent, phases } from '../../src/index.js';
import { phaseNames } from '../../src/phase/table.js';
import { redactor } from '../../workflows/guards/index.js';
import { scriptedModel } from '../../src/testing/index.js';
import { all, modes } from './support.js';

/**
 * The table of differences from Mastra's agent around a hook, a tool and a model call, by path, with the reason. Any other value that
 * Mastra's agent sets there exists in our loop, too, and has the same type.
 */
const differences: Readonly<Record<string, string>> = {
  'processInputStep modelSettings': 'the call sets none; Mastra fills in its defaults',
  'processInputStep modelSettings maxRetries': 'as above',
  'processOutputStream sendSignal': 'only the loop of Mastra’s agent sends state signals',
  'chunk step-finish stepResult messageId': 'it is in the payload',
  'chunk step-start startedAt': 'run events have the times',
  'chunk finish processorRetryCount': '`metadata.attempt` of each chunk counts attempts',
  'chunk step-finish processorRetryCount': 'as above',
  'chunk finish metadata modelProvider': 'it is in `modelMetadata`',
  'chunk finish metadata modelVersion': 'it is in `modelMetadata`',
  'chunk finish response modelProvider': 'it is in `modelMetadata`',
  'chunk finish response modelVersion': 'it is in `modelMetadata`',
  'chunk step-finish metadata modelProvider': 'it is in `modelMetadata`',
  'chunk step-finish metadata modelVersion': 'it is in `modelMetadata`',
};

/** Arguments of hooks with fields of their own: the processor's, or of a class with or without a span. */
const opaque = new Set(['state', 'loggerVNext', 'metrics']);

type Found = Map<string, string>;

const kindOf = (value: unknown): string => (Array.isArray(value) ? 'array' : value === null ? 'null' : typeof value);

/** Notes the kind of a value under its path, and those of its fields down to a depth. */
const note = (found: Found, path: string, value: unknown, depth: number): void => {
  if (value === undefined || value === null) return;
  found.set(path, kindOf(value));
  const isPlain = typeof value === 'object' && !Array.isArray(value) && Object.getPrototypeOf(value) === Object.prototype;
  if (depth > 0 && isPlain) for (const [name, field] of Object.entries(value)) note(found, `${path} ${name}`, field, depth - 1);
};

const finished = { unified: 'stop', raw: 'end_turn' } as const;
const usage = {
  inputTokens: { total: 3, noCache: 3, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 2, text: 2, reasoning: 0 },
};

/** A run with an approved tool, an answer, memory and spans, in which each hook and the tool note what they get. */
const observe = async (kind: 'interlock' | 'stock', mode: (typeof modes)[number]): Promise<Found> => {
  const found: Found = new Map();
  const hooks = phaseNames.map((phase) => {
    const { hook } = phases[phase];
    const run = async (args: Record<string, unknown>) => {
      for (const [name, value] of Object.entries(args)) note(found, `${hook} ${name}`, value, opaque.has(name) ? 0 : 1);
      const part = args['part'] as { type: string } | undefined;
      if (hook === 'processOutputResult' || part?.type === 'finish')
        await (args['writer'] as { custom?: (chunk: object) => Promise<void> } | undefined)?.custom?.({
          type: `data-${hook}`,
          data: { of: hook },
        });
      return hook === 'processOutputStream'
        ? part
        : /^process(Input|OutputStep|OutputResult)$/.test(hook)
          ? args['messages']
          : undefined;
    };
    return [hook, run] as const;
  });
  const watching = { id: 'watching', ...Object.fromEntries(hooks) } as unknown as Processor;
  const look = createTool({
    id: 'look',
    description: 'Looks.',
    inputSchema: z.object({ q: z.string() }),
    requireApproval: true,
    execute: async (args, context) => {
      note(found, 'tool args', args, 1);
      for (const [name, value] of Object.entries(context)) note(found, `tool ${name}`, value, 1);
      await context.writer?.custom({ type: 'data-tool', data: { of: 'tool' } });
      return { found: 1 };
    },
  });
  const model = scriptedModel({
    specificationVersion: 'v3',
    steps: [
      { toolCalls: [{ name: 'look', args: { q: 'x' } }] },
      {
        parts: [
          { type: 'text-start', id: 't' },
          { type: 'text-delta', id: 't', delta: 'Done.' },
          { type: 'text-end', id: 't' },
          { type: 'finish', finishReason: finished, usage },
        ],
      },
    ],
  });
  const storage = new InMemoryStore();
  const memory = new Memory({ storage });
  const config = {
    id: 'tested',
    name: 'Tested',
    instructions: 'Answer.',
    model,
    memory,
    tools: { look },
    inputProcessors: [watching],
    outputProcessors: [watching],
  };
  const made: Agent = kind === 'interlock' ? new InterlockAgent(config as never) : new Agent(config as never); // options of both
  const exporter = { name: 'none', exportTracingEvent: async () => undefined, shutdown: async () => undefined };
  const observability = new Observability({ configs: { default: { serviceName: 'test', exporters: [exporter as never] } } });
  const agent = new Mastra({ agents: { made }, storage, observability, logger: false }).getAgent('made');
  const requestContext = new RequestContext();
  const target = { thread: 'thread-1', resource: 'user-1' };
  const chunks: { type: string; payload?: unknown }[] = [];
  if (mode === 'stream') {
    const stream = await agent.stream('Go.', { memory: target, requestContext });
    chunks.push(...(await all(stream.fullStream)));
    const resumed = await agent.resumeStream({ approved: true }, { runId: stream.runId, requestContext });
    chunks.push(...(await all(resumed.fullStream)));
  } else {
    const { runId = '' } = await agent.generate('Go.', { memory: target, requestContext });
    await agent.resumeGenerate({ approved: true }, { runId, requestContext });
  }
  for (const { type, payload } of chunks) note(found, `chunk ${type}`, payload, 2);
  const { messages } = await memory.recall({ threadId: target.thread, resourceId: target.resource });
  for (const { role, content } of messages) for (const part of content.parts) note(found, `row ${role} ${part.type}`, part, 3);
  return found;
};

describe.each(modes)('around hooks, tools and model calls everything is as with Mastra’s agent, %s', (mode) => {
  it('each value that Mastra’s agent sets is there', async () => {
    const [theirs, ours] = [await observe('stock', mode), await observe('interlock', mode)];
    const missing = [...theirs].filter(([path, kind]) => ours.get(path) !== kind).map(([path]) => path);
    expect(missing.toSorted()).toEqual(
      Object.keys(differences)
        .filter((path) => theirs.has(path))
        .toSorted(),
    );
  });
});

it.each(['guard', 'stream guard'] as const)(
  'the row of an approved call keeps the approval after a %s edited its result',
  async (by) => {
    const pay = createTool({
      id: 'pay',
      description: 'Pays.',
      inputSchema: z.object({}),
      requireApproval: true,
      execute: async () => 'paid by 4111 1111 1111 1111',
    });
    const editing: Processor =
      by === 'guard'
        ? redactor({ strategy: 'replace', kinds: ['card'] })
        : {
            id: 'editing',
            processOutputStream: async ({ part }) =>
              part.type === 'tool-result' ? { ...part, payload: { ...part.payload, result: 'paid' } } : part,
          };
    const memory = new Memory({ storage: new InMemoryStore() });
    const model = scriptedModel({ steps: [{ toolCalls: [{ name: 'pay', args: {} }] }, { text: 'Done.' }] });
    const agent = new InterlockAgent({
      id: 'a',
      name: 'A',
      instructions: 'Pay.',
      model,
      memory,
      tools: { pay },
      outputProcessors: [editing],
    });
    const { runId } = await agent.generate('Go.', { memory: { thread: 't', resource: 'r' } });
    await agent.resumeGenerate({ approved: true }, { runId });
    const { messages } = await memory.recall({ threadId: 't', resourceId: 'r' });
    const [call] = messages.flatMap(({ content }) => content.parts.filter(({ type }) => type === 'tool-invocation'));
    expect(call).toMatchObject({ toolInvocation: { result: expect.not.stringContaining('4111'), approval: { approved: true } } });
  },
);
