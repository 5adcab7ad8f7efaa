import { Agent } from '@mastra/core/agent';
import type { Processor } from '@mastra/core/processors';
import { createTool } from '@mastra/core/tools';
import { createStep, createWorkflow } from '@mastra/core/workflows';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { InterlockAgent, memoryEngine } from '../../src/index.js';
import { scriptedModel } from '../../src/testing/index.js';
import { readAll, retractionsOf, textOnWire, toolResultsIn, type Chunk } from './support.js';

const rejected = 'ZEBRA';

const kinds = ['interlock', 'stock'] as const;
type Kind = (typeof kinds)[number];
const make = (kind: Kind, config: object): Agent =>
  kind === 'interlock' ? new InterlockAgent(config as never) : new Agent(config as never); // options of both

/** The acts of the sub-agent's guard on an emitted answer. */
const acts = {
  retries: ({ abort, retryCount }) => (retryCount === 0 ? abort('Again.', { retry: true }) : undefined),
  blocks: ({ abort }) => abort('No.'),
  fails: () => {
    throw new Error('down');
  },
} as const satisfies Record<string, (args: Parameters<NonNullable<Processor['processOutputStep']>>[0]) => unknown>;
type Act = keyof typeof acts;

const named = (id: string) => ({ id, name: id, description: id, instructions: id });

const leafThat = (act: Act): Agent =>
  new InterlockAgent({
    ...named('leaf'),
    model: scriptedModel({ steps: ({ index }) => ({ text: [index === 0 ? `It is ${rejected}.` : 'Here it is.'] }) }),
    maxProcessorRetries: 1,
    outputProcessors: [{ id: 'judge', processOutputStep: acts[act] as never }],
    hold: 'none',
  });

/** An agent that says something before and after it calls another. */
const over = (kind: Kind, child: object, config: object = {}): Agent => {
  const [name] = Object.keys((child as { workflows?: object }).workflows ?? {});
  const call = name
    ? { name: `workflow-${name}`, args: { inputData: { prompt: 'Go.' } } }
    : { name: 'agent-child', args: { prompt: 'Go.' } };
  const model = scriptedModel({
    steps: (one) => (toolResultsIn(one) === 0 ? { text: 'I ask.', toolCalls: [call] } : { text: 'Done.' }),
  });
  return make(kind, { ...named('over'), model, ...child, ...config });
};

/** Every way in which a run is nested in the supervisor's. */
const nestings = {
  'a sub-agent': (leaf) => ({ agents: { child: leaf } }),
  'two deep': (leaf) => ({ agents: { child: over('interlock', { agents: { child: leaf } }) } }),
  'two deep, below Mastra’s own Agent': (leaf) => ({ agents: { child: over('stock', { agents: { child: leaf } }) } }),
  'a tool that relays its chunks': (leaf) => ({
    tools: {
      'agent-child': createTool({
        id: 'relay',
        description: 'Asks.',
        inputSchema: z.object({ prompt: z.string() }),
        execute: async ({ prompt }, { writer }) => {
          const stream = await leaf.stream(prompt);
          for await (const chunk of stream.fullStream)
            await (chunk.type.startsWith('data-') ? writer?.custom(chunk as never) : writer?.write(chunk));
          return stream.text;
        },
      }),
    },
  }),
  'a step of a workflow': (leaf) => {
    const schema = z.object({ prompt: z.string() });
    const step = createStep(leaf as never) as never;
    return { workflows: { ask: createWorkflow({ id: 'ask', inputSchema: schema, outputSchema: z.any() }).then(step).commit() } };
  },
} as const satisfies Record<string, (leaf: Agent) => object>;

const cases = (Object.keys(nestings) as (keyof typeof nestings)[]).flatMap((nesting) =>
  (Object.keys(acts) as Act[]).map((act) => ({ nesting, act })),
);

/** The marks in a stream that no frame of a tool contains. */
const marksIn = (chunks: readonly Chunk[]) => chunks.filter(({ type }) => /^data-(interlock-|tripwire)/.test(type));

/** The text of the supervisor on a client that follows retractions by part ids. */
const visibleText = (chunks: readonly Chunk[]): string => {
  const ids = new Set(retractionsOf({ chunks }).flatMap(({ partIds }) => partIds));
  return textOnWire({ chunks: chunks.filter(({ payload }) => !ids.has((payload as { id?: string } | undefined)?.id ?? '')) });
};

describe.each([undefined, memoryEngine()])('P10 a nested run touches nothing of its supervisor, engine %o', (durability) => {
  it.each(cases)('$nesting: its guard $act', async ({ nesting, act }) => {
    const supervisor = over('interlock', nestings[nesting](leafThat(act)), { durability });
    const chunks = await readAll((await supervisor.stream('Go.')).fullStream);
    expect(marksIn(chunks)).toEqual([]);
    expect(visibleText(chunks)).toBe('I ask.Done.');
    const frames = chunks.flatMap(({ type, payload }) => (type === 'tool-output' ? [(payload as { output: Chunk }).output] : []));
    expect(JSON.stringify(frames).includes('data-interlock-retract')).toBe(JSON.stringify(frames).includes(rejected));
  });
});

it.each(Object.keys(acts) as Act[])(
  'P10 a retraction names its run if Mastra’s own Agent passes it on: a guard that %s',
  async (act) => {
    const supervisor = over('stock', nestings['a sub-agent'](leafThat(act)));
    const chunks = await readAll((await supervisor.stream('Go.')).fullStream);
    const own = (chunks.find(({ type }) => type === 'start') as { runId?: string }).runId;
    const runs = retractionsOf({ chunks }).map((data) => (data as { subRunId?: string }).subRunId);
    expect(runs).toEqual([expect.any(String)]);
    expect(runs).not.toContain(own);
  },
);
