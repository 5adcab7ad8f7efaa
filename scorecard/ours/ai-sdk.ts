import type { LanguageModelV4Content, LanguageModelV4StreamPart } from '@ai-sdk/provider';
import {
  isStepCount,
  ToolLoopAgent,
  wrapLanguageModel,
  type LanguageModel,
  type LanguageModelMiddleware,
  type PrepareStepFunction,
  type ToolContent,
  type ToolSet,
} from 'ai';

import { Blocked, type Guard, type Host } from '../host.js';
import { openSdk, type SdkAgent, type SdkParts } from './ai-sdk-agent.js';

const carryOut = async (guard: Guard, text: string): Promise<string> => {
  const verdict = await guard.judge(text);
  if (verdict.kind === 'block') throw new Blocked(verdict.reason);
  return verdict.kind === 'edit' ? verdict.text : text;
};

/** The last question of a prompt is judged, and replaced where the guard edits. */
const ofPrompt = (guard: Guard): LanguageModelMiddleware => ({
  specificationVersion: 'v4',
  transformParams: async ({ params }) => {
    const last = params.prompt.findLast(({ role }) => role === 'user');
    if (last?.role !== 'user') return params;
    const content = await Promise.all(
      last.content.map(async (part) => (part.type === 'text' ? { ...part, text: await carryOut(guard, part.text) } : part)),
    );
    return { ...params, prompt: params.prompt.map((message) => (message === last ? { ...last, content } : message)) };
  },
});

/** Without a stream, the whole answer is there to judge; where a guard edits, each of its texts is replaced. */
const ofAnswer = (guard: Guard): Pick<LanguageModelMiddleware, 'wrapGenerate'> => ({
  wrapGenerate: async ({ doGenerate }) => {
    const result = await doGenerate();
    const whole = result.content.map((part) => ('text' in part ? part.text : '')).join('');
    if ((await carryOut(guard, whole)) === whole) return result;
    const edited = (part: LanguageModelV4Content) =>
      part.type === 'text' ? { ...part, text: part.text.replaceAll(guard.on, guard.to ?? '') } : part;
    return { ...result, content: result.content.map(edited) };
  },
});

const ofDeltas = (guard: Guard): LanguageModelMiddleware => ({
  specificationVersion: 'v4',
  ...ofAnswer(guard),
  wrapStream: async ({ doStream }) => {
    const { stream, ...rest } = await doStream();
    const judged = new TransformStream<LanguageModelV4StreamPart, LanguageModelV4StreamPart>({
      transform: async (part, controller) => {
        const isText = part.type === 'text-delta' || part.type === 'reasoning-delta';
        controller.enqueue(isText ? { ...part, delta: await carryOut(guard, part.delta) } : part);
      },
    });
    return { stream: stream.pipeThrough(judged), ...rest };
  },
});

/** Keeps the text of a block until the block ends, as the documentation's guardrail does, and judges it whole. A step without text is judged when it ends. */
const ofBlocks = (guard: Guard): LanguageModelMiddleware => ({
  specificationVersion: 'v4',
  ...ofAnswer(guard),
  wrapStream: async ({ doStream }) => {
    const { stream, ...rest } = await doStream();
    const buffers = new Map<string, string>();
    let isJudged = false;
    const judged = new TransformStream<LanguageModelV4StreamPart, LanguageModelV4StreamPart>({
      transform: async (part, controller) => {
        if (part.type === 'text-delta' || part.type === 'reasoning-delta') {
          buffers.set(part.id, `${buffers.get(part.id) ?? ''}${part.delta}`);
          return;
        }
        if (part.type === 'text-end' || part.type === 'reasoning-end') {
          isJudged = true;
          const delta = await carryOut(guard, buffers.get(part.id) ?? '');
          controller.enqueue({ type: part.type === 'text-end' ? 'text-delta' : 'reasoning-delta', id: part.id, delta });
        }
        if (!isJudged && (part.type === 'tool-call' || part.type === 'finish')) {
          isJudged = true;
          await carryOut(guard, '');
        }
        controller.enqueue(part);
      },
    });
    return { stream: stream.pipeThrough(judged), ...rest };
  },
});

const ofStream = (guard: Guard): LanguageModelMiddleware => (guard.buffered ? ofBlocks(guard) : ofDeltas(guard));

/** Judges what tools returned before the next request, which is where the documentation changes messages. */
const prepareStep =
  (guards: readonly Guard[]): PrepareStepFunction<ToolSet, Record<string, never>> =>
  async ({ messages }) => {
    const judged = async (part: ToolContent[number]): Promise<ToolContent[number]> => {
      if (part.type !== 'tool-result' || part.output.type !== 'text') return part;
      let { value } = part.output;
      for (const guard of guards) value = await carryOut(guard, value);
      return { ...part, output: { ...part.output, value } };
    };
    return {
      messages: await Promise.all(
        messages.map(async (message) =>
          message.role === 'tool' ? { ...message, content: await Promise.all(message.content.map(judged)) } : message,
        ),
      ),
    };
  };

const middleware = { input: ofPrompt, request: ofPrompt, stream: ofStream, step: ofBlocks } as const;

/** A call that a guard blocks needs an approval, and there is none. */
const withApproval = (tools: ToolSet, guards: readonly Guard[]): ToolSet =>
  Object.fromEntries(
    Object.entries(tools).map(([name, it]) => [
      name,
      {
        ...it,
        needsApproval: async (input: unknown) => {
          for (const guard of guards) if ((await guard.judge(JSON.stringify(input))).kind === 'block') return true;
          return false;
        },
      },
    ]),
  );

const make = ({ model, tools, guards }: SdkParts): SdkAgent => {
  const around = guards.flatMap((guard) =>
    guard.at in middleware ? [middleware[guard.at as keyof typeof middleware](guard)] : [],
  );
  const wrapped = around.reduceRight<LanguageModel>(
    (inner, one) => wrapLanguageModel({ model: inner as never, middleware: one }),
    model,
  );
  const ofCalls = guards.filter(({ at }) => at === 'toolCall');
  const ofResults = guards.filter(({ at }) => at === 'toolResult');
  return new ToolLoopAgent({
    model: wrapped,
    tools: ofCalls.length > 0 ? withApproval(tools, ofCalls) : tools,
    ...(ofResults.length > 0 && { prepareStep: prepareStep(ofResults) as never }),
    stopWhen: isStepCount(5),
    maxRetries: 0,
    onError: () => {},
  });
};

const isBlock = (error: unknown): boolean => error instanceof Blocked || (error instanceof Error && isBlock(error.cause));

export const host: Host = {
  id: 'ai-sdk',
  name: 'AI SDK',
  packages: ['ai'],
  docs: [
    'https://ai-sdk.dev/docs/ai-sdk-core/middleware',
    'https://ai-sdk.dev/docs/agents/building-agents',
    'https://ai-sdk.dev/docs/agents/loop-control',
    'https://ai-sdk.dev/docs/ai-sdk-core/tools-and-tool-calling',
  ],
  hooks: {
    input: ['edit', 'block'],
    request: ['edit', 'block'],
    stream: ['edit', 'block'],
    step: ['edit', 'block'],
    toolCall: ['block'],
    toolResult: ['edit', 'block'],
  },
  buffers: true,
  keeps: { history: false, subAgents: true },
  open: (setup) => openSdk(setup, make, isBlock),
};
