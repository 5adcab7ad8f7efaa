import type { Agent } from '@mastra/core/agent';
import type { MastraDBMessage } from '@mastra/core/agent/message-list';
import type { Processor } from '@mastra/core/processors';
import type { StructuredOutput } from './structured-output-options.js';

type HookArguments = Parameters<NonNullable<Processor['processOutputResult']>>[0];

/** An accepted answer with the context of its run. */
export type AcceptedAnswer = Pick<HookArguments, 'messages' | 'requestContext' | 'abortSignal' | 'tracingContext'>;

/** The object that another model created from an answer, or the tripwire of a guard that rejected it. */
export interface Structured {
  readonly object?: unknown;
  readonly tripwire?: { readonly reason: string; readonly metadata?: unknown } | undefined;
}

/** Creates an object from an accepted answer. Rejects if the model fails or its object does not match the schema. */
export type Structure = (answer: AcceptedAnswer) => Promise<Structured>;

/** The agent whose answers are structured. */
interface StructuringHost {
  /** Builds another agent of the same class. */
  readonly createAgent: (config: object) => Agent;
  /** Its options for output guards. */
  readonly guards: object;
}

const words =
  'You turn text into data. Answer with JSON alone that fits the schema. Use what the text says, with its meaning and details; where it does not say something, use null or leave the field out.';

/** Calls `structuredOutput.model` in a separate run, which the agent's output guards judge. */
export const structureWith = ({ createAgent, guards }: StructuringHost, settings: StructuredOutput): Structure => {
  const { model, instructions = words, schema, jsonPromptInjection, providerOptions } = settings;
  const agent = createAgent({ id: 'structured-output', name: 'Structured Output', instructions, model, ...guards });
  return async ({ messages, requestContext, abortSignal, tracingContext }) => {
    const structuredOutput = { schema: schema as never, jsonPromptInjection };
    const callOptions = {
      structuredOutput,
      providerOptions: providerOptions as never,
      requestContext,
      abortSignal,
      tracingContext,
    };
    const request = `Write down what this answer says:\n\n${inWords(messages)}`;
    const stream = await agent.stream(request, callOptions); // in both modes, as in Mastra: some providers serve only streams
    return stream.getFullOutput();
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
