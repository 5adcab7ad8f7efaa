import { MASTRA_TOOL_MARKER, Tool } from '@mastra/core/tools';
import type { ToolCall } from '../../loop/tool-call.js';
import { isRecord } from '../../phase/plain-data.js';

type Mapping = (call: ToolCall, result: unknown) => unknown;

/** The model's view of tool results, from the tools' `toModelOutput`. */
export type ModelOutputs = ReturnType<typeof createModelOutputs>;

/** Creates the mappings of a run. */
export const createModelOutputs = () => {
  const mappings = new Map<string, Mapping>();
  return {
    /** Registers the authors' tools. Mastra's `toModelOutput` gets the output, the AI SDK's an object that contains it. */
    register: (tools: Readonly<Record<string, unknown>>): void => {
      for (const [name, tool] of Object.entries(tools)) {
        const mapping = mappingOf(tool);
        if (mapping) mappings.set(name, mapping);
      }
    },
    /** The value that the model reads in place of a result; undefined if it reads the result. */
    of: async (call: ToolCall, result: unknown): Promise<unknown> => {
      const mapping = result === null || result === undefined ? undefined : mappings.get(call.toolName);
      return mapping && stored(await mapping(call, result));
    },
  };
};

const mappingOf = (tool: unknown): Mapping | undefined => {
  const { toModelOutput } = (tool ?? {}) as { toModelOutput?: unknown };
  if (typeof toModelOutput !== 'function') return undefined;
  const map = toModelOutput as (output: unknown) => unknown;
  const isMastras = tool instanceof Tool || MASTRA_TOOL_MARKER in (tool as object);
  return isMastras ? (_call, output) => map(output) : ({ toolCallId, args }, output) => map({ toolCallId, input: args, output });
};

const mediaTypes: Readonly<Record<string, string>> = { 'image-data': 'image/jpeg', 'file-data': 'application/octet-stream' };

/** Converts files in an output to the form that Mastra stores: one type for all media. */
const stored = (output: unknown): unknown => {
  if (!isRecord(output) || output.type !== 'content' || !Array.isArray(output.value)) return output;
  const value = output.value.map((part: unknown) => {
    const mediaType = isRecord(part) ? mediaTypes[String(part.type)] : undefined;
    return mediaType ? { mediaType, ...(part as object), type: 'media' } : part;
  });
  return { ...output, value };
};
