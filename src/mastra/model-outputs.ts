import type { MessageList } from '@mastra/core/agent/message-list';
import { isPlainObject } from './plain-object.js';

type Mapping = (output: unknown) => unknown;
type Part = ReturnType<MessageList['get']['all']['db']>[number]['content']['parts'][number];

/** What tools want the model to see of their results, by their `toModelOutput`. */
export interface ModelOutputs {
  /** Notes the tools of a step. */
  note(tools: Readonly<Record<string, unknown>>): void;
  /** Puts what the model is to see beside each result, as the results are now: guards may have edited them. */
  apply(list: MessageList): Promise<void>;
}

interface Mapped {
  readonly of: string;
  readonly output: unknown;
}

/** Keeps a run's mappings; a result that did not change is not mapped again. */
export const createModelOutputs = (): ModelOutputs => {
  const maps = new Map<string, Mapping>();
  const known = new Map<string, Mapped>();
  const mapped = async (toolCallId: string, result: unknown, map: Mapping): Promise<Mapped> => {
    const of = JSON.stringify(result);
    const last = known.get(toolCallId);
    if (last?.of === of) return last;
    const next = { of, output: stored(await map(result)) };
    known.set(toolCallId, next);
    return next;
  };
  const applyTo = async (part: Part): Promise<void> => {
    if (part.type !== 'tool-invocation' || part.toolInvocation.state !== 'result') return;
    const { toolCallId, toolName, result } = part.toolInvocation;
    const map = maps.get(toolName);
    if (!map || result === null || result === undefined) return;
    const { output } = await mapped(toolCallId, result, map);
    const metadata = part.providerMetadata;
    part.providerMetadata = { ...metadata, mastra: { ...metadata?.mastra, modelOutput: output as never } }; // Mastra's place for it
  };
  return {
    note: (tools) => {
      for (const [name, tool] of Object.entries(tools)) {
        const { toModelOutput } = tool as { toModelOutput?: unknown };
        if (typeof toModelOutput === 'function') maps.set(name, toModelOutput as Mapping);
      }
    },
    apply: async (list) => {
      if (maps.size === 0) return;
      for (const message of list.get.all.db()) for (const part of message.content.parts) await applyTo(part);
    },
  };
};

const mediaTypes: Readonly<Record<string, string>> = { 'image-data': 'image/jpeg', 'file-data': 'application/octet-stream' };

/** Files inside an output are kept as Mastra keeps them: under one type for every kind of medium. */
const stored = (output: unknown): unknown => {
  if (!isPlainObject(output) || output.type !== 'content' || !Array.isArray(output.value)) return output;
  const value = output.value.map((part: unknown) => {
    const mediaType = isPlainObject(part) ? mediaTypes[String(part.type)] : undefined;
    return mediaType ? { mediaType, ...(part as object), type: 'media' } : part;
  });
  return { ...output, value };
};
