import {
  Agent,
  InputGuardrailTripwireTriggered,
  MemorySession,
  OpenAIChatCompletionsModel,
  OutputGuardrailTripwireTriggered,
  Runner,
  tool,
  ToolInputGuardrailTripwireTriggered,
  ToolOutputGuardrailTripwireTriggered,
} from '@openai/agents';
import OpenAI from 'openai';
import { z } from 'zod';

import { Blocked, type At, type Guard, type Host, type Outcome, type Reader } from '../host.js';

const blocks = async (guard: Guard, text: string) => ({
  tripwireTriggered: (await guard.judge(text)).kind === 'block',
  outputInfo: guard.id,
});
const at = (guards: readonly Guard[], place: At) => guards.filter((guard) => guard.at === place);

const textOfInput = (input: unknown): string =>
  typeof input === 'string' ? input : JSON.stringify((input as readonly unknown[]).at(-1));

/** A tool guardrail that blocks ends the run, as the documentation does for violations that must not go on. */
const toolGuards = (guards: readonly Guard[], place: At, textOf: (data: never) => string) =>
  at(guards, place).map((guard) => ({
    name: guard.id,
    run: async (data: never) => {
      const { kind } = await guard.judge(textOf(data));
      return {
        behavior: kind === 'block' ? ({ type: 'throwException' } as const) : ({ type: 'allow' } as const),
        outputInfo: guard.id,
      };
    },
  }));

const tripwires = [
  InputGuardrailTripwireTriggered,
  OutputGuardrailTripwireTriggered,
  ToolInputGuardrailTripwireTriggered,
  ToolOutputGuardrailTripwireTriggered,
  Blocked,
];

const failed = (error: unknown): Outcome => ({
  ended: tripwires.some((kind) => error instanceof kind) ? 'blocked' : 'failed',
  answer: '',
  result: error instanceof Error ? error.message : error,
});

interface RawEvent {
  readonly type: string;
  readonly data?: {
    readonly type: string;
    readonly delta?: string;
    readonly event?: {
      choices?: { delta?: { tool_calls?: { function?: { arguments?: string } }[]; reasoning_content?: string } }[];
    };
  };
}

const show = ({ type, data }: RawEvent, reader: Reader): void => {
  if (type !== 'raw_model_stream_event' || !data) return;
  if (data.type === 'output_text_delta') reader.show(data.delta ?? '');
  const delta = data.type === 'model' ? data.event?.choices?.[0]?.delta : undefined;
  for (const call of delta?.tool_calls ?? []) reader.also(call.function?.arguments ?? '');
  reader.also(delta?.reasoning_content ?? '');
};

export const host: Host = {
  id: 'openai-agents',
  name: 'OpenAI Agents SDK',
  packages: ['@openai/agents'],
  docs: [
    'https://openai.github.io/openai-agents-js/guides/guardrails/',
    'https://openai.github.io/openai-agents-js/guides/running-agents/',
  ],
  hooks: { input: ['block'], request: ['block'], toolCall: ['block'], toolResult: ['block'], answer: ['block'] },
  sideBySide: true,
  keeps: { history: true, subAgents: true },
  open: ({ baseUrl, guards, tools, child }) => {
    const client = new OpenAI({ baseURL: baseUrl, apiKey: 'none', maxRetries: 0 });
    const model = new OpenAIChatCompletionsModel(client as never, 'local-model');
    const agentOf = (name: string, its: readonly Guard[], itsTools: unknown[]) =>
      new Agent({
        name,
        instructions: 'Help.',
        model,
        tools: itsTools as never,
        inputGuardrails: at(its, 'input').map((guard) => ({
          name: guard.id,
          runInParallel: false,
          execute: ({ input }: { input: unknown }) => blocks(guard, textOfInput(input)),
        })),
        outputGuardrails: at(its, 'answer').map((guard) => ({
          name: guard.id,
          execute: ({ agentOutput }: { agentOutput: unknown }) => blocks(guard, String(agentOutput)),
        })),
      } as never);
    const own = tools.map(({ name, run }) =>
      tool({
        name,
        description: name,
        parameters: z.object({ text: z.string() }),
        execute: run,
        inputGuardrails: toolGuards(
          guards,
          'toolCall',
          ({ toolCall }: { toolCall: { arguments: string } }) => toolCall.arguments,
        ) as never,
        outputGuardrails: toolGuards(guards, 'toolResult', ({ output }: { output: unknown }) => String(output)) as never,
      }),
    );
    const helper = child && agentOf(child.name, child.guards, []).asTool({ toolName: child.name, toolDescription: 'Helps.' });
    const agent = agentOf('agent', guards, helper ? [...own, helper] : own);
    const session = new MemorySession();
    const filter = at(guards, 'request');
    const runner = new Runner({
      tracingDisabled: true,
      ...(filter.length > 0 && {
        callModelInputFilter: async ({ modelData }: { modelData: { input: unknown[] } }) => {
          for (const guard of filter)
            if ((await guard.judge(textOfInput(modelData.input))).kind === 'block') throw new Blocked(guard.id);
          return modelData as never;
        },
      }),
    });
    return {
      generate: async (prompt, signal) => {
        try {
          const result = await runner.run(agent, prompt, { session, signal, maxTurns: 5 });
          return {
            ended: 'completed',
            answer: String(result.finalOutput ?? ''),
            result: { output: result.output, history: result.history },
          };
        } catch (error) {
          return failed(error);
        }
      },
      stream: async (prompt, signal, reader) => {
        try {
          const result = await runner.run(agent, prompt, { session, signal, maxTurns: 5, stream: true });
          for await (const event of result as AsyncIterable<unknown>) show(event as RawEvent, reader);
          await result.completed;
          reader.end();
          return { ended: 'completed', answer: String(result.finalOutput ?? ''), result: { output: result.output } };
        } catch (error) {
          reader.end();
          return failed(error);
        }
      },
      history: () => session.getItems(),
    };
  },
};
