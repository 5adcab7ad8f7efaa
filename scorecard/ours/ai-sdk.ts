import type { LanguageModelV4Content, LanguageModelV4StreamPart } from '@ai-sdk/provider';
import {
  isStepCount,
  ToolLoopAgent,
  wrapLanguageModel,
  type LanguageModel,
  type LanguageModelMiddleware,
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

const editText = async (guard: Guard, part: LanguageModelV4Content): Promise<LanguageModelV4Content> =>
  part.type === 'text' || part.type === 'reasoning' ? { ...part, text: await carryOut(guard, part.text) } : part;

/** Without a stream, the whole answer is there to judge. */
const ofAnswer = (guard: Guard): Pick<LanguageModelMiddleware, 'wrapGenerate'> => ({
  wrapGenerate: async ({ doGenerate }) => {
    const result = await doGenerate();
    return { ...result, content: await Promise.all(result.content.map((part) => editText(guard, part))) };
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

/** A whole answer is judged when it is complete: in a stream, after its words have gone out. */
const ofSteps = (guard: Guard): LanguageModelMiddleware => ({
  specificationVersion: 'v4',
  ...ofAnswer(guard),
  wrapStream: async ({ doStream }) => {
    const { stream, ...rest } = await doStream();
    let text = '';
    const judged = new TransformStream<LanguageModelV4StreamPart, LanguageModelV4StreamPart>({
      transform: async (part, controller) => {
        if (part.type === 'text-delta') text += part.delta;
        if (part.type === 'finish') await carryOut(guard, text);
        controller.enqueue(part);
      },
    });
    return { stream: stream.pipeThrough(judged), ...rest };
  },
});

const middleware = { input: ofPrompt, request: ofPrompt, stream: ofDeltas, step: ofSteps } as const;

/** A call that a guard blocks needs an approval that nobody gives. */
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
  return new ToolLoopAgent({
    model: wrapped,
    tools: ofCalls.length > 0 ? withApproval(tools, ofCalls) : tools,
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
    'https://ai-sdk.dev/docs/ai-sdk-core/tools-and-tool-calling',
  ],
  hooks: {
    input: ['edit', 'block'],
    request: ['edit', 'block'],
    stream: ['edit', 'block'],
    step: ['edit', 'block'],
    toolCall: ['block'],
  },
  keeps: { history: false, subAgents: true },
  open: (setup) => openSdk(setup, make, isBlock),
};
