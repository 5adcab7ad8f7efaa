import { MockMemory } from '@mastra/core/memory';
import { createTool } from '@mastra/core/tools';

import { InterlockAgent, type InterlockConfig, type InterlockResult, type RunEvent } from '../../src/index.js';
import { guardsOf } from './guards.js';
import type { Script } from './script.js';
import { failed, inOrder, pageOf, pageOfResult, wordsLeft, type Chunk, type Seen } from './seen.js';
import { description, inputSchema, worldOf } from './world.js';

export type Run = (agent: InterlockAgent, prompt: string, options: Options) => Promise<InterlockResult>;
interface Options {
  readonly memory: typeof target;
  readonly onRunEvent: (event: RunEvent) => void;
  /** Where the chunks of a stream go. */
  readonly chunks: Chunk[];
}

const target = { thread: 'thread-1', resource: 'person-1' };

type Streamed = Awaited<ReturnType<InterlockAgent['stream']>>;

const readInto = async (stream: Streamed, chunks: Chunk[]): Promise<InterlockResult> => {
  for await (const chunk of stream.fullStream) chunks.push(chunk as unknown as Chunk); // as far as it is read here
  return stream.getFullOutput() as unknown as Promise<InterlockResult>;
};

export const generate: Run = (agent, prompt, { memory, onRunEvent }) => agent.generate(prompt, { memory, onRunEvent });
export const stream: Run = async (agent, prompt, { memory, onRunEvent, chunks }) =>
  readInto(await agent.stream(prompt, { memory, onRunEvent }), chunks);

/** Begins a run, and approves its calls, one after another. */
export const approving =
  (begin: Run): Run =>
  async (agent, prompt, options) => {
    let result = await begin(agent, prompt, options);
    while (result.finishReason === 'suspended') {
      const { runId = '', suspendPayload } = result as { runId?: string; suspendPayload?: { toolCallId?: string } };
      const { onRunEvent } = options;
      const call = { runId, toolCallId: suspendPayload?.toolCallId, onRunEvent };
      result =
        begin === stream
          ? await readInto(await agent.resumeStream({ approved: true }, call), options.chunks)
          : await agent.resumeGenerate({ approved: true }, call);
    }
    return result;
  };

const savedIn = async (memory: MockMemory): Promise<string[]> => {
  const thread = await memory.getThreadById({ threadId: target.thread });
  if (!thread) return [];
  const { messages } = await memory.recall({ threadId: target.thread, resourceId: target.resource });
  return messages.map(({ role, content }) => `${role}: ${content.parts.map((part) => partSaid(part)).join(' | ')}`);
};

/** What a part of a message says. */
const partSaid = (part: { type: string }): string => {
  const { text, reasoning, toolInvocation } = part as {
    text?: string;
    reasoning?: string;
    toolInvocation?: Record<string, unknown>;
  };
  const { args, result, state } = toolInvocation ?? {};
  return `${part.type} ${text ?? reasoning ?? JSON.stringify([args, result, state])}`;
};

interface StepSeen {
  readonly text: string;
  readonly reasoningText?: string | undefined;
  readonly tripwire?: unknown;
  readonly toolCalls: readonly unknown[];
  readonly toolResults: readonly unknown[];
}

const stepOf = ({ text, reasoningText = '', toolCalls, toolResults }: StepSeen): unknown => ({
  text,
  reasoning: reasoningText,
  toolCalls: toolCalls.map((call) => JSON.stringify((call as { payload: { args: unknown } }).payload.args)),
  toolResults: toolResults.map((one) => JSON.stringify((one as { payload: { result: unknown } }).payload.result)).toSorted(),
});

/** A run of an agent; all that a reader of its result learns. */
export const onInterlock =
  (run: Run, config: Partial<InterlockConfig> = {}, requireApproval = false) =>
  async (one: Script): Promise<Seen> => {
    const { model, execute, seen } = worldOf(one, 'v2');
    const memory = new MockMemory({ enableMessageHistory: true });
    const events: RunEvent[] = [];
    const chunks: Chunk[] = [];
    const agent = new InterlockAgent({
      id: 'cashier',
      name: 'Cashier',
      instructions: 'Charge.',
      model,
      memory,
      maxRetries: 0,
      tools: { charge: createTool({ id: 'charge', description, inputSchema, requireApproval, execute }) },
      hold: one.hold,
      maxProcessorRetries: one.budget,
      ...guardsOf(one).lanes,
      ...config,
    });
    const options = { memory: target, chunks, onRunEvent: (event: RunEvent) => void events.push(event) };
    const ended = await run(agent, one.request.join(' '), options).then(
      ({ status, steps, text, tripwire }) => ({
        end: tripwire ? [status, tripwire.reason, tripwire.processorId, tripwire.phase] : [status],
        steps: steps.filter((step) => !step.tripwire).map((step) => stepOf(step as unknown as StepSeen)),
        text,
      }),
      (error: Error) => ({ end: failed(error), steps: [], text: '' }),
    );
    const { text, ...told } = ended;
    const verdicts = inOrder(events.filter((event) => event.type === 'guard'));
    const shown =
      chunks.length > 0
        ? { left: wordsLeft(chunks), page: pageOf(chunks) }
        : { left: text, page: pageOfResult(text, told.steps) };
    return { ...told, ...shown, ...seen(), verdicts, saved: await savedIn(memory) };
  };
