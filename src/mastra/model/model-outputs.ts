import { MASTRA_TOOL_MARKER, Tool } from '@mastra/core/tools';
import type { ToolCall } from '../../loop/tool-call.js';
import { isRecord } from '../../phase/plain-data.js';

type Mapping = (call: ToolCall, result: unknown) => unknown;

type Tools = Readonly<Record<string, unknown>>;

/** The model's view of tool results in a run, from the `toModelOutput` of the authors' tools. */
export const createModelOutputs = (authored: Tools) => {
  const mappings = new Map<string, Mapping>();
  /** Mastra's `toModelOutput` gets the output, the AI SDK's an object that contains it. */
  const register = (tools: Tools): void => {
    for (const [name, tool] of Object.entries(tools)) {
      const mapping = mappingOf(tool);
      if (mapping) mappings.set(name, mapping);
    }
  };
  register(authored);
  return {
    register,
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
