import { isStandardSchemaWithJSON, standardSchemaToJSONSchema, toStandardSchema } from '@mastra/core/schema';
import {
  AnthropicSchemaCompatLayer,
  OpenAISchemaCompatLayer,
  prepareJsonSchemaForOpenAIStrictMode,
  wrapSchemaWithNullTransform,
} from '@mastra/schema-compat';
import { issueText } from '../issue-text.js';
import { fieldsIn } from '../../phase/plain-data.js';

type JsonSchema = Readonly<Record<string, unknown>>;

/** The model that receives a schema; providers accept different subsets of JSON schema. */
interface SchemaTarget {
  readonly provider: string;
  readonly modelId?: string;
}

/** True if the provider validates schemas in OpenAI's strict mode: every field required, no limits. */
export const isStrict = ({ provider, modelId }: SchemaTarget): boolean =>
  /openai|azure/.test(provider) || Boolean(modelId?.includes('openai'));

/** Reads a schema: zod, any standard schema with a JSON form, the AI SDK's, or JSON schema. */
export const readOutputSchema = (schema: unknown) => {
  const standard = toStandard(schema);
  const lenient = wrapSchemaWithNullTransform(standard);
  const own = toJson(standard);
  const { json, field } = wrap(own);
  return {
    /** JSON schema of an object, since providers accept nothing else at the top level. */
    json,
    /** JSON schema of the requested object, of any top-level type. */
    own,
    /** Checks a parsed answer. Faults are returned as sentences. */
    check: async (
      answer: unknown,
    ): Promise<{ readonly value: unknown; readonly issues?: undefined } | { readonly issues: readonly string[] }> => {
      const value = unwrap(answer, field);
      const exact = await standard['~standard'].validate(value);
      if (!exact.issues) return { value: exact.value };
      // A model in strict mode writes null for a field that it leaves out.
      const validated = await lenient['~standard'].validate(value);
      return validated.issues ? { issues: validated.issues.map(issueText) } : { value: validated.value };
    },
    /**
     * The partial value of an answer: a list without an element that may continue. Undefined if there is none, and for choices, which are a
     * single word.
     */
    partial: (answer: unknown, isComplete: boolean): unknown => {
      const value = typeof answer === 'object' && answer !== null ? unwrap(answer, field) : undefined;
      if (typeof value !== 'object' || (field !== undefined && value === answer)) return undefined;
      return Array.isArray(value) && !isComplete ? value.slice(0, -1) : value;
    },
  };
};

/** The JSON schema that a model receives. Mastra's layers turn limits that the provider rejects into descriptions. */
export const jsonSchemaFor = (schema: unknown, target: SchemaTarget): object => {
  const model = { provider: target.provider, modelId: target.modelId ?? '', supportsStructuredOutputs: true };
  const standard = toStandard(schema);
  if (isStrict(target)) {
    const { json } = wrap(new OpenAISchemaCompatLayer(model).processToJSONSchema(standard, 'input') as JsonSchema);
    return withoutMarks(prepareJsonSchemaForOpenAIStrictMode(json));
  }
  const anthropic = new AnthropicSchemaCompatLayer(model);
  return wrap(anthropic.shouldApply() ? (anthropic.processToJSONSchema(standard, 'input') as JsonSchema) : toJson(standard)).json;
};

const toStandard = (schema: unknown) =>
  isStandardSchemaWithJSON(schema) ? schema : toStandardSchema(schema as Parameters<typeof toStandardSchema>[0]);

const toJson = (standard: ReturnType<typeof toStandard>): JsonSchema =>
  standardSchemaToJSONSchema(standard, { io: 'input', target: 'draft-07' }) as JsonSchema;

/** Keywords that OpenAI's strict mode rejects, and internal ones of the layers. */
const rejected = new Set(['default', 'x-optional', 'x-date']);
const named = new Set(['properties', '$defs', 'definitions']);

const withoutMarks = (schema: object): object => {
  const tidy = (value: unknown): unknown =>
    Array.isArray(value) ? value.map(tidy) : typeof value === 'object' && value !== null ? withoutMarks(value) : value;
  return Object.fromEntries(
    Object.entries(schema)
      .filter(([key]) => !rejected.has(key))
      .map(([key, value]: [string, unknown]) => [
        key,
        named.has(key) ? Object.fromEntries(Object.entries(fieldsIn(value)).map(([name, of]) => [name, tidy(of)])) : tidy(value),
      ]),
  );
};

/**
 * Lists and choices are wrapped in an object, under the field names that Mastra uses. `field`: the one that contains the value; undefined if
 * the answer is the value.
 */
const wrap = ({ $schema, ...schema }: JsonSchema): { readonly json: object; readonly field?: string } => {
  const field = schema['type'] === 'array' ? 'elements' : Array.isArray(schema['enum']) ? 'result' : undefined;
  if (!field) return { json: { $schema, ...schema } };
  return {
    json: { $schema, type: 'object', properties: { [field]: schema }, required: [field], additionalProperties: false },
    field,
  };
};

const unwrap = (answer: unknown, field: string | undefined): unknown =>
  field !== undefined && typeof answer === 'object' && answer !== null && field in answer ? fieldsIn(answer)[field] : answer;
