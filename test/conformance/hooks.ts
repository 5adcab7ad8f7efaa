import type { MastraDBMessage } from '@mastra/core/agent/message-list';
import type { Processor } from '@mastra/core/processors';

import { phaseNames } from '../../src/phase/table.js';
import { phases, type InterlockAgentConfig, type InterlockCallOptions } from '../../src/index.js';
import type { ScriptedStep } from '../../src/testing/index.js';
import { all, callThen, echo, makeAgent, type Mode } from '../mastra/support.js';

export type Args = Record<string, unknown>;
type Hook = (args: Args) => unknown;

/** The result of each hook that changes nothing. */
const idle: Readonly<Record<string, Hook>> = {
  processOutputStream: ({ part }) => part,
  processInputStep: () => undefined,
  processLLMRequest: () => undefined,
  processLLMResponse: () => undefined,
  processAPIError: () => undefined,
  processToolResult: () => undefined,
};

/** A processor with every hook; the given ones act, and `onHook` gets each call before. */
export const processorWith = (hooks: Readonly<Record<string, Hook>>, onHook?: (hook: string, args: Args) => void): Processor => {
  const every = phaseNames.map((phase) => {
    const { hook } = phases[phase];
    const act = hooks[hook] ?? idle[hook] ?? (({ messageList }: Args) => messageList);
    return [
      hook,
      (args: Args) => {
        onHook?.(hook, args);
        return act(args);
      },
    ];
  });
  return { id: 'all-hooks', ...Object.fromEntries(every) } as Processor;
};

/** A processor with only these hooks. */
export const processor = (hooks: Readonly<Record<string, Hook>>, id = 'one'): Processor => ({ id, ...hooks });

/** An agent that calls a tool and then answers. */
export const agentWith = (
  config: Partial<InterlockAgentConfig> = {},
  steps: ScriptedStep<'v2'>[] = callThen('echo', { say: 'a' }),
) => makeAgent(steps, { tools: { echo }, ...config });

export interface Chunk {
  readonly type: string;
  readonly payload?: Args;
  readonly data?: unknown;
}

/** Runs a call to its end; for a stream also collects its chunks. */
export const run = async (
  { agent }: ReturnType<typeof makeAgent>,
  mode: Mode,
  options: InterlockCallOptions = {},
  prompt = 'Hi',
) => {
  if (mode === 'generate') return { result: await agent.generate(prompt, options), chunks: [] as Chunk[] };
  const stream = await agent.stream(prompt, options);
  const chunks = (await all(stream.fullStream as AsyncIterable<unknown>)) as Chunk[];
  return { result: await stream.getFullOutput(), chunks };
};

export const partsText = ({ content }: MastraDBMessage): string =>
  content.parts.map((part) => (part.type === 'text' ? part.text : '')).join('');
