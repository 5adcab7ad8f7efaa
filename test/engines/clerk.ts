import { request } from 'node:http';

import type { ProcessInputArgs, ProcessOutputStepArgs, ProcessOutputStreamArgs } from '@mastra/core/processors';
import { createTool } from '@mastra/core/tools';
import { LibSQLStore } from '@mastra/libsql';
import { Memory } from '@mastra/memory';
import { z } from 'zod';

import { guard, idempotencyKeyOf, InterlockAgent, type InterlockResult } from '../../src/index.js';
import type { Engine } from '../../src/engine.js';
import { forbidden, insult } from './outside.js';

/** The world outside the killed processes. */
export interface Outside {
  /** The model's server. */
  readonly modelUrl: string;
  /** The address of the counter of tool effects. */
  readonly sinkUrl: string;
  /** The file of its memory; undefined for none. */
  readonly memoryPath?: string;
}

/**
 * Posts without a time limit, on a connection of its own: a tool that gave up on a busy machine, or met a connection that the server had just
 * closed, would be a failed tool, and not one with a lost effect.
 */
const send = (url: string, body: string): Promise<void> =>
  new Promise((resolve, reject) => {
    const sent = request(url, { method: 'POST', agent: false }, (response) => void response.resume().once('end', resolve));
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

/** When the agent sends its answers. */
export const holds = ['auto', 'none', 'run'] as const;
export type Hold = (typeof holds)[number];

/** The process of the tests survives every tool. */
const isWorker = process.argv[1]?.endsWith('worker.ts') ?? false;

/** Hides digits. */
const discreet = {
  id: 'discreet',
  processOutputStream: async ({ part }: ProcessOutputStreamArgs) =>
    part.type === 'text-delta' ? { ...part, payload: { ...part.payload, text: part.payload.text.replace(/\d/g, '#') } } : part,
};

/** The memory in a file, which processes share. */
export const memoryIn = (path: string): Memory =>
  new Memory({ storage: new LibSQLStore({ id: 'memory', url: `file:${path}` }), options: { lastMessages: 10 } });

const amountSchema = z.object({ amount: z.number() });

/**
 * The same agent in every process: guards that request another answer, end the run and edit its stream; a tool with an effect outside,
 * one that needs approval, one that must not run twice, and a sub-agent with the first tool.
 */
export const clerk = (
  { modelUrl, sinkUrl, memoryPath }: Outside,
  durability?: Engine,
  { guards, revision, accepts = false }: Version = { guards: [] },
  { hold = 'auto', id: ownId = 'clerk' }: { readonly hold?: Hold; readonly id?: string } = {},
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
  const ship = createTool({
    id: 'ship',
    description: 'Ships a parcel.',
    inputSchema: amountSchema,
    execute: ({ amount }, context) => post('ship', amount, context),
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
      if (text?.includes(insult)) abort('no insults');
      return messages;
    },
  };
  const model = { id: 'local/some-model', url: modelUrl, apiKey: 'key' } as const;
  const helper = new InterlockAgent({
    id: 'helper',
    name: 'Helper',
    description: 'Charges people.',
    instructions: 'Charge people.',
    model,
    tools: { charge },
  });
  return new InterlockAgent({
    id: ownId,
    name: 'Clerk',
    instructions: 'Charge people, and pay them back.',
    model,
    tools: { charge, refund, ship, die },
    effects: durability?.isFenced ? { ship: 'once' } : {},
    agents: { helper },
    memory: memoryPath === undefined ? undefined : memoryIn(memoryPath),
    inputProcessors: guards.map((id) =>
      guard({ id, processInput: ({ messages }: ProcessInputArgs) => messages }, { version: revision }),
    ),
    outputProcessors: [polite, discreet],
    acceptChangedCode: () => accepts,
    maxProcessorRetries: 1,
    durability,
    hold,
  });
};

/** An agent for each `hold`. `name`: another one if its runs are encrypted. */
export const clerks = (
  outside: Outside,
  durability: Engine,
  { name, version }: { readonly name: string; readonly version?: Version | undefined },
): Readonly<Record<Hold, InterlockAgent>> => {
  const own = (hold: Hold): InterlockAgent => clerk(outside, durability, version, { hold, id: `${name}-${hold}` });
  return { auto: own('auto'), none: own('none'), run: own('run') };
};

/** The result of a run in either mode. */
export const answerOf = async (
  agent: InterlockAgent,
  { runId, prompt, isStreamed = false }: { readonly runId: string; readonly prompt: string; readonly isStreamed?: boolean },
): Promise<InterlockResult> =>
  isStreamed ? (await agent.stream(prompt, { runId })).getFullOutput() : agent.generate(prompt, { runId });
