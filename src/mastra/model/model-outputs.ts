import type { MessageList } from '@mastra/core/agent/message-list';
import { MASTRA_TOOL_MARKER, Tool } from '@mastra/core/tools';
import { isRecord } from '../../phase/plain-data.js';

type Part = ReturnType<MessageList['get']['all']['db']>[number]['content']['parts'][number];
type Invocation = Extract<Part, { type: 'tool-invocation' }>['toolInvocation'];
type Mapping = (call: Invocation, result: unknown) => unknown;

/** The model's view of tool results, from the tools' `toModelOutput`. */
export type ModelOutputs = ReturnType<typeof createModelOutputs>;

interface Mapped {
  readonly of: string;
  readonly output: unknown;
}

/** Creates the mappings of a run. Unchanged results are not mapped again. */
export const createModelOutputs = () => {
  const mappings = new Map<string, Mapping>();
  const known = new Map<string, Mapped>();
  const mapped = async (call: Invocation, result: unknown, mapping: Mapping): Promise<Mapped> => {
    const of = JSON.stringify(result);
    const last = known.get(call.toolCallId);
    if (last?.of === of) return last;
    const next = { of, output: stored(await mapping(call, result)) };
    known.set(call.toolCallId, next);
    return next;
  };
  const applyTo = async (part: Part): Promise<void> => {
    if (part.type !== 'tool-invocation' || part.toolInvocation.state !== 'result') return;
    const { toolName, result } = part.toolInvocation;
    const mapping = mappings.get(toolName);
    if (!mapping || result === null || result === undefined) return;
    const { output } = await mapped(part.toolInvocation, result, mapping);
    const metadata = part.providerMetadata;
    part.providerMetadata = { ...metadata, mastra: { ...metadata?.mastra, modelOutput: output as never } }; // Mastra's field for it
  };
  return {
    /** Registers the authors' tools. Mastra's `toModelOutput` gets the output, the AI SDK's an object that contains it. */
    register: (tools: Readonly<Record<string, unknown>>): void => {
      for (const [name, tool] of Object.entries(tools)) {
        const mapping = mappingOf(tool);
        if (mapping) mappings.set(name, mapping);
      }
    },
    /** True if a tool has `toModelOutput`, so that messages are changed. */
    get areMapped() {
      return mappings.size > 0;
    },
    /** Adds the model's view to each current result, which guards may have edited. */
    apply: async (list: MessageList): Promise<void> => {
      if (mappings.size === 0) return;
      for (const message of list.get.all.db()) for (const part of message.content.parts) await applyTo(part);
    },
  };
};

const mappingOf = (tool: unknown): Mapping | undefined => {
  const { toModelOutput } = (tool ?? {}) as { toModelOutput?: unknown };
  if (typeof toModelOutput !== 'function') return undefined;
  const map = toModelOutput as (output: unknown) => unknown;
  const isMastras = tool instanceof Tool || MASTRA_TOOL_MARKER in (tool as object);
  return isMastras
    ? (_call, output) => map(output)
    : ({ toolCallId, args }, output) => map({ toolCallId, input: args as unknown, output });
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
