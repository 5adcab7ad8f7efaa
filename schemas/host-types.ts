import type { MessageList } from '@mastra/core/agent/message-list';
import type {
  ProcessInputStepArgs,
  ProcessInputStepResult,
  ProcessLLMRequestArgs,
  ProcessLLMResponseArgs,
  ProcessOutputStepArgs,
} from '@mastra/core/processors';
import type { z } from 'zod';

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
