import { Agent } from '@mastra/core/agent';
import { Mastra } from '@mastra/core/mastra';
import { RegexFilterProcessor, type Processor } from '@mastra/core/processors';
import { createTool } from '@mastra/core/tools';
import { afterAll, beforeAll } from 'vitest';
import { z } from 'zod';

import { buildPages } from '../../../playground/samples/run-studio.js';
import { startStudio, type StudioServer } from '../../../playground/server/start-studio.js';
import { guard, InterlockAgent, pipeline, type GuardTraits } from '../../../src/index.js';
import { scriptedModel } from '../../../src/testing/index.js';
import { redactor } from '../../../workflows/guards/index.js';
import { contentModeration } from '../../../workflows/index.js';

export const answer = 'It arrives on Monday. Write to ann.lee@example.org if it does not.';

/** Requests retries that the run never grants. */
const calm: Processor & { traits: GuardTraits } = {
  id: 'calm',
  traits: { decides: ['retry'] },
  processOutputStep: ({ messages }) => messages,
};

const polite: Processor = { id: 'polite', processOutputStep: ({ messages }) => messages };

/** Judges each chunk separately, so that the cuts matter. */
const perChunk: Processor = {
  id: 'per-chunk',
  processOutputStream: ({ part, abort }) => {
    if (part.type === 'text-delta' && /\S+@\S+/.test(part.payload.text)) abort('an address');
    return Promise.resolve(part);
  },
};

/** Requests a second answer in every run. */
const again: Processor & { traits: GuardTraits } = {
  id: 'again',
  traits: { decides: ['retry'] },
  processOutputStep: ({ messages, retryCount, abort }) =>
    retryCount === 0 ? abort('Say it in other words.', { retry: true }) : messages,
};

const watcher = guard(new RegexFilterProcessor({ presets: ['pii'] }), { shadow: true });

/** A nested pipeline, with two findings of `verify`. */
const tone = () =>
  pipeline('tone-output')
    .then(watcher)
    .then(
      pipeline('inner')
        .then(polite)
        .parallel([calm, redactor({ strategy: 'replace' })]),
    )
    .commit();

/** The number of steps of a run of the agent `long`. */
export const steps = 100;

const lookup = createTool({
  id: 'lookup',
  description: 'Looks up an order.',
  inputSchema: z.object({ order: z.string() }),
  execute: async ({ order }) => ({ order, state: 'sent' }),
});

const agentOf = (
  id: string,
  guards: Pick<ConstructorParameters<typeof InterlockAgent>[0], 'inputProcessors' | 'outputProcessors' | 'maxProcessorRetries'>,
) =>
  new InterlockAgent({
    id,
    name: id,
    instructions: 'Help.',
    model: scriptedModel({ steps: () => ({ text: answer }) }),
    maxProcessorRetries: 1,
    ...guards,
  });

const createMastra = (): Mastra =>
  new Mastra({
    agents: {
      parcels: agentOf('parcels', { inputProcessors: [contentModeration()] }),
      tone: agentOf('tone', { outputProcessors: [tone()], maxProcessorRetries: 0 }),
      leaky: agentOf('leaky', {
        outputProcessors: [
          pipeline('leaky-output')
            .then(guard(perChunk, { window: 'delta' }))
            .commit(),
        ],
      }),
      again: agentOf('again', { outputProcessors: [pipeline('again-output').then(again).commit()] }),
      long: new InterlockAgent({
        id: 'long',
        name: 'long',
        instructions: 'Help.',
        model: scriptedModel({
          steps: ({ prompt }) =>
            prompt.filter(({ role }) => role === 'tool').length < steps - 1
              ? { toolCalls: [{ name: 'lookup', args: { order: '1042' } }] }
              : { text: answer },
        }),
        tools: { lookup },
        defaultOptions: { maxSteps: steps },
      }),
      stock: new Agent({
        id: 'stock',
        name: 'stock',
        instructions: 'Help.',
        model: scriptedModel({ steps: () => ({ text: answer }) }),
      }),
      strict: agentOf('strict', {
        outputProcessors: [
          pipeline('strict-output')
            .then(redactor({ id: 'pii', strategy: 'replace' }))
            .commit(),
        ],
      }),
    },
    logger: false,
  });

/** The studio over test agents, with its built pages. Returns the address of a page. */
export const useWorkbench = (): ((path: string) => string) => {
  let server: StudioServer | undefined;
  beforeAll(async () => {
    await buildPages(() => undefined);
    server = await startStudio({ mastra: createMastra(), port: 0, token: false });
  });
  afterAll(() => server?.close());
  return (path) => new URL(path, server?.url).href;
};

/** Makes an agent answer, and waits until its run is over. */
export const startRun = async (page: (path: string) => string, agentId: string): Promise<string> => {
  const response = await fetch(page(`api/agents/${agentId}/runs`), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ text: 'When does it arrive?' }),
  });
  const { runId } = (await response.json()) as { runId: string };
  for (let status = 'running'; status === 'running';)
    ({ status } = (await (await fetch(page(`api/runs/${runId}`))).json()) as { status: string });
  return runId;
};
