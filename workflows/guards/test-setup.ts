import { Agent } from '@mastra/core/agent';
import type { InputProcessor, OutputProcessor, Processor } from '@mastra/core/processors';
import { createTool } from '@mastra/core/tools';
import { tool } from 'ai';
import { z } from 'zod';
import { guardedToolLoop, isStopError } from '../../src/ai-sdk/index.js';
import { InterlockAgent } from '../../src/index.js';
import { scriptedModel, type ScriptedStep } from '../../src/testing/index.js';

/** The hosts of a built-in guard. */
export const hosts = ['InterlockAgent', 'Agent', 'guardedToolLoop'] as const;
export type HostName = (typeof hosts)[number];

export interface HostRun {
  readonly steps: readonly ScriptedStep[] | ((call: { prompt: unknown }) => ScriptedStep);
  readonly guards: readonly Processor[];
  /** Tools by name, with their results, or functions of their arguments. */
  readonly tools?: Readonly<Record<string, unknown>>;
  readonly instructions?: string;
  /** The user's message, or a conversation that ends with one. */
  readonly prompt?: string | readonly { readonly role: 'user' | 'assistant'; readonly content: string }[];
}

/** The outcome of a run. */
export interface HostOutcome {
  readonly text: string;
  /** The reason for the stop, or `suspended` if the run waits for an approval. */
  readonly stopped: string | undefined;
  /** The tools that ran, with their arguments. */
  readonly ran: readonly string[];
  readonly prompts: readonly string[];
}

const inputHooks = ['processInput', 'processInputStep', 'processLLMRequest'] as const;
const outputHooks = ['processOutputStream', 'processOutputStep', 'processOutputResult', 'processToolResult'] as const;

/** Runs guards on a host, each in the arrays for its hooks. */
export const runOn = async (host: HostName, run: HostRun): Promise<HostOutcome> => {
  const ran: string[] = [];
  const results = Object.entries(run.tools ?? {});
  const execute = (name: string, result: unknown) => async (args: unknown) => {
    ran.push(`${name} ${JSON.stringify(args)}`);
    if (result instanceof Error) throw result;
    return typeof result === 'function' ? (result as (args: unknown) => unknown)(args) : result;
  };
  const specificationVersion = host === 'guardedToolLoop' ? 'v4' : 'v2';
  const model = scriptedModel({ specificationVersion, steps: run.steps as never }); // the steps of all versions are alike
  const prompt = run.prompt ?? 'Hello';
  const instructions = run.instructions ?? 'You help.';
  const inputSchema = z.record(z.string(), z.unknown());
  const prompts = () => model.calls.map((call) => JSON.stringify(call.prompt));
  if (host === 'guardedToolLoop') {
    const tools = Object.fromEntries(
      results.map(([name, result]) => [name, tool({ inputSchema, execute: execute(name, result) })]),
    );
    const agent = guardedToolLoop({ model, tools, guards: [...run.guards], instructions });
    try {
      const { text } = await agent.generate({ prompt: prompt as string }); // or messages, which it takes, too
      return { text, stopped: undefined, ran, prompts: prompts() };
    } catch (error) {
      if (!isStopError(error)) throw error;
      return { text: '', stopped: error.message, ran, prompts: prompts() };
    }
  }
  const tools = Object.fromEntries(
    results.map(([id, result]) => [id, createTool({ id, description: id, inputSchema, execute: execute(id, result) })]),
  );
  const processors = {
    inputProcessors: run.guards.filter((guard) => inputHooks.some((hook) => guard[hook])) as InputProcessor[],
    outputProcessors: run.guards.filter((guard) => outputHooks.some((hook) => guard[hook])) as OutputProcessor[],
  };
  const options = { id: 'host', name: 'host', instructions, model, tools, ...processors };
  const agent: { generate: (prompt: string, options: object) => Promise<unknown> } =
    host === 'Agent' ? new Agent(options as never) : new InterlockAgent(options); // guards of one hook fit both arrays
  const result = (await agent.generate(prompt as string, { maxSteps: 6 })) as {
    text: string;
    status?: string;
    finishReason?: string;
    tripwire?: { reason?: string };
  };
  const isSuspended = result.status === 'suspended' || result.finishReason === 'suspended';
  return {
    text: result.text,
    stopped: result.tripwire?.reason ?? (isSuspended ? 'suspended' : undefined),
    ran,
    prompts: prompts(),
  };
};
