import type { MastraDBMessage, MessageList } from '@mastra/core/agent/message-list';
import { ProcessorStepSchema } from '@mastra/core/processors';
import { RequestContext } from '@mastra/core/request-context';
import { createStep, createWorkflow } from '@mastra/core/workflows';
import { describe, expect, it } from 'vitest';

import { callThen, echo, modes, type Mode } from '../mastra/support.js';
import { agentOf, openDisk, target } from '../memory/support.js';
import { partsText, processor, processorWith, type Args } from './hooks.js';

/** Messages by role, text and other parts. Mastra opens the next step of an answer earlier than the loop does. */
const described = (messages: unknown): string[] =>
  (messages as MastraDBMessage[]).map((message) => {
    const others = message.content.parts.map(({ type }) => type).filter((type) => type !== 'text' && type !== 'step-start');
    return `${message.role}: ${[partsText(message), ...others].join(' ')}`;
  });

const contentsOf = (messages: unknown): string[] =>
  (messages as { content: unknown }[]).map(({ content }) => String(content).split('\n', 1).join());

/** The times that Mastra writes into prompts differ from run to run. */
const untimed = (prompt: unknown): unknown =>
  JSON.parse(JSON.stringify(prompt, (key, value: unknown) => (key === 'createdAt' ? 'time' : value)) ?? 'null');

interface View {
  readonly hook?: string;
  readonly turn?: string;
  readonly [field: string]: unknown;
}

/**
 * Only the loop passes system messages to `processOutputResult`. To `processToolResult` and `processAPIError` Mastra also passes tagged
 * ones, and repeats them in the prompt if the hook returns them.
 */
const hooksWithEqualSystem = new Set(['processInput', 'processInputStep', 'processOutputStep']);

/** The part of the conversation that a hook can read. */
const viewOf = (hook: string, args: Args): View => {
  const list = args['messageList'] as MessageList | undefined;
  return {
    hook,
    prompt: untimed(args['prompt']),
    ...(args['messages'] !== undefined && { messages: described(args['messages']) }),
    ...(hooksWithEqualSystem.has(hook) && { system: contentsOf(args['systemMessages']) }),
    ...(list && {
      all: described(list.get.all.db()),
      input: described(list.get.input.db()),
      remembered: described(list.get.remembered.db()),
      response: described(list.get.response.db()),
      tagged: contentsOf(list.getAllSystemMessages()),
    }),
  };
};

const shapes = {
  'one processor': (one: object) => [one],
  'two processors': (one: object) => [
    { id: 'first', processInput: ({ messages }: Args) => messages, processOutputResult: ({ messages }: Args) => messages },
    one,
  ],
  'a workflow': (one: object) => [
    createWorkflow({ id: 'flow', inputSchema: ProcessorStepSchema, outputSchema: ProcessorStepSchema })
      .then(createStep(one as never))
      .commit(),
  ],
};
type Shape = keyof typeof shapes;

/** Mastra reports a failed call as a response and prepares its step again; the loop repeats the call, as the documents say. */
const isExtra = (view: View, index: number, seen: readonly View[]): boolean =>
  (view.hook === 'processLLMResponse' && seen[index + 1]?.hook === 'processAPIError') ||
  (view.hook === 'processInputStep' && seen[index - 1]?.hook === 'processAPIError');

const views = async (kind: 'stock' | 'interlock', mode: Mode, shape: Shape): Promise<object[]> => {
  const seen: View[] = [];
  const keep = (hook: string, args: Args): void => void (hook !== 'processOutputStream' && seen.push(viewOf(hook, args)));
  const { processAPIError: _own, ...watching } = processorWith({}, keep);
  const retrying = processor({
    processAPIError: (args) => {
      keep('processAPIError', args);
      return { retry: true };
    },
  });
  const guards = shapes[shape](watching);
  const steps = [{ text: 'One.' }, ...callThen('echo', { say: 'hi' }), { error: new Error('busy') }, { text: 'Three.' }];
  const memory = openDisk().memory({ options: { workingMemory: { enabled: true } } });
  const config = { tools: { echo }, memory, inputProcessors: guards, outputProcessors: guards, errorProcessors: [retrying] };
  const { agent } = agentOf(kind, steps, config);
  for (const turn of ['First', 'Second', 'Third']) {
    seen.push({ turn });
    const { text } = await agent[mode](turn, { memory: target, requestContext: new RequestContext() });
    await text;
  }
  return seen.filter((view, index) => !isExtra(view, index, seen));
};

describe.each(modes)('the part of a conversation with memory that hooks read, %s', (mode) => {
  it.each(Object.keys(shapes) as Shape[])('is the same as in Mastra’s agent: %s', async (shape) => {
    expect(await views('interlock', mode, shape)).toEqual(await views('stock', mode, shape));
  });
});
