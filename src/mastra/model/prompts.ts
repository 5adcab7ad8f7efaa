import { aiV5ModelMessageToV2PromptMessage, type MastraDBMessage, type MessageList } from '@mastra/core/agent/message-list';
import type { LoopMessages, Prompt, StepSettings } from '../../loop/ports.js';
import type { ResolvedModel } from '../../phase/host.js';
import { fieldsIn, isObject, isRecord, computed } from '../../phase/plain-data.js';
import { createConversion, followParts } from '../messages/conversion.js';
import type { MessageCopies } from '../messages/list-insides.js';
import { isStandardSchemaWithJSON, standardSchemaToJSONSchema } from '@mastra/core/schema';
import { isProviderDefinedTool } from '@mastra/core/tools';

/** Creates the prompts of one run. Earlier messages are converted once for each model. */
export const createPrompts = (copies: MessageCopies): LoopMessages['toPrompt'] => {
  const conversions = new Map<ResolvedModel, (list: MessageList) => Promise<Prompt>>();
  const conversionFor = (model: ResolvedModel) =>
    computed(conversions, model, () => createConversion(allMessages, (list) => promptOf(list, model), copies));
  return async (list, model) => {
    for (const { content } of list.get.all.db()) followParts(content); // a conversion may read only the last messages
    return conversionFor(model)(list);
  };
};

const allMessages = (list: MessageList): MastraDBMessage[] => list.get.all.db();

/** The conversation in the form of the model's specification. */
export const toPrompt = async (list: MessageList, model: ResolvedModel): Promise<Prompt> => {
  for (const { content } of list.get.all.db()) followParts(content);
  return promptOf(list, model);
};

const promptOf = async (list: MessageList, model: ResolvedModel): Promise<Prompt> => {
  const messages = list.get.all.db();
  const prompt =
    model.specificationVersion === 'v2' && messages.every(isPlain) ? plainPrompt(list) : await fullPrompt(list, model);
  for (const { content } of prompt) if (Array.isArray(content)) content.forEach(fillInput);
  return prompt;
};

const fullPrompt = async (list: MessageList, model: ResolvedModel): Promise<Prompt> => {
  const { aiV5, aiV6, aiV7 } = list.get.all;
  const view = model.specificationVersion === 'v4' ? aiV7 : model.specificationVersion === 'v3' ? aiV6 : aiV5;
  return view.llmPrompt({ supportedUrls: await model.supportedUrls, targetProvider: model.provider });
};

/** The same without Mastra's steps for files and marked tool calls, which cost three times as much as the conversion. */
const plainPrompt = (list: MessageList): Prompt =>
  list.get.all.aiV5
    .prompt()
    .map(aiV5ModelMessageToV2PromptMessage)
    .filter(({ role, content }) => role === 'system' || content.length > 0);

/** Whether a message is no signal, and has no files and no tool calls with the provider's or Mastra's own marks. */
const isPlain = ({ role, content }: MastraDBMessage): boolean =>
  role !== 'signal' && !content.experimental_attachments && !content.parts.some(isMarked);

const isMarked = (part: MastraDBMessage['content']['parts'][number]): boolean =>
  part.type === 'file' || (part.type === 'tool-invocation' && Boolean(part.providerExecuted || part.providerMetadata));

/** Adds missing arguments: those that were not JSON are not stored, but providers reject a call without arguments. */
const fillInput = (part: { type: string; input?: unknown }): void => {
  if (part.type === 'tool-call') part.input ??= {};
};

/** The part of a Mastra or AI SDK tool that the model receives. */
interface ToolDefinition {
  id?: string;
  name?: string;
  args?: unknown;
  /** The AI SDK's may be a function of the tool's context, which does not exist here. */
  description?: string | ((options: object) => string);
  parameters?: unknown;
  inputSchema?: unknown;
  strict?: boolean;
  providerOptions?: unknown;
  execute?: unknown;
}

type ToolNames = Pick<StepSettings, 'tools' | 'toolChoice' | 'activeTools'>;

/** The tools that a step offers: its tools without those excluded by `activeTools` or `toolChoice: 'none'`. */
export const offeredTools = ({ tools, toolChoice, activeTools }: ToolNames): [string, ToolDefinition][] => {
  if (toolChoice === 'none') return [];
  const active = activeTools && new Set<string>(activeTools);
  const entries = Object.entries((tools ?? {}) as Record<string, ToolDefinition>);
  return active ? entries.filter(([name]) => active.has(name)) : entries;
};

/** The tool fields of a provider request. */
export const providerTools = (names: ToolNames, specificationVersion: string) => {
  const offered = offeredTools(names);
  if (offered.length === 0) return names.toolChoice === 'none' ? { toolChoice: { type: 'none' } } : {};
  return {
    tools: offered.map(([name, tool]) => toProviderTool(name, tool, specificationVersion)),
    toolChoice: toProviderChoice(names.toolChoice),
  };
};

const toProviderChoice = (choice: StepSettings['toolChoice']): object => {
  if (choice === undefined || choice === null) return { type: 'auto' };
  return typeof choice === 'string' ? { type: choice } : { type: 'tool', toolName: fieldsIn(choice)['toolName'] };
};

const toProviderTool = (name: string, tool: ToolDefinition, specificationVersion: string) => {
  if (isProviderDefinedTool(tool)) {
    const named: ToolDefinition = tool;
    const type = specificationVersion === 'v2' ? 'provider-defined' : 'provider';
    return { type, name: named.name ?? name, id: tool.id, args: tool.args ?? {} };
  }
  return {
    type: 'function',
    name,
    description: typeof tool.description === 'function' ? tool.description({}) : tool.description,
    inputSchema: jsonSchemaOf(tool.inputSchema ?? tool.parameters),
    ...(tool.strict !== undefined && { strict: tool.strict }),
    ...(tool.providerOptions !== undefined && { providerOptions: tool.providerOptions }),
  };
};

const noParameters = { type: 'object', properties: {}, additionalProperties: false };

type StandardSchema = Parameters<typeof standardSchemaToJSONSchema>[0];

/** Caches JSON schemas, which are needed at every step. */
const converted = new WeakMap<StandardSchema, unknown>();

const convertedOnce = (schema: StandardSchema): unknown =>
  computed(converted, schema, () => withTypes(standardSchemaToJSONSchema(schema, { io: 'input', target: 'draft-07' })));

/** The JSON schema of a standard schema, an AI SDK schema, a function that returns one, or plain JSON schema. */
const jsonSchemaOf = (schema: unknown): unknown => {
  if (schema === undefined || schema === null) return noParameters;
  if (isStandardSchemaWithJSON(schema)) return convertedOnce(schema);
  if (typeof schema === 'function') return jsonSchemaOf((schema as () => unknown)());
  return withTypes(fieldsIn(schema)['jsonSchema'] ?? schema);
};

/** A schema as Mastra sends it: each property has a type, because some providers reject one that may be anything, e.g. `z.any()`. */
const withTypes = (schema: unknown): unknown => {
  if (!isRecord(schema)) return schema;
  const { properties, items } = schema;
  return {
    ...schema,
    ...('$schema' in schema && { $schema: 'http://json-schema.org/draft-07/schema#' }),
    ...(isRecord(properties) && {
      properties: Object.fromEntries(Object.entries(properties).map(([name, property]) => [name, typed(property)])),
    }),
    ...(isObject(items) && { items: Array.isArray(items) ? items.map(withTypes) : withTypes(items) }),
  };
};

const typed = (property: unknown): unknown => {
  if (!isRecord(property) || typeNames.some((name) => name in property)) return withTypes(property);
  const { items: _items, ...rest } = property; // as in Mastra: a type of any value has no items
  return { ...rest, type: ['string', 'number', 'integer', 'boolean', 'object', 'null'] };
};

const typeNames = ['type', '$ref', 'anyOf', 'oneOf', 'allOf'];
