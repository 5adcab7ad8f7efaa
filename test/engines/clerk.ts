import { request } from 'node:http';

import type { ProcessInputArgs, ProcessOutputStepArgs } from '@mastra/core/processors';
import { createTool } from '@mastra/core/tools';
import { z } from 'zod';

import { guard, idempotencyKeyOf, InterlockAgent, type Engine } from '../../src/index.js';
import { forbidden } from './outside.js';

/** The world outside the killed processes. */
export interface Outside {
  /** The model's server. */
  readonly modelUrl: string;
  /** The address of the counter of tool effects. */
  readonly sinkUrl: string;
}

/** Posts without a time limit: a tool that gave up on a busy machine would be a failed tool, and not one with a lost effect. */
const send = (url: string, body: string): Promise<void> =>
  new Promise((resolve, reject) => {
    const sent = request(url, { method: 'POST' }, (response) => void response.resume().once('end', resolve));
    sent.once('error', reject).end(body);
  });

/** The differences between two versions of the agent. */
export interface Version {
  /** The ids of the input's guards. */
  readonly guards: readonly string[];
  /** The version of its guards. */
  readonly revision?: string;
  /** Whether it continues runs of other code. */
  readonly accepts?: boolean;
}

/** The process of the tests survives every tool. */
const isWorker = process.argv[1]?.endsWith('worker.ts') ?? false;

const amountSchema = z.object({ amount: z.number() });

/** The same agent in every process: a guard that requests another answer, a tool with an effect outside, and one that needs approval. */
export const clerk = (
  { modelUrl, sinkUrl }: Outside,
  durability?: Engine,
  { guards, revision, accepts = false }: Version = { guards: [] },
): InterlockAgent => {
  const post = async (name: string, amount: number, context: unknown) => {
    await send(sinkUrl, JSON.stringify({ name, amount, key: idempotencyKeyOf(context) }));
    return { receipt: `receipt ${amount}` };
  };
  const charge = createTool({
    id: 'charge',
    description: 'Charges an amount.',
    inputSchema: amountSchema,
    execute: ({ amount }, context) => post('charge', amount, context),
  });
  const refund = createTool({
    id: 'refund',
    description: 'Pays an amount back.',
    inputSchema: amountSchema,
    requireApproval: true,
    execute: ({ amount }, context) => post('refund', amount, context),
  });
  const die = createTool({
    id: 'die',
    description: 'Kills a worker.',
    inputSchema: z.object({}),
    execute: async () => isWorker && process.kill(process.pid, 'SIGKILL'),
  });
  const polite = {
    id: 'polite',
    processOutputStep: ({ text, abort, messages }: ProcessOutputStepArgs) => {
      if (text?.includes(forbidden)) abort('mind your words', { retry: true });
      return messages;
    },
  };
  return new InterlockAgent({
    id: 'clerk',
    name: 'Clerk',
    instructions: 'Charge people, and pay them back.',
    model: { id: 'local/some-model', url: modelUrl, apiKey: 'key' },
    tools: { charge, refund, die },
    inputProcessors: guards.map((id) =>
      guard({ id, processInput: ({ messages }: ProcessInputArgs) => messages }, { version: revision }),
    ),
    outputProcessors: [polite],
    acceptChangedCode: () => accepts,
    maxProcessorRetries: 1,
    durability,
  });
};
