import type { Agent } from '@mastra/core/agent';
import type { MastraDBMessage } from '@mastra/core/agent/message-list';
import type { Processor } from '@mastra/core/processors';
import type { StructuredOutput } from './structured-output-options.js';

type HookArguments = Parameters<NonNullable<Processor['processOutputResult']>>[0];

/** An accepted answer, and the run that it is of. */
export type AcceptedAnswer = Pick<HookArguments, 'messages' | 'requestContext' | 'abortSignal' | 'tracingContext'>;

/** The object that another model made of an answer, or why a guard rejected it. */
export interface Structured {
  readonly object?: unknown;
  readonly tripwire?: { readonly reason: string; readonly metadata?: unknown } | undefined;
}

/** Makes an object of an accepted answer. Rejects where the model fails, or gives no object that fits the schema. */
export type Structure = (answer: AcceptedAnswer) => Promise<Structured>;

/** The agent that asks for an object. */
interface StructuringHost {
  /** Builds another agent of the same class. */
  readonly createAgent: (config: object) => Agent;
  /** Its options that judge its output. */
  readonly guards: object;
}

const words =
  'You turn text into data. Answer with JSON alone that fits the schema. Use what the text says, with its meaning and details; where it does not say something, use null or leave the field out.';

/** Asks the model of `structuredOutput.model`, in a run of its own that the guards of the agent's output judge. */
export const structureWith = ({ createAgent, guards }: StructuringHost, asked: StructuredOutput): Structure => {
  const { model, instructions = words, schema, jsonPromptInjection, providerOptions } = asked;
  const agent = createAgent({ id: 'structured-output', name: 'Structured Output', instructions, model, ...guards });
  return async ({ messages, requestContext, abortSignal, tracingContext }) => {
    const structuredOutput = { schema: schema as never, jsonPromptInjection };
    const given = { structuredOutput, providerOptions: providerOptions as never, requestContext, abortSignal, tracingContext };
    return agent.generate(`Write down what this answer says:\n\n${inWords(messages)}`, given);
  };
};

/** An answer with the tool calls that led to it. */
const inWords = (messages: readonly MastraDBMessage[]): string =>
  messages.flatMap(({ content }) => content.parts.flatMap(partInWords)).join('\n\n');

const partInWords = (part: MastraDBMessage['content']['parts'][number]): string[] => {
  if (part.type === 'text') return [part.text];
  if (part.type !== 'tool-invocation' || part.toolInvocation.state !== 'result') return [];
  const { toolName, args, result } = part.toolInvocation;
  return [`${toolName}(${JSON.stringify(args)}): ${JSON.stringify(result)}`];
};
