import { toStandardSchema, type StandardSchemaWithJSON } from '@mastra/core/schema';
import * as mastraTools from '@mastra/core/tools'; // older versions lack some of its names
import { type MadeCall, faultOfArguments, frozenArguments, invalidArguments, refusedCall } from '../loop/tool-call.js';
import { copyPlain, fieldsIn, isPlain, isRecord, isSame } from '../phase/plain-data.js';
import { attempted } from '../phase/awaitable.js';

/** A tool as Mastra prepares it for a run; without `execute` for a tool of the client. */
interface PreparedTool {
  readonly id?: unknown;
  readonly parameters?: unknown;
  readonly execute?: unknown;
}

/** A tool of a step. */
export interface StepTool<Prepared extends PreparedTool = PreparedTool> {
  readonly name: string;
  readonly ready: Prepared;
  /** The tool as its author wrote it. Undefined for a tool of Mastra's own, such as that of a sub-agent. */
  readonly authored: unknown;
}

/** The arguments that a tool gets, and an input that Mastra's own validation turns into exactly these. */
interface Taken {
  readonly args: unknown;
  readonly input: unknown;
  readonly fault?: undefined;
}

/** Arguments that a tool cannot get. As from Mastra, the model gets a schema's issues as a result; it gets any other fault as an error. */
interface Untaken {
  readonly fault: { readonly error: unknown } | { readonly result: unknown };
  readonly args?: undefined;
}

/** Makes a call of a model's arguments, see {@link MadeCall}. A tool that the step does not offer has no schema. */
export const makeArguments = (args: unknown, toolName: string, tool: StepTool | undefined): MadeCall => {
  const refused = refusedCall(toolName, args);
  if (refused) return refused;
  const taken = tool && take(tool, args);
  if (!tool || !taken || taken.fault) return { args: frozenArguments(args) };
  const isTakenAgain = isSame(taken.args, taken.input) || isSame(take(tool, taken.args).args, taken.args);
  return { args: frozenArguments(taken.args, args), ...(!isTakenAgain && { given: taken.input }) };
};

/** The arguments that a tool gets for a made call; they must equal the arguments of the call. `given`: see {@link MadeCall}. */
export const takeMade = (args: unknown, tool: StepTool, given: unknown): Taken | Untaken => {
  const own = take(tool, args);
  if (!own.fault && isSame(own.args, args)) return own;
  const first = given === undefined ? own : take(tool, given);
  if (!first.fault && isSame(first.args, args)) return first;
  if (own.fault) return own;
  const detail = 'its schema changes them again; a guard that edits arguments must return what the schema leaves unchanged.';
  return { fault: { error: invalidArguments(tool.name, detail) } };
};

const take = (tool: StepTool, args: unknown): Taken | Untaken => {
  const error = faultOfArguments(tool.name, args);
  if (error) return { fault: { error } };
  const own = withoutResumption(args, tool.ready);
  try {
    return isValidated(tool) ? validated(tool, own) : { args: own, input: own };
  } catch (cause) {
    return { fault: { error: cause } };
  }
};

/** Resume fields, which only Mastra may set, are removed from a model's arguments for sub-agents and workflows. */
const withoutResumption = (args: unknown, { id }: PreparedTool): unknown => {
  const isDelegation = typeof id === 'string' && /^(agent|workflow)-/.test(id);
  if (!isDelegation || !isRecord(args)) return args;
  const { resumeData: _data, suspendedToolRunId: _run, suspendedToolCallId: _call, ...own } = args;
  return own;
};

/** A JSON schema for Mastra. */
type JsonSchema = Parameters<typeof toStandardSchema>[0];

interface Issue {
  readonly message: string;
}

/** The schema of a prepared tool. Only that of a tool without a schema cannot validate. */
interface PreparedSchema {
  readonly jsonSchema?: unknown;
  readonly validate?: (value: unknown) => { readonly success: boolean; readonly value?: unknown; readonly error?: Issue };
}

const preparedSchema = ({ ready }: StepTool): PreparedSchema => ready.parameters ?? {};

/** Whether Mastra validates a tool's arguments, or the client does: an AI SDK tool with a plain JSON schema takes everything. */
const isValidated = (tool: StepTool): boolean => {
  if (!preparedSchema(tool).validate) return false;
  return !tool.ready.execute || tool.authored === undefined || standardOf(tool.authored) !== undefined;
};

const standardOf = (authored: unknown): StandardSchemaWithJSON | undefined => {
  const { inputSchema, parameters = inputSchema } = fieldsIn(authored);
  const schema: unknown = typeof parameters === 'function' && !('~standard' in parameters) ? parameters() : parameters;
  return '~standard' in fieldsIn(schema) ? (schema as StandardSchemaWithJSON) : undefined; // by its mark
};

/**
 * Runs Mastra's own validation, with its coercions, over the schema that the prepared tool will use, and finds the input that passes
 * it: then the tool gets exactly this result. JSON as text is read for every schema; Mastra reads it for some.
 */
const validated = (tool: StepTool, args: unknown): Taken | Untaken => {
  const found: { input?: unknown } = {};
  const schema = schemaOf(tool, (input) => (found.input = input));
  let { data, error } = mastraTools.validateToolInput(schema, copyPlain(args), tool.name);
  const issues = error;
  const read = error ? withReadTexts(args, preparedSchema(tool).jsonSchema) : args;
  const hidden = faultOfArguments(tool.name, read);
  if (hidden) return { fault: { error: hidden } };
  if (read !== args) ({ data, error } = mastraTools.validateToolInput(schema, copyPlain(read), tool.name));
  if (error) return { fault: { result: issues } };
  const made = isPlain(data) ? withValues(data) : found.input; // an instance of a class is no data: guards get what it is made of
  return { args: made, input: found.input };
};

/** The prepared tool's schema for Mastra's validation. Its issues lack paths: those of the author's schema or of the JSON schema have them. */
const schemaOf = (tool: StepTool, onValid: (input: unknown) => void): StandardSchemaWithJSON => {
  const { validate, jsonSchema } = preparedSchema(tool);
  const issuesOf = (value: unknown): unknown => {
    const schema = standardOf(tool.authored) ?? (isRecord(jsonSchema) ? toStandardSchema(jsonSchema as JsonSchema) : undefined);
    return (schema?.['~standard'].validate(value) as { issues?: readonly Issue[] } | undefined)?.issues;
  };
  const read = (value: unknown): unknown => {
    const input = copyPlain(value); // some of Mastra's schemas change their input
    const result = validate?.(value);
    if (!result?.success) return result?.error ? { issues: issuesOf(input) ?? [{ message: result.error.message }] } : result;
    onValid(input);
    return { value: result.value };
  };
  const json = () => jsonSchema;
  return {
    '~standard': { version: 1, vendor: 'mastra', validate: read, jsonSchema: { input: json, output: json } },
  } as unknown as StandardSchemaWithJSON; // the interface that Mastra reads
};

/** Arguments with the lists and objects that a model wrote as JSON text; the same arguments if there are none. */
const withReadTexts = (args: unknown, schema: unknown): unknown => {
  const properties = fieldsIn(fieldsIn(schema)['properties']);
  if (!isRecord(args)) return args;
  const read = Object.entries(args).flatMap(([name, value]) => {
    const made = typeof value === 'string' ? readText(value, typesIn(properties[name])) : undefined;
    return made === undefined ? [] : [[name, made] as const];
  });
  return read.length > 0 ? { ...args, ...Object.fromEntries(read) } : args;
};

/** The JSON types that a schema accepts. */
const typesIn = (schema: unknown): unknown[] => {
  const { type, anyOf } = fieldsIn(schema);
  return [type, ...(Array.isArray(anyOf) ? anyOf.flatMap(typesIn) : [])].flat();
};

const readText = (text: string, types: readonly unknown[]): unknown => {
  if (types.includes('string') || !/^\s*[[{]/.test(text)) return undefined;
  const value = attempted((): unknown => JSON.parse(text));
  return types.includes(Array.isArray(value) ? 'array' : 'object') ? value : undefined;
};

/** The value without fields that are undefined, as JSON has it. */
const withValues = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withValues);
  if (!isRecord(value)) return value;
  const made = { ...value };
  for (const [name, field] of Object.entries(value)) {
    if (field === undefined) delete made[name];
    else made[name] = withValues(field);
  }
  return made;
};
