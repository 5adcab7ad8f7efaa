import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Mastra } from '@mastra/core/mastra';
import type { Processor } from '@mastra/core/processors';
import { createTool } from '@mastra/core/tools';
import { tool } from 'ai';
import { afterAll, beforeAll } from 'vitest';
import { z } from 'zod';

import type { RunSummary, StartedRun } from '../../../playground/protocol/runs.js';
import { buildPages } from '../../../playground/samples/run-studio.js';
import { masking } from '../../../playground/samples/samples.js';
import { startStudio, type StudioServer } from '../../../playground/server/start-studio.js';
import { guardedToolLoop } from '../../../src/ai-sdk/index.js';
import { guard, InterlockAgent, pipeline } from '../../../src/index.js';
import { scriptedModel } from '../../../src/testing/index.js';
import { promptInjectionGuard, redactor } from '../../../workflows/guards/index.js';

/** Text that tries to act as markup. */
export const hostile =
  '<img src=x onerror="document.title=\'owned\'"><script>document.title="owned"</script> \u202Eevil\u202C \u200Bhidden ' +
  `${'W'.repeat(4000)} [link](javascript:alert(1))`;

export const better = 'Returns are free within thirty days of delivery, and the money is back within five working days.';

/** The number of deltas in the long answer: each is an entry of its run, however the stream joins what it emits. */
const longDeltas = 10_100;

const answers: Readonly<Record<string, () => { text: readonly string[]; delayMs?: number; hang?: boolean }>> = {
  leak: () => ({ text: ['You can write to ', 'dana.', 'whit', 'field@exam', 'ple.com at any time.'] }),
  hostile: () => ({ text: [hostile] }),
  long: () => ({ text: Array.from({ length: longDeltas }, (_, index) => `word${index} `) }),
  slow: () => ({ text: 'One two three four five. Six seven eight nine ten. '.match(/.{1,5}/gs) ?? [], delayMs: 60 }),
  crawl: () => ({ text: Array.from({ length: 60 }, (_, index) => (index % 6 === 5 ? 'end. ' : 'word ')), delayMs: 120 }),
  hang: () => ({ text: ['One ', 'moment '], hang: true }),
};

const model = () =>
  scriptedModel({
    steps: ({ prompt }) => {
      const userMessage = JSON.stringify(prompt.findLast(({ role }) => role === 'user') ?? '');
      const hasFeedback = JSON.stringify(prompt).includes('Say more.');
      if (userMessage.includes('fail')) return { error: new Error('The provider is on fire.') };
      if (userMessage.includes('refund') && prompt.at(-1)?.role !== 'tool')
        return { toolCalls: [{ name: 'refund', args: { order: '1042' } }] };
      const answer = Object.entries(answers).find(([word]) => userMessage.includes(word))?.[1];
      if (answer) return answer();
      return { text: userMessage.includes('short') && !hasFeedback ? ['ok', '.'] : (better.match(/.{1,9}/gs) ?? []) };
    },
  });

const quality: Processor = {
  id: 'quality',
  processOutputStep: ({ text, abort, messages }) => (text === 'ok.' ? abort('Say more.', { retry: true }) : messages),
};

/** Reads each sentence slowly, with the sentence buffered. */
const slowReader: Processor = {
  id: 'slow-reader',
  processOutputStream: async ({ part }) => {
    if (part.type === 'text-delta') await sleep(250);
    return part;
  },
};

/** Two guards that edit the same words, a shadow guard that only reads, and one that never answers. */
const deskInput = () =>
  pipeline('desk-input', { staleVerdicts: 'report' })
    .parallel([masking('mail', /[\w.]+@[\w.]+\w/g, '[mail]'), masking('domain', /\w+\.example/g, '[domain]')])
    .then(guard(promptInjectionGuard({ id: 'shadow-injection' }), { shadow: true }))
    .then(
      guard(
        {
          id: 'away',
          processInput: async () => {
            throw new Error('away');
          },
        } satisfies Processor,
        { onUnavailable: 'pass' },
      ),
    )
    .commit();

/** A guard whose service is unreachable. */
const broken: Processor = {
  id: 'broken',
  description: 'Asks the fraud service.',
  processInput: async () => {
    throw new Error('The fraud service did not answer.', { cause: new TypeError('connect ECONNREFUSED') });
  },
};

const refund = createTool({
  id: 'refund',
  description: 'Pays an order back.',
  inputSchema: z.object({ order: z.string() }),
  requireApproval: true,
  execute: async ({ order }) => ({ paid: order }),
});

const examples = { support: [{ text: 'short', shows: 'an answer that is retried' }] };

/** An agent of an application that uses the AI SDK. */
const loop = () =>
  guardedToolLoop({
    id: 'loop',
    model: model(),
    tools: {
      refund: tool({
        inputSchema: z.object({ order: z.string() }),
        needsApproval: true,
        execute: async ({ order }) => ({ paid: order }),
      }),
    },
    guards: [redactor({ strategy: 'replace' })],
  });

const createMastra = (): Mastra =>
  new Mastra({
    agents: {
      support: new InterlockAgent({
        id: 'support',
        name: 'Support',
        instructions: 'Help.',
        model: model(),
        tools: { refund },
        inputProcessors: [pipeline('support-input').then(promptInjectionGuard()).commit()],
        outputProcessors: [
          pipeline('support-output')
            .then(quality)
            .then(redactor({ id: 'leak', strategy: 'block', places: ['answer'] }))
            .commit(),
        ],
        hold: 'none', // pages show what is retracted
        maxProcessorRetries: 1,
      }),
      desk: new InterlockAgent({
        id: 'desk',
        name: 'Desk',
        instructions: 'Help.',
        model: model(),
        inputProcessors: [deskInput()],
        outputProcessors: [
          pipeline('desk-output')
            .then(redactor({ strategy: 'replace' }))
            .then(guard(slowReader, { window: 'sentence' }))
            .commit(),
        ],
      }),
      fragile: new InterlockAgent({
        id: 'fragile',
        name: 'Fragile',
        instructions: 'Help.',
        model: model(),
        inputProcessors: [pipeline('fragile-input').then(broken).commit()],
      }),
      stale: new InterlockAgent({
        id: 'stale',
        name: 'Stale',
        instructions: 'Help.',
        model: model(),
        inputProcessors: [
          pipeline('stale-input', { staleVerdicts: 'report' })
            .parallel([masking('mail', /[\w.]+@[\w.]+\w/g, '[mail]'), promptInjectionGuard()])
            .commit(),
        ],
      }),
      loop: loop() as never, // an agent of the AI SDK 7; Mastra's types have that of 6
    },
    logger: false,
  });

/** A studio over test agents, with its built pages. */
export interface TestStudio {
  readonly href: (path: string) => string;
  /** Starts a run, and waits until it is over. */
  readonly run: (agentId: string, text: string) => Promise<string>;
  /** Starts a run. */
  readonly start: (agentId: string, text: string) => Promise<string>;
  /** Stops the server; returns a function that restarts it at the same address, with its stored data. */
  readonly takeAway: () => Promise<() => Promise<void>>;
}

/** Serves a studio for the tests of a file. */
export const useStudio = (): TestStudio => {
  const folder = mkdtempSync(join(tmpdir(), 'studio-'));
  let server: StudioServer | undefined;
  const file = join(folder, 'runs.db');
  const serve = async (port: number): Promise<void> => {
    server = await startStudio({ mastra: createMastra(), examples, port, file, token: false });
  };
  beforeAll(async () => {
    await buildPages(() => undefined);
    await serve(0);
  });
  afterAll(async () => {
    await server?.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const href = (path: string): string => new URL(path, server?.url).href;
  const start = async (agentId: string, text: string): Promise<string> => {
    const body = JSON.stringify({ text });
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(href(`api/agents/${agentId}/runs`), { method: 'POST', headers, body });
    return ((await response.json()) as StartedRun).runId;
  };
  return {
    href,
    start,
    run: async (agentId, text) => {
      const runId = await start(agentId, text);
      for (;;) {
        const summary = (await (await fetch(href(`api/runs/${runId}`))).json()) as RunSummary;
        if (summary.status !== 'running') return runId;
        await sleep(20);
      }
    },
    takeAway: async () => {
      const port = Number(new URL(href('')).port);
      await server?.close();
      return () => serve(port);
    },
  };
};
