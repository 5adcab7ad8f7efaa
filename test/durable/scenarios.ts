import { setImmediate } from 'node:timers/promises';

import { createTool } from '@mastra/core/tools';
import { z } from 'zod';

import { guard, InterlockAgent, type InterlockAgentConfig, type InterlockResult } from '../../src/index.js';
import { scriptedModel } from '../../src/testing/index.js';
import { toolResultsIn } from '../promises/support.js';
import type { MortalEngine } from './mortal-engine.js';

/** An agent whose runs are killed, and its effects outside. */
export interface Scenario {
  /** Effects of tools, in order. */
  readonly effects: string[];
  readonly agent: (config?: Partial<InterlockAgentConfig>) => InterlockAgent;
}

/** A killed process does nothing any more. */
const isAlive = ({ durability }: Partial<InterlockAgentConfig> = {}): boolean =>
  !(durability as Partial<MortalEngine> | undefined)?.isDead;

const charge = (
  effects: string[],
  { process, ...more }: { process?: Partial<InterlockAgentConfig>; requireApproval?: boolean } = {},
) =>
  createTool({
    id: 'charge',
    description: 'Charges an amount.',
    inputSchema: z.object({ amount: z.number() }),
    execute: async ({ amount }) => {
      await setImmediate();
      if (isAlive(process)) effects.push(`charge ${amount}`);
      return { receipt: `receipt ${amount}` };
    },
    ...more,
  });

const twoCharges = [
  { name: 'charge', args: { amount: 1 } },
  { name: 'charge', args: { amount: 2 } },
];

interface HookArgs {
  readonly state: Record<string, number>;
  readonly retryCount: number;
  readonly messages: unknown[];
  readonly messageList: { addSystem(text: string): void };
  abort(reason: string, options: object): never;
}

const base = { id: 'cashier', name: 'Cashier', instructions: 'Charge people.' };

/** Two tools, then an answer. */
const tools = (): Scenario => {
  const effects: string[] = [];
  const model = scriptedModel({
    steps: (call) => (toolResultsIn(call) === 0 ? { text: 'I charge. ', toolCalls: twoCharges } : { text: 'All is paid.' }),
  });
  const agent: Scenario['agent'] = (config) =>
    new InterlockAgent({ ...base, model, tools: { charge: charge(effects, { process: config }) }, ...(config as object) });
  return { effects, agent };
};

/** Guards that keep state, edit and request retries, in every array. */
const guards = (hold: 'none' | 'auto' = 'none'): Scenario => {
  const scenario = tools();
  const counting = {
    id: 'counting',
    processInput: ({ state, messages }: { state: Record<string, number>; messages: never[] }) => {
      state['seen'] = messages.length;
      return messages;
    },
    processInputStep: ({ state }: { state: Record<string, number> }) => {
      state['steps'] = (state['steps'] ?? 0) + 1;
      return {};
    },
    processOutputStep: ({ state, retryCount, abort, messages }: HookArgs) => {
      if (state['steps'] === 1 && retryCount === 0) abort('be kinder', { retry: true });
      return messages;
    },
    processOutputResult: ({ state, messages, messageList }: HookArgs) => {
      messageList.addSystem(`after ${state['steps']}`);
      return messages;
    },
  };
  const redacting = {
    id: 'redacting',
    processOutputStream: ({ part }: { part: { type: string; payload?: { text?: string } } }) =>
      part.type === 'text-delta'
        ? { ...part, payload: { ...part.payload, text: part.payload?.text?.replace('paid', '****') } }
        : part,
  };
  const agent: Scenario['agent'] = (config) =>
    scenario.agent({
      inputProcessors: [counting as never],
      outputProcessors: [counting as never, redacting as never],
      maxProcessorRetries: 2,
      hold,
      ...config,
    });
  return { ...scenario, agent };
};

/** A guard that overlaps with the model. */
const overlap = (): Scenario => {
  const scenario = tools();
  const judge = guard({ id: 'judge', processInput: () => setImmediate() } as never, { overlap: true } as never);
  return { ...scenario, agent: (config) => scenario.agent({ inputProcessors: [judge], ...config }) };
};

/** A guard that stops the run on the result of the second tool. */
const tripping = (): Scenario => {
  const scenario = tools();
  const stern = {
    id: 'stern',
    processToolResult: ({ result, abort }: { result: { receipt: string }; abort: (reason: string) => never }) => {
      if (result.receipt === 'receipt 2') abort('no second receipt');
    },
  };
  return { ...scenario, agent: (config) => scenario.agent({ outputProcessors: [stern as never], ...config }) };
};

/** A model that fails, and is called again. */
const failing = (): Scenario => {
  const scenario = tools();
  const model = scriptedModel({
    steps: (call) => {
      if (call.index % 2 === 0) return { error: new Error('The provider is out of order.') };
      return toolResultsIn(call) === 0 ? { text: 'I charge. ', toolCalls: twoCharges } : { text: 'All is paid.' };
    },
  });
  const again = { id: 'again', processAPIError: () => ({ retry: true }) };
  return { ...scenario, agent: (config) => scenario.agent({ model, errorProcessors: [again], ...(config as object) }) };
};

/** Every step is held until it is accepted, and tools run one at a time. */
const holding = (): Scenario => {
  const scenario = guards();
  return {
    ...scenario,
    agent: (config) => scenario.agent({ hold: 'step', defaultOptions: { toolCallConcurrency: 1 }, ...config }),
  };
};

/** Scenarios without approvals, by name. */
export const scenarios: Readonly<Record<string, () => Scenario>> = {
  tools,
  guards: () => guards(),
  guardsHeld: () => guards('auto'),
  overlap,
  tripping,
  failing,
  holding,
};

/** Each call waits for an approval. */
export const approving = (): Scenario => {
  const scenario = tools();
  return {
    ...scenario,
    agent: (config) =>
      scenario.agent({ tools: { charge: charge(scenario.effects, { process: config, requireApproval: true }) }, ...config }),
  };
};

/** Approves the calls of a run until it ends. */
export const answerAll = async (agent: InterlockAgent, runId: string): Promise<InterlockResult> => {
  for (;;) {
    const result = await (await agent.attach(runId)).getFullOutput();
    if (result.status !== 'suspended') return result;
    const [call] = (await agent.listSuspendedRuns()).runs.find((run) => run.runId === runId)?.toolCalls ?? [];
    if (call) await (await agent.resume(runId, { approved: true }, { toolCallId: call.toolCallId })).getFullOutput();
  }
};
