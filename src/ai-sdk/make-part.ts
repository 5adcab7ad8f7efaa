import * as ai from 'ai'; // older versions lack some of its names
import type { Schema, Tool, ToolSet } from 'ai';
import { faultOfArguments, frozenArguments, refusedCall } from '../loop/tool-call.js';
import { computed, isObject, isPlain } from '../phase/plain-data.js';
import { parseArguments } from './chunks.js';
import type { Run } from './run.js';
import type { CallSettings } from './run-state.js';
import type { CallOptions, PartOf } from './spec.js';

const settingNames = [
  'repairToolCall',
  'experimental_repairToolCall',
  'experimental_refineToolInput',
] as const satisfies readonly (keyof CallSettings)[];

/** Moves these settings to the run. Returns the fields that take them out of the AI SDK's call. */
export const takeCallSettings = (run: Run, settings: object): { readonly [Name in keyof CallSettings]?: never } => {
  const given = settingNames.filter((name) => name in settings);
  run.change({ callSettings: Object.fromEntries(given.map((name) => [name, settings[name as never]])) }); // of these names
  return Object.fromEntries(given.map((name) => [name, undefined]));
};

/** The input that the AI SDK will give to the tool, or its error for the call. */
type Parsed = { readonly args: unknown; readonly error?: undefined } | { readonly error: Error; readonly args?: undefined };

/**
 * Makes a call of a part, as the AI SDK does after the guards: parsed, validated by the tool's schema, repaired, refined. Undefined if
 * there is nothing to make: the AI SDK will reject the call, or the tool is not guarded.
 */
export const makePart = async (run: Run, part: PartOf<'tool-call'>, { tools, abortSignal }: CallOptions) => {
  const offered = new Set(tools?.map(({ name }) => name));
  if (part.providerExecuted || run.tools.size === 0) return undefined;
  const toolOf = (name: string): Tool | undefined => (offered.has(name) ? run.tools.get(name) : undefined);
  let [call, parsed] = [part, await parsePart(part, toolOf)];
  if (parsed.error) {
    const repaired = await repairPart(run, { part, error: parsed.error, abortSignal });
    if (repaired) [call, parsed] = [repaired, await parsePart(repaired, toolOf)];
  }
  const { toolName } = call;
  const written = parseArguments(call.input);
  const made = refusedCall(toolName, parsed.error ? written : parsed.args);
  if (made) return { part: call, made };
  // Messages of the AI SDK lack a text that is no JSON, and the error for an unknown tool does not quote it: guards get it as a field.
  if (!toolOf(toolName) && typeof written === 'string') {
    const args = frozenArguments({ input: written });
    return { part: { ...call, input: JSON.stringify(args) }, made: { args } };
  }
  if (parsed.error) return call === part ? undefined : { part: call, made: { args: written } };
  const refine = run.state.callSettings.experimental_refineToolInput?.[toolName];
  // An instance of a class is no data: guards get what the schema makes it of.
  if (!refine) return { part: call, made: { args: frozenArguments(isPlain(parsed.args) ? parsed.args : written, written) } };
  const refined = await refine(parsed.args as never); // typed by the tool
  return { part: { ...call, input: JSON.stringify(refined) }, made: { args: frozenArguments(refined) } };
};

const schemas = new WeakMap<object, Schema>();

/** A tool's schema in the AI SDK's form, made once: the AI SDK would make it, and its JSON schema, twice in each step. */
export const readSchema = ({ inputSchema }: Partial<Pick<Tool, 'inputSchema'>>): Schema =>
  isObject(inputSchema) ? computed(schemas, inputSchema, () => ai.asSchema(inputSchema)) : ai.asSchema(inputSchema);

const parsePart = async (
  { toolName, input }: PartOf<'tool-call'>,
  toolOf: (name: string) => Tool | undefined,
): Promise<Parsed> => {
  const tool = toolOf(toolName);
  if (!tool) return { error: new ai.NoSuchToolError({ toolName }) };
  const args = parseArguments(input);
  const fault = typeof args === 'string' ? undefined : faultOfArguments(toolName, args);
  const result = fault ? { success: false as const, error: fault } : await readSchema(tool).validate?.(args);
  if (!result || result.success) return { args: result ? result.value : args };
  return { error: new ai.InvalidToolInputError({ toolName, toolInput: input, cause: result.error }) };
};

interface Broken {
  readonly part: PartOf<'tool-call'>;
  readonly error: Error;
  readonly abortSignal: AbortSignal | undefined;
}

const repairPart = async (run: Run, { part, error, abortSignal }: Broken): Promise<PartOf<'tool-call'> | undefined> => {
  const { experimental_repairToolCall, repairToolCall = experimental_repairToolCall } = run.state.callSettings;
  if (!repairToolCall) return undefined;
  const { messages = [], instructions } = run.state.prepared?.sent ?? {};
  const tools: ToolSet = Object.fromEntries(run.tools);
  const inputSchema = async ({ toolName }: { toolName: string }) => readSchema(tools[toolName] ?? {}).jsonSchema;
  const broken = {
    toolCall: part,
    tools,
    inputSchema,
    instructions,
    system: instructions,
    messages: [...messages],
    error,
    abortSignal,
  };
  const repaired = await repairToolCall(broken as never).catch(() => undefined); // the AI SDK then reports the call's own error
  return repaired ? { ...part, ...repaired } : undefined;
};
