import type { AgentConfig, AgentExecutionOptionsBase, ToolsInput } from '@mastra/core/agent';
import type { MessageListInput } from '@mastra/core/agent/message-list';
import type { MastraModelConfig } from '@mastra/core/llm';
import type { RequestContext } from '@mastra/core/request-context';
import type { DynamicArgument } from '@mastra/core/types';
import type { PrepareStep } from '../call-options.js';
import type { OwnOptions, RejectedOptions, ResumeName } from '../options/option-table.js';
import type { StructuredOutput } from '../structured-output/structured-output-options.js';

/** What Interlock adds to or widens in the configuration of Mastra's agent. */
export type InterlockConfig = OwnOptions<'config'> & Pick<AgentConfig, 'signals'>;

/** A tool of the AI SDK, as far as it is looked at; Mastra's own type of it follows an older version. */
export interface SdkTool {
  readonly description?: unknown;
  readonly inputSchema: object;
  readonly execute?: (...args: never[]) => unknown;
}

/** Tools by name, Mastra's or the AI SDK's. */
export type ToolSet = Readonly<Record<string, ToolsInput[string] | SdkTool>>;

/** Options of one call, as defaults of an agent for one of its methods. */
type DefaultsFor = Partial<InterlockCallOptions> | ((call: { requestContext: RequestContext }) => Partial<InterlockCallOptions>);

/** The configuration of Mastra's agent, with guards in any form and defaults for each method. */
export type InterlockAgentConfig<
  TAgentId extends string = string,
  TTools extends ToolsInput = ToolsInput,
  TOutput = undefined,
  TRequestContext = unknown,
> = Omit<
  AgentConfig<TAgentId, TTools, TOutput, TRequestContext>,
  keyof InterlockConfig | keyof RejectedOptions<'config'> | 'id' | 'instructions' | 'model' | 'tools'
> &
  InterlockConfig &
  RejectedOptions<'config'> & {
    /** Default: the name. */
    id?: TAgentId;
    /** Default: none. */
    instructions?: AgentConfig<TAgentId, TTools, TOutput, TRequestContext>['instructions'];
    model: AgentConfig<TAgentId, TTools, TOutput, TRequestContext>['model'];
    tools?: AgentConfig<TAgentId, TTools, TOutput, TRequestContext>['tools'] | ToolSet;
    /** Defaults of `generate`, over `defaultOptions`. Its `prepareStep` also serves `stream`, where nothing else does. */
    defaultGenerateOptions?: DefaultsFor;
    /** Defaults of `stream`, over `defaultOptions`. */
    defaultStreamOptions?: DefaultsFor;
  };

/** Options of one call: Mastra's, with guards as wide as in the configuration. */
export type InterlockCallOptions = Omit<
  AgentExecutionOptionsBase<unknown>,
  keyof OwnOptions<'call'> | keyof RejectedOptions<'call'> | 'toolsets' | 'clientTools' | 'prepareStep'
> &
  OwnOptions<'call'> &
  RejectedOptions<'call'> & {
    /**
     * Changes each step last; its arguments and results are those of `processInputStep`. Replaces the agent's own `prepareStep`.
     */
    prepareStep?: PrepareStep;
    /** The answer as an object that fits a schema. It is checked after all other guards, and shown once it was accepted. */
    structuredOutput?: StructuredOutput;
    /** More tools for this call, in sets. */
    toolsets?: Readonly<Record<string, ToolSet>>;
    /** Tools that the client runs: a call of one ends the run. */
    clientTools?: ToolSet;
    /** Overrides the agent's model. */
    model?: DynamicArgument<MastraModelConfig>; // the very union of Mastra, so that the compiler does not compare two of them
  };

/**
 * Options of a call that resumes a run. The run keeps its guards, tools, model and limits. The request context identifies the
 * caller of `resume`; tools and guards keep the context of the first call.
 */
export type InterlockResumeOptions = Pick<InterlockCallOptions, Exclude<ResumeName & keyof InterlockCallOptions, 'runId'>> & {
  /** The suspended run. */
  runId: string;
  /** The call that is answered; needed where several wait. */
  toolCallId?: string;
};

/** Options of a call that declines a tool call. */
export type InterlockDeclineOptions = InterlockResumeOptions & {
  /** The reason that the model gets. Default: the call was not approved. */
  reason?: string;
};

/** Options of resuming as Mastra types them, for code that was written for Mastra's agent. */
export type MastraResumeOptions<OUTPUT> = MastraCallOptions<OUTPUT> & { runId?: string; toolCallId?: string; reason?: string };

/** The other form of a call: one object that also holds the prompt. */
export type InterlockPromptCall = InterlockCallOptions & { prompt: MessageListInput };

/** Options as Mastra types them, for code that was written for Mastra's agent. */
export type MastraCallOptions<OUTPUT> = AgentExecutionOptionsBase<OUTPUT> & { structuredOutput?: unknown; model?: unknown };

/** Options of a call whose answer is to be an object. */
export type InterlockObjectOptions<OUTPUT> = InterlockCallOptions & { structuredOutput: StructuredOutput<OUTPUT> };
