import { z } from 'zod';
import type { MessageList } from '@mastra/core/agent/message-list';
import type {
  ProcessInputStepArgs,
  ProcessInputStepResult,
  ProcessLLMRequestArgs,
  ProcessLLMResponseArgs,
  ProcessOutputStepArgs,
} from '@mastra/core/processors';
import { byReference, openObject } from './open-object.js';

type StepArg<K extends keyof ProcessInputStepArgs> = NonNullable<ProcessInputStepArgs[K]>;

/** The types that payloads take over from Mastra's hooks, so that what a payload carries fits the hook as it is. */
export interface HostTypes {
  messageList: MessageList;
  systemMessage: ProcessInputStepArgs['systemMessages'][number];
  steps: StepArg<'steps'>;
  /** As a hook may choose it: a model, a router id or a config. */
  model: NonNullable<ProcessInputStepResult['model']>;
  tools: StepArg<'tools'>;
  toolChoice: StepArg<'toolChoice'>;
  providerOptions: StepArg<'providerOptions'>;
  modelSettings: StepArg<'modelSettings'>;
  structuredOutput: StepArg<'structuredOutput'>;
  rotateResponseMessageId: StepArg<'rotateResponseMessageId'>;
  prompt: ProcessLLMRequestArgs['prompt'];
  /** Ready to be called. */
  calledModel: ProcessLLMRequestArgs['model'];
  chunks: ProcessLLMResponseArgs['chunks'];
  warnings: NonNullable<ProcessLLMResponseArgs['warnings']>;
  toolCalls: NonNullable<ProcessOutputStepArgs['toolCalls']>;
  providerMetadata: NonNullable<ProcessOutputStepArgs['providerMetadata']>;
}

/**
 * The schema of a value of a host type. An interface, not an alias, because a declaration file can name it where it cannot
 * name types that @mastra/core keeps to itself.
 */
export interface HostField<K extends keyof HostTypes> extends z.ZodType<HostTypes[K], HostTypes[K]> {}

/**
 * A field that Mastra's schema of the same phase strips unread. What does not fit is dropped rather than rejected, so that
 * every payload that is good enough for Mastra is good enough here.
 */
const lenient = <S extends z.ZodType>(field: S): z.ZodOptional<S> =>
  // A dropped value reads as undefined, which an optional field may be anyway.
  field.optional().catch(undefined).optional() as unknown as z.ZodOptional<S>;

/** JSON Schema keywords for what zod cannot derive: they tell a form what to offer and check nothing. */
type FormHint = Record<string, unknown>;

/**
 * Something that only its owner can judge, such as a MessageList or a model: carried by reference, unchecked and optional.
 * null counts as absent, since forms and JSON say it that way.
 */
export const held = <K extends keyof HostTypes>(description: string, hint: FormHint = {}): z.ZodOptional<HostField<K>> =>
  lenient<HostField<K>>(z.custom<HostTypes[K]>((value) => value !== null)).meta({ ...hint, description });

const isRecord = (value: unknown): boolean => typeof value === 'object' && value !== null && !Array.isArray(value);

/** An object with any fields, by reference. */
export const recordField = z
  .custom<Record<string, unknown>>(isRecord, 'expected an object')
  .meta({ type: 'object', additionalProperties: true });

const systemMessage: HostField<'systemMessage'> = byReference(
  openObject({
    role: z.enum(['system', 'user', 'assistant', 'tool']).describe('The role; nearly always system.'),
    content: z
      .unknown()
      .meta({ anyOf: [{ type: 'string' }, { type: 'array' }] })
      .describe('The instruction: text, or a list of parts.'),
  }),
);

/** For what only code can give: a form leaves it out. */
export const codeOnly: FormHint = { readOnly: true };

/** Fields that every phase has. */
export const sharedFields = {
  retryCount: z.number().optional().describe('The number of retries granted so far in this run.'),
  state: recordField.optional().describe('State that a processor keeps during one run.'),
  steps: held<'steps'>('The steps completed so far.', { type: 'array' }),
  systemMessages: z.array(systemMessage).optional().describe('The instructions for the model.'),
  runId: z.string().optional().describe('The id of the run.'),
  messageId: z.string().optional().describe('The id of the response in progress.'),
};

/** The same, for phases where Mastra's schema reads none but `retryCount`. */
export const lenientFields = {
  ...sharedFields,
  state: lenient(recordField).describe('State that a processor keeps during one run.'),
  systemMessages: lenient(z.array(systemMessage)).describe('The instructions for the model.'),
  runId: lenient(z.string()).describe('The id of the run.'),
  messageId: lenient(z.string()).describe('The id of the response in progress.'),
};
