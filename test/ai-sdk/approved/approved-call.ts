import {
  createAgentUIStream,
  generateText,
  isStepCount,
  streamText,
  tool,
  type ModelMessage,
  type TextStreamPart,
  type ToolSet,
  type UIMessage,
} from 'ai';
import { z } from 'zod';
import { toolSecretsGuard } from '../../../workflows/guards/index.js';
import {
  createGuardedRun,
  guardedToolLoop,
  guardSettings,
  guardTools,
  toPrepareStep,
  toStreamTransform,
  withGuards,
} from '../../../src/ai-sdk/index.js';
import type { Phase, PipelineStep } from '../../../src/index.js';
import { scriptedModel, type ScriptedCall } from '../../../src/testing/index.js';
import { guardOn, tripping, type HookArgs } from '../support.js';

/** The entrances of the AI SDK to a call that an earlier run requested, and a person approved. */
export const approvedWays = [
  'agent.generate',
  'agent.stream',
  'createAgentUIStream',
  'generateText',
  'streamText',
  'streamText of adapters',
] as const;
export type ApprovedWay = (typeof approvedWays)[number];

const isCall = ({ part }: HookArgs): boolean => part?.type === 'tool-call';
const isResult = ({ part }: HookArgs): boolean => part?.type === 'tool-result';
const failing = (phase: Phase, when?: (args: HookArgs) => boolean) =>
  guardOn(phase, () => Promise.reject(new Error('out of order')), { when: when ?? (() => true) });

/** Guards that stop the run of an approved call, before or after its tool runs. */
export const kinds = {
  'input blocks': () => tripping('input'),
  'input fails': () => failing('input'),
  'input retries': () => guardOn('input', ({ abort }) => abort('again', { retry: true })),
  'call blocked in the stream': () => tripping('outputStream', { when: isCall }),
  'call fails a guard of the stream': () => failing('outputStream', isCall),
  'step blocks': () => tripping('outputStep'),
  'step fails': () => failing('outputStep'),
  'step retries': () => guardOn('outputStep', ({ abort }) => abort('again', { retry: true })),
  toolSecretsGuard: () => toolSecretsGuard(),
  'result blocks': () => tripping('toolResult'),
  'result fails': () => failing('toolResult'),
  'result blocked in the stream': () => tripping('outputStream', { when: isResult }),
  'preparation blocks': () => tripping('inputStep'),
  'the first response blocks': () => tripping('outputStream'),
} as const satisfies Record<string, () => PipelineStep>;

export interface Approved {
  /** The arguments that the tool ran with. */
  readonly ran: readonly unknown[];
  /** The name of the error that the caller gets. */
  readonly error: string | undefined;
  readonly modelCalls: number;
  /** The prompt of the first model call. */
  readonly prompt: ScriptedCall<'v4'>['prompt'] | undefined;
}

const secret = `sk-proj-${'a1B2c3D4'.repeat(6)}`;

/** The conversation after the approvals of calls, as a client sends it. */
export const approvedMessages = (inputs: readonly object[] = [{ amount: 9000, note: secret }]): ModelMessage[] => [
  { role: 'user', content: 'Please pay.' },
  {
    role: 'assistant',
    content: inputs.flatMap((input, index) => [
      { type: 'tool-call', toolCallId: `call-${index}`, toolName: 'pay', input } as const,
      { type: 'tool-approval-request', approvalId: `approval-${index}`, toolCallId: `call-${index}` } as const,
    ]),
  },
  {
    role: 'tool',
    content: inputs.map(
      (_, index) => ({ type: 'tool-approval-response', approvalId: `approval-${index}`, approved: true }) as const,
    ),
  },
];

const uiMessages = (inputs: readonly object[]): UIMessage[] => [
  { id: 'u', role: 'user', parts: [{ type: 'text', text: 'Please pay.' }] },
  {
    id: 'a',
    role: 'assistant',
    parts: inputs.map((input, index) => ({
      type: 'tool-pay',
      toolCallId: `call-${index}`,
      state: 'approval-responded',
      input,
      approval: { id: `approval-${index}`, approved: true },
    })) as never, // of the tool's types
  },
];

/** Runs approved calls of a tool to the end, in one way. */
export const runApproved = async (
  way: ApprovedWay,
  guards: PipelineStep | readonly PipelineStep[],
  { inputs = [{ amount: 9000, note: secret }], instructions }: { inputs?: readonly object[]; instructions?: string } = {},
): Promise<Approved> => {
  const ran: unknown[] = [];
  const model = scriptedModel({ specificationVersion: 'v4', steps: [{ text: ['Paid.'] }] });
  const tools = {
    pay: tool({
      inputSchema: z.object({ amount: z.number(), note: z.string().optional() }),
      needsApproval: true,
      execute: (input) => {
        ran.push(input);
        return 'paid';
      },
    }),
  };
  const base = { model, tools, stopWhen: isStepCount(3), maxRetries: 0, onError: () => undefined, instructions };
  const messages = approvedMessages(inputs);
  const pipeline = [guards].flat() as readonly PipelineStep[];
  const run = createGuardedRun(pipeline);
  const agent = () => guardedToolLoop({ ...base, guards: pipeline });
  const read = async (result: { stream: AsyncIterable<unknown>; text: PromiseLike<unknown> }): Promise<void> => {
    let error: Error | undefined;
    for await (const part of result.stream) if (isError(part)) error = part.error as Error; // a stop of the run
    await result.text;
    if (error !== undefined) throw error;
  };
  const streamed = (settings: object): Promise<void> =>
    read(streamText({ ...base, ...settings, messages, experimental_transform: toStreamTransform(run) as never }));
  const calls: Record<ApprovedWay, () => Promise<unknown>> = {
    'agent.generate': async () => agent().generate({ messages }),
    'agent.stream': async () => read(await agent().stream({ messages })),
    createAgentUIStream: async () => {
      const onError = (error: unknown): string => (error as Error).name;
      const stream = await createAgentUIStream({ agent: agent(), uiMessages: uiMessages(inputs), onError });
      let name: string | undefined;
      for await (const chunk of stream)
        if (chunk.type === 'error') name = chunk.errorText;
        else if (chunk.type === 'data-tripwire') name = 'TripwireError';
      if (name) throw Object.assign(new Error(name), { name });
    },
    generateText: async () => {
      await generateText({ ...base, ...guardSettings(base, run), messages });
      await run.finish();
    },
    streamText: () => streamed(guardSettings(base, run)),
    'streamText of adapters': () =>
      streamed({ model: withGuards(model, run), tools: guardTools(tools, run), prepareStep: toPrepareStep(run) }),
  };
  const error = await calls[way]().then(
    () => undefined,
    (reason: unknown) => (reason as Error).name,
  );
  return { ran, error, modelCalls: model.calls.length, prompt: model.calls[0]?.prompt };
};

const isError = (part: unknown): part is Extract<TextStreamPart<ToolSet>, { type: 'error' }> =>
  (part as { type: string }).type === 'error';
