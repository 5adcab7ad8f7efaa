import type { ModelMessage, ToolCallRepairFunction, ToolSet } from 'ai';

/** The settings of the AI SDK that change a tool call. The run applies them before its guards, in place of the AI SDK. */
export interface CallSettings {
  readonly repairToolCall?: ToolCallRepairFunction<ToolSet>;
  readonly experimental_repairToolCall?: ToolCallRepairFunction<ToolSet>;
  readonly experimental_refineToolInput?: Readonly<Record<string, ((input: never) => unknown) | undefined>>;
}

/** The messages of a step, for the author's repair. */
export interface SentStep {
  readonly messages: readonly ModelMessage[];
  readonly instructions: unknown;
}
