import { createTool } from '@mastra/core/tools';
import { z } from 'zod';

import type { InterlockAgent, InterlockCallOptions, InterlockResult } from '../../src/index.js';
import type { Mode } from './support.js';

export interface StreamedChunk {
  type: string;
  payload?: Record<string, unknown>;
  data?: Record<string, unknown>;
}

/** One segment of a run: its end, and its output. */
export interface Sat {
  result: InterlockResult;
  chunks: StreamedChunk[];
  ofType: (type: string) => StreamedChunk[];
}

type Listening = { onChunk: (chunk: unknown) => void };
type Agent = Pick<InterlockAgent, 'generate' | 'stream' | 'resumeGenerate' | 'resumeStream'>;

const sat = async (act: (listening: Listening) => Promise<InterlockResult>): Promise<Sat> => {
  const chunks: StreamedChunk[] = [];
  const result = await act({ onChunk: (chunk) => void chunks.push(chunk as StreamedChunk) });
  return { result, chunks, ofType: (type) => chunks.filter((chunk) => chunk.type === type) };
};

/** Starts a run, in either mode. */
export const begin = (agent: Agent, mode: Mode, options: InterlockCallOptions = {}): Promise<Sat> =>
  sat(async (listening) =>
    mode === 'generate'
      ? agent.generate('Go', { ...options, ...listening })
      : (await agent.stream('Go', { ...options, ...listening })).getFullOutput(),
  );

type ResumeOptions = Parameters<InterlockAgent['resumeGenerate']>[1] & { runId: string };

/** Resumes a run, in either mode. */
export const resume = (agent: Agent, mode: Mode, data: unknown, options: ResumeOptions): Promise<Sat> =>
  sat(async (listening) =>
    mode === 'generate'
      ? agent.resumeGenerate(data, { ...options, ...listening } as { runId: string })
      : (await agent.resumeStream(data, { ...options, ...listening } as { runId: string })).getFullOutput(),
  );

export const yes = { approved: true };
export const no = { approved: false };

/** A tool that records its arguments, with configurable approval. */
export const charging = (log: unknown[], settings: object = { requireApproval: true }) =>
  createTool({
    id: 'charge',
    description: 'Charges an amount.',
    inputSchema: z.object({ amount: z.number() }),
    execute: async ({ amount }) => {
      log.push(amount);
      return { charged: amount };
    },
    ...settings,
  });

/** A tool that asks for a city, and continues with it. */
export const suspendingTool = (log: unknown[]) =>
  createTool({
    id: 'ask',
    description: 'Asks where.',
    inputSchema: z.object({ about: z.string() }),
    suspendSchema: z.object({ question: z.string() }),
    resumeSchema: z.object({ city: z.string() }),
    execute: async ({ about }, { agent }) => {
      const { resumeData, suspend } = agent ?? {};
      log.push(resumeData ?? about);
      if (resumeData) return { weather: `${resumeData.city}: sun` };
      return suspend?.({ question: `Which city, for ${about}?` });
    },
  });
