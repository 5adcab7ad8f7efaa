import type { MastraDBMessage } from '@mastra/core/agent/message-list';
import type { Processor } from '@mastra/core/processors';
import type { Agent } from '@mastra/core/agent';
import { InterlockError, messageOf } from '../../errors.js';
import { rethrowInterruption } from '../../loop/interruption.js';
import { textOf } from '../../loop/response.js';
import type { RunOptions } from '../../loop/run.js';
import { compileLane, laneId } from '../workflow/guards.js';
import { readOutputSchema } from './output-schema.js';
import type { StructuredOutput } from './structured-output-options.js';

export const structuredOutputId = 'structured-output';

/** The note in the metadata of the last message of an accepted response with an object. */
interface ObjectMetadata {
  readonly structuredOutput?: unknown;
  readonly interlock?: { readonly usedFallbackValue?: boolean };
}

type Found = { readonly value: unknown; readonly issues?: undefined } | { readonly issues: readonly string[] };

/**
 * The last guard of a run with structured output. It parses the object from the text after the other guards, or has another model
 * create it from that text. A mismatch causes a retry with the reason, within the retry budget. Afterwards `errorStrategy`
 * decides the outcome.
 */
const createObjectGuard = (asked: StructuredOutput, maxRetries: number, structure: Structure | undefined): Processor => ({
  id: structuredOutputId,
  name: 'Structured Output',
  processOutputResult: async ({ messages, retryCount, abort, result, ...call }) => {
    const text = lastText(messages);
    if (text === '' && result.finishReason === 'tool-calls') return messages; // the step limit ended the run before an answer
    if (structure) {
      const { object, tripwire, problem } = await structured(structure, { messages, ...call });
      if (tripwire) abort(tripwire.reason, { metadata: tripwire.metadata });
      return problem === undefined ? withMetadata(messages, { structuredOutput: object }) : giveUp(asked, messages, problem);
    }
    const found = await readEdited(asked, { text, answer: result.steps.at(-1)?.text ?? text });
    if (!found.issues) return withMetadata(messages, { structuredOutput: found.value });
    const problem = found.issues.join('; ');
    if (retryCount < maxRetries) abort(`The answer does not fit its schema: ${problem}`, { retry: true });
    return giveUp(asked, messages, problem);
  },
});

const structured = async (structure: Structure, answer: AcceptedAnswer): Promise<Structured & { readonly problem?: string }> => {
  try {
    return await structure(answer);
  } catch (error) {
    rethrowInterruption(error);
    if (answer.abortSignal?.aborted) throw error;
    return { problem: messageOf(error) };
  }
};

/**
 * Reads the text that guards left of an answer. If they added words, such as a footer, the object is among them, with their edits; if
 * they quoted the whole message as JSON, the answer is in it as it was.
 */
const readEdited = async (asked: StructuredOutput, { text, answer }: { text: string; answer: string }): Promise<Found> => {
  const whole = await read(asked, text);
  if (!whole.issues || text === answer) return whole;
  const quoted = text.includes(JSON.stringify(answer).slice(1, -1)) ? [answer] : [];
  for (const value of [...valuesIn(text), ...quoted]) {
    const found = await read(asked, value);
    if (!found.issues) return found;
  }
  return whole;
};

/** The objects and lists in a text. */
function* valuesIn(text: string): Generator<string> {
  let [start, depth, isQuoted] = [0, 0, false];
  for (let at = 0; at < text.length; at += 1) {
    const sign = text.charAt(at);
    if (isQuoted && sign === '\\') at += 1;
    else if (sign === '"') isQuoted = depth > 0 && !isQuoted;
    else if (!isQuoted && '{['.includes(sign) && ++depth === 1) start = at;
    else if (!isQuoted && depth > 0 && '}]'.includes(sign) && --depth === 0) yield text.slice(start, at + 1);
  }
}

const read = async ({ schema }: StructuredOutput, text: string): Promise<Found> => {
  try {
    return await readOutputSchema(schema).check(JSON.parse(withoutFence(text)));
  } catch (error) {
    return { issues: [`it is no JSON: ${messageOf(error)}`] };
  }
};

const giveUp = (
  { errorStrategy = 'strict', fallbackValue, logger }: StructuredOutput,
  messages: MastraDBMessage[],
  problem: string,
): MastraDBMessage[] => {
  switch (errorStrategy) {
    case 'strict':
      throw new InterlockError('output/invalid-object', { detail: problem });
    case 'warn':
      logger?.warn(`The answer does not fit its schema: ${problem}`);
      return messages;
    case 'fallback':
      return withMetadata(messages, { structuredOutput: fallbackValue, interlock: { usedFallbackValue: true } });
    default:
      return errorStrategy satisfies never;
  }
};

/** The text after the last tool call: the answer itself. */
const lastText = (messages: readonly MastraDBMessage[]): string => {
  const { parts = [] } = messages.findLast(({ role }) => role === 'assistant')?.content ?? {};
  return textOf(parts.slice(parts.findLastIndex(({ type }) => type === 'tool-invocation') + 1));
};

/**
 * Removes a code block around JSON, which many models add. The expression matches only its first line: over a whole response it
 * would backtrack, and take minutes for thousands of empty lines.
 */
const withoutFence = (text: string): string => {
  const answer = text.trim();
  const opening = /^```(?:json)?[^\S\n]*\n/.exec(answer)?.[0].length ?? Infinity;
  return answer.endsWith(fence) && opening + fence.length <= answer.length ? answer.slice(opening, -fence.length) : text;
};

const fence = '```';

const withMetadata = (messages: MastraDBMessage[], metadata: ObjectMetadata): MastraDBMessage[] => {
  const last = messages.findLastIndex(({ role }) => role === 'assistant');
  return messages.map((message, index) => {
    const { content } = message;
    return index === last ? { ...message, content: { ...content, metadata: { ...content.metadata, ...metadata } } } : message;
  });
};

interface ObjectPlanOptions {
  readonly agentId: string;
  readonly maxRetries: number;
  readonly recordEdits: boolean | undefined;
  /** For a `structuredOutput` with its own model. */
  readonly structure: (structuredOutput: StructuredOutput) => Structure;
}

/**
 * The plan for the object of the last step: parsed from the text after all guards, or created from it by another model. Undefined
 * without structured output.
 */
export const objectPlanOf =
  ({ agentId, maxRetries, recordEdits, structure }: ObjectPlanOptions): RunOptions['objectPlan'] =>
  ({ structuredOutput }) => {
    const settings: StructuredOutput | undefined = structuredOutput; // checked with the call's options
    if (!settings) return undefined;
    const guard = createObjectGuard(settings, maxRetries, settings.model ? structure(settings) : undefined);
    return compileLane([guard], laneId(agentId, 'output'), recordEdits);
  };

type HookArguments = Parameters<NonNullable<Processor['processOutputResult']>>[0];

/** An accepted answer with the context of its run. */
type AcceptedAnswer = Pick<HookArguments, 'messages' | 'requestContext' | 'abortSignal' | 'tracingContext'>;

/** The object that another model created from an answer, or the tripwire of a guard that rejected it. */
export interface Structured {
  readonly object?: unknown;
  readonly tripwire?: { readonly reason: string; readonly metadata?: unknown } | undefined;
}

/** Creates an object from an accepted answer. Rejects if the model fails or its object does not match the schema. */
type Structure = (answer: AcceptedAnswer) => Promise<Structured>;

const words =
  'You turn text into data. Answer with JSON alone that fits the schema. Use what the text says, with its meaning and details; where it does not say something, use null or leave the field out.';

/**
 * Calls `structuredOutput.model` in a separate run, which the agent's output guards judge.
 *
 * @param createAgent builds another agent of the same class
 * @param guards its options for output guards
 */
export const structureWith = (createAgent: (config: object) => Agent, guards: object, settings: StructuredOutput): Structure => {
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
