import type { AddressInfo } from 'node:net';
import { monitorEventLoopDelay } from 'node:perf_hooks';

import { serve } from '@hono/node-server';
import { Agent } from '@mastra/core/agent';
import type { Processor } from '@mastra/core/processors';
import { Hono } from 'hono';
import { streamSSE } from 'hono/streaming';

import { InterlockAgent } from '../../src/index.js';
import { pacedModel, type Pace } from './paced-model.js';

/** Settings of the server under load. */
export interface LoadOrders extends Pace {
  readonly subject: 'interlock' | 'mastra';
}

/** The server process's measurements since the last request for them. */
export interface ServerFigures {
  readonly loopP99Ms: number;
  readonly loopMaxMs: number;
  readonly rssBytes: number;
  readonly cpuMs: number;
}

const forbidden = /\bforbidden word\b/;

/** Three guards, the same for both agents: for the question, each chunk, and the answer. */
const guards = () => {
  const input: Processor = {
    id: 'question',
    processInput: ({ messages, abort }) => (forbidden.test(JSON.stringify(messages)) ? abort('no') : messages),
  };
  const chunk: Processor = {
    id: 'chunk',
    processOutputStream: async ({ part, abort }) =>
      part.type === 'text-delta' && forbidden.test(part.payload.text) ? abort('no') : part,
  };
  const answer: Processor = {
    id: 'answer',
    processOutputResult: ({ messages, abort }) => (forbidden.test(JSON.stringify(messages)) ? abort('no') : messages),
  };
  return { inputProcessors: [input], outputProcessors: [chunk, answer] };
};

const { subject, ...pace } = JSON.parse(process.argv[2] ?? '{}') as LoadOrders;
const config = { id: 'loaded', name: 'Loaded', instructions: 'Answer.', model: pacedModel(pace), ...guards() };
const agent = subject === 'interlock' ? new InterlockAgent(config) : new Agent(config as never); // the same processors, which Mastra types more narrowly
const delay = monitorEventLoopDelay({ resolution: 1 });
delay.enable();
let cpu = process.cpuUsage();
let mostRss = 0;
setInterval(() => (mostRss = Math.max(mostRss, process.memoryUsage.rss())), 50).unref();

const app = new Hono();
app.post('/chat', async (context) => {
  const { text } = await context.req.json<{ text: string }>();
  const { fullStream } = await agent.stream(text);
  return streamSSE(context, async (sse) => {
    for await (const part of fullStream as AsyncIterable<{ type: string }>) await sse.writeSSE({ data: JSON.stringify(part) });
  });
});
app.get('/figures', (context) => {
  const { user, system } = process.cpuUsage(cpu);
  const figures: ServerFigures = {
    loopP99Ms: delay.percentile(99) / 1e6,
    loopMaxMs: delay.max / 1e6,
    rssBytes: Math.max(mostRss, process.memoryUsage.rss()),
    cpuMs: (user + system) / 1_000,
  };
  delay.reset();
  cpu = process.cpuUsage();
  mostRss = 0;
  globalThis.gc?.();
  return context.json(figures);
});
serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, ({ port }: AddressInfo) => process.stdout.write(`${port}\n`));
