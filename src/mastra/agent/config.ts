import type { AgentConfig, AgentExecutionOptionsBase, ToolsInput } from '@mastra/core/agent';
import type { MessageListInput } from '@mastra/core/agent/message-list';
import type { MastraModelConfig } from '@mastra/core/llm';
import type { RequestContext } from '@mastra/core/request-context';
import type { DynamicArgument } from '@mastra/core/types';
import type { PrepareStep } from '../call-options.js';
import type { OwnOptions, IgnoredOptions, ResumeName } from '../options/option-table.js';
import type { StructuredOutput } from '../structured-output/structured-output-options.js';

/** Options that Interlock adds to the configuration of Mastra's agent, or widens. */
export type InterlockConfig = OwnOptions<'config'> & Pick<AgentConfig, 'signals'>;

/** The fields of an AI SDK tool that this library reads; Mastra's type follows an older version. */
interface SdkTool {
  readonly description?: unknown;
  readonly inputSchema: object;
  readonly execute?: (...args: never[]) => unknown;
}

/** Tools by name, Mastra's or the AI SDK's. */
type ToolSet = Readonly<Record<string, ToolsInput[string] | SdkTool>>;

/** A model of the AI SDK; Mastra's type of v4 models does not accept those of its providers. */
interface SdkModel {
  readonly specificationVersion: 'v4';
  readonly provider: string;
  readonly modelId: string;
  doGenerate(options: never): unknown;
  doStream(options: never): unknown;
}

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
  keyof InterlockConfig | keyof IgnoredOptions<'config'> | 'id' | 'instructions' | 'model' | 'tools'
> &
  InterlockConfig &
  IgnoredOptions<'config'> & {
    /** Default: the name. */
    id?: TAgentId;
    /** Default: none. */
    instructions?: AgentConfig<TAgentId, TTools, TOutput, TRequestContext>['instructions'];
    model: AgentConfig<TAgentId, TTools, TOutput, TRequestContext>['model'] | DynamicArgument<SdkModel, TRequestContext>;
    tools?: AgentConfig<TAgentId, TTools, TOutput, TRequestContext>['tools'] | ToolSet;
    /** Defaults of `generate`, over `defaultOptions`. Its `prepareStep` also applies to `stream`, unless another is set there. */
    defaultGenerateOptions?: DefaultsFor;
    /** Defaults of `stream`, over `defaultOptions`. */
    defaultStreamOptions?: DefaultsFor;
  };

type MastraOptionsOfCall = Omit<
  AgentExecutionOptionsBase<unknown>,
  keyof OwnOptions<'call'> | keyof IgnoredOptions<'call'> | 'toolsets' | 'clientTools' | 'prepareStep'
>;

/** Options of one call: Mastra's, with guards in the same forms as in the configuration. */
// Interfaces: the compiler compares two of them once, but each part of an intersection again, which took seconds for each agent.
export interface InterlockCallOptions extends MastraOptionsOfCall, OwnOptions<'call'>, IgnoredOptions<'call'> {
  /**
   * Runs after the input guards of each step, with the arguments and results of `processInputStep`. Replaces the agent's own
   * `prepareStep`.
   */
  prepareStep?: PrepareStep;
  /** The schema of an object to answer with. The object is checked after all other guards, and emitted once accepted. */
  structuredOutput?: StructuredOutput;
  /** Additional tools for this call, in sets. */
  toolsets?: Readonly<Record<string, ToolSet>>;
  /** Tools that the client runs. A call of one ends the run. */
  clientTools?: ToolSet;
  /** Overrides the agent's model. */
  model?: DynamicArgument<MastraModelConfig> | DynamicArgument<SdkModel>; // Mastra's own union, so that the compiler does not compare two of them
}

/**
 * Options of a call that resumes a run. The run keeps its guards, tools, model and limits. The request context identifies the
 * caller of `resume`; tools and guards keep the context of the first call.
 */
export type InterlockResumeOptions = Pick<InterlockCallOptions, Exclude<ResumeName & keyof InterlockCallOptions, 'runId'>> & {
  /** The suspended run. */
  runId: string;
  /** The call to answer. Required if several calls wait. */
  toolCallId?: string;
};

/** Options of a call that declines a tool call. */
export type InterlockDeclineOptions = InterlockResumeOptions & {
  /** The reason for the model. Default: the call was not approved. */
  reason?: string;
};

/** Options of resuming as Mastra types them, for code that was written for Mastra's agent. */
export type MastraResumeOptions<OUTPUT> = MastraCallOptions<OUTPUT> & { runId?: string; toolCallId?: string; reason?: string };

/** The other form of a call: one object that also holds the prompt. */
export interface InterlockPromptCall extends InterlockCallOptions {
  prompt: MessageListInput;
}

/** Options as Mastra types them, for code that was written for Mastra's agent. */
export type MastraCallOptions<OUTPUT> = AgentExecutionOptionsBase<OUTPUT> & { structuredOutput?: unknown; model?: unknown };

/** Options of a call for text, exactly as Mastra types them: a choice among agents of both types can be called. */
export type MastraTextOptions = AgentExecutionOptionsBase<unknown> & { structuredOutput?: never } & {
  model?: DynamicArgument<MastraModelConfig>;
};

/** Options of a call with structured output. */
export interface InterlockObjectOptions<OUTPUT> extends Omit<InterlockCallOptions, 'structuredOutput'> {
  structuredOutput: StructuredOutput<OUTPUT>;
}
