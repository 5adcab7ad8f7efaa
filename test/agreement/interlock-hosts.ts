import { Agent } from '@mastra/core/agent';
import { MockMemory } from '@mastra/core/memory';
import type { Processor } from '@mastra/core/processors';
import { createTool } from '@mastra/core/tools';

import { guardsFor, InterlockAgent, type InterlockResult, type RunEvent } from '../../src/index.js';
import type { InterlockConfig } from '../../src/mastra/agent/config.js';
import { guardsOf, type Lanes } from './guards.js';
import type { Script } from './script.js';
import { failed, inOrder, pageOf, pageOfResult, emittedText, type Chunk, type Observed } from './seen.js';
import { answerSchema, description, fileText, inputSchema, invalidCall, worldOf } from './world.js';

/** A run of an agent; it adds the chunks and objects of a stream to its second and third list. */
export type Run = (agent: Agent, prompt: string, call: Call) => Promise<InterlockResult>;
interface Call {
  readonly options: {
    readonly memory: typeof target;
    readonly onRunEvent: (event: RunEvent) => void;
    readonly structuredOutput?: { readonly schema: typeof answerSchema };
  };
  readonly chunks: Chunk[];
  readonly objects: unknown[];
}

const target = { thread: 'thread-1', resource: 'person-1' };

type Streamed = Awaited<ReturnType<InterlockAgent['stream']>>;

const readInto = async (streamed: unknown, { chunks, objects, options }: Call): Promise<InterlockResult> => {
  const one = streamed as Streamed; // Mastra's stream has the fields that are read here
  const partialObjects = options.structuredOutput && readAll(one.objectStream, objects).catch(() => undefined); // it ends with the stream
  await readAll(one.fullStream, chunks);
  await partialObjects;
  return one.getFullOutput() as unknown as Promise<InterlockResult>;
};

const readAll = async (from: AsyncIterable<unknown> | ReadableStream<unknown>, into: unknown[]): Promise<void> => {
  for await (const one of from as AsyncIterable<unknown>) into.push(one);
};

export const generate: Run = async (agent, prompt, { options }) =>
  (await agent.generate(prompt, options as object)) as unknown as InterlockResult; // Mastra's result has the fields that are read here
export const stream: Run = async (agent, prompt, call) => readInto(await agent.stream(prompt, call.options as object), call);

/** Starts a run, and approves its calls, one after another. */
export const approving =
  (begin: Run): Run =>
  async (agent, prompt, given) => {
    let result = await begin(agent, prompt, given);
    while (result.finishReason === 'suspended') {
      const { runId = '', suspendPayload } = result as { runId?: string; suspendPayload?: { toolCallId?: string } };
      const { onRunEvent } = given.options;
      const call = { runId, toolCallId: suspendPayload?.toolCallId, onRunEvent };
      result =
        begin === stream
          ? await readInto(await agent.resumeStream({ approved: true }, call), given)
          : ((await agent.resumeGenerate({ approved: true }, call)) as InterlockResult);
    }
    return result;
  };

const savedIn = async (memory: MockMemory): Promise<string[]> => {
  const thread = await memory.getThreadById({ threadId: target.thread });
  if (!thread) return [];
  const { messages } = await memory.recall({ threadId: target.thread, resourceId: target.resource });
  return messages.map(({ role, content }) => `${role}: ${content.parts.map((part) => partText(part)).join(' | ')}`);
};

/** The content of a message's part. */
const partText = (part: { type: string }): string => {
  const { text, reasoning, toolInvocation } = part as {
    text?: string;
    reasoning?: string;
    toolInvocation?: Record<string, unknown>;
  };
  const { args, result, state } = toolInvocation ?? {};
  return `${part.type} ${text ?? reasoning ?? JSON.stringify([args, result, state])}`;
};

interface StepRecord {
  readonly text: string;
  readonly reasoningText?: string | undefined;
  readonly tripwire?: unknown;
  readonly files: readonly unknown[];
  readonly toolCalls: readonly unknown[];
  readonly toolResults: readonly unknown[];
  readonly sources: readonly unknown[];
  readonly finishReason?: string | undefined;
  readonly usage?: { readonly inputTokens?: number; readonly outputTokens?: number };
}

const stepOf = ({ text, reasoningText = '', files, toolCalls, toolResults, ...step }: StepRecord): unknown => ({
  text,
  reasoning: reasoningText,
  files: files.map((file) => fileText((file as { payload: { data: unknown } }).payload.data)),
  toolCalls: toolCalls.map((call) => JSON.stringify((call as { payload: { args: unknown } }).payload.args)),
  toolResults: toolResults
    .map((one) => JSON.stringify((one as { payload: { result: unknown } }).payload.result))
    .filter((one) => !invalidCall.test(one))
    .toSorted(),
  sources: step.sources.map((one) => (one as { payload: { title: string } }).payload.title),
  finishReason: step.finishReason,
  usage: [step.usage?.inputTokens, step.usage?.outputTokens],
});

/** The end of a run of Mastra's agent, which has no status. */
interface Ended {
  readonly status?: string;
  readonly error?: Error;
  readonly tripwire?: { readonly reason: string; readonly processorId?: string; readonly phase?: string } | undefined;
  readonly steps: readonly unknown[];
  readonly text: string;
  readonly object?: unknown;
}

const endOf = ({ status, error, tripwire, steps, text, object }: Ended) => {
  if (error) throw error;
  return {
    end: tripwire ? ['tripwire', tripwire.reason, tripwire.processorId, tripwire.phase] : [status ?? 'success'],
    steps: (steps as readonly StepRecord[]).filter((step) => !step.tripwire).map((step) => stepOf(step)),
    text,
    object,
  };
};

interface Settings {
  readonly config?: Partial<InterlockConfig>;
  readonly requireApproval?: boolean;
  /** Whether it is Mastra's own agent. */
  readonly isStock?: boolean;
  /** Whether its guards have a deadline. */
  readonly hasDeadline?: boolean;
}

/** A processor that returns the messages that it gets, as one that limits or counts them does. */
const returning = (id: string): Processor => ({
  id,
  processInput: ({ messages }) => messages.slice(-100),
  processInputStep: ({ messages }) => ({ messages: messages.slice(-100) }),
  processOutputStep: ({ messages }) => messages.slice(-100),
  processOutputResult: ({ messages }) => messages.slice(-100),
});

/** The arrays of an agent, with a processor before and after the guards. */
const surrounded = ({ inputProcessors, outputProcessors, errorProcessors }: Partial<Lanes>) => ({
  inputProcessors: [returning('before'), ...(inputProcessors ?? []), returning('after')],
  outputProcessors: [returning('before'), ...(outputProcessors ?? []), returning('after')],
  ...(errorProcessors && { errorProcessors }),
});

/** A run of an agent, as seen by a reader of its result. */
export const onMastra =
  (run: Run, { config, requireApproval = false, isStock = false, hasDeadline }: Settings = {}) =>
  async (one: Script): Promise<Observed> => {
    const { model, execute, seen } = worldOf(one, 'v2');
    const memory = new MockMemory({ enableMessageHistory: true });
    const events: RunEvent[] = [];
    const call: Call = {
      options: {
        memory: target,
        onRunEvent: (event) => void events.push(event),
        ...(one.requestsObject && { structuredOutput: { schema: answerSchema } }),
      },
      chunks: [],
      objects: [],
    };
    const base = {
      id: 'cashier',
      name: 'Cashier',
      instructions: 'Charge.',
      model,
      memory,
      maxRetries: 0,
      tools: { charge: createTool({ id: 'charge', description, inputSchema, requireApproval, execute }) },
      maxProcessorRetries: one.budget,
    };
    const { lanes, list } = guardsOf(one, { hasDeadline });
    const agent = isStock
      ? new Agent({ ...base, ...(surrounded(list.length > 0 ? guardsFor(list as never) : {}) as object) })
      : new InterlockAgent({ ...base, hold: one.hold, ...surrounded(lanes), ...config });
    const ended = await run(agent as Agent, one.request.join(' '), call)
      .then(endOf)
      .catch((error: Error) => ({
        end: failed(error),
        steps: [],
        text: '',
        object: undefined,
      }));
    const { text, object, ...rest } = ended;
    const { chunks, objects } = call;
    const verdicts = inOrder(events.filter((event) => event.type === 'guard'));
    const partialObjects =
      chunks.length > 0
        ? { emitted: emittedText(chunks), page: pageOf(chunks), objects: [object, objects.at(-1)] }
        : { emitted: text, page: pageOfResult(text, rest.steps), objects: [object, object] };
    return { ...rest, ...partialObjects, ...seen(), verdicts, saved: await savedIn(memory) };
  };
