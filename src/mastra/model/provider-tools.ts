import { isStandardSchemaWithJSON, standardSchemaToJSONSchema } from '@mastra/core/schema';
import { isProviderDefinedTool } from '@mastra/core/tools';
import type { StepSettings } from '../../loop/ports.js';

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
export const providerTools = (names: ToolNames, specificationVersion: string): object => {
  const offered = offeredTools(names);
  if (offered.length === 0) return names.toolChoice === 'none' ? { toolChoice: { type: 'none' } } : {};
  return {
    tools: offered.map(([name, tool]) => toProviderTool(name, tool, specificationVersion)),
    toolChoice: toProviderChoice(names.toolChoice),
  };
};

const toProviderChoice = (choice: StepSettings['toolChoice']): object => {
  if (choice === undefined || choice === null) return { type: 'auto' };
  return typeof choice === 'string' ? { type: choice } : { type: 'tool', toolName: (choice as { toolName: string }).toolName };
};

const toProviderTool = (name: string, tool: ToolDefinition, specificationVersion: string): object => {
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
const converted = new WeakMap<StandardSchema, object>();

const convertedOnce = (schema: StandardSchema): object => {
  const known = converted.get(schema) ?? standardSchemaToJSONSchema(schema, { io: 'input', target: 'draft-07' });
  converted.set(schema, known);
  return known;
};

/** The JSON schema of a standard schema, an AI SDK schema, a function that returns one, or plain JSON schema. */
const jsonSchemaOf = (schema: unknown): unknown => {
  if (schema === undefined || schema === null) return noParameters;
  if (isStandardSchemaWithJSON(schema)) return convertedOnce(schema);
  if (typeof schema === 'function') return jsonSchemaOf((schema as () => unknown)());
  return (schema as { jsonSchema?: unknown }).jsonSchema ?? schema;
};
