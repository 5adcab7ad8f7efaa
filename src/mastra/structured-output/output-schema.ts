import { isStandardSchemaWithJSON, standardSchemaToJSONSchema, toStandardSchema } from '@mastra/core/schema';

/** A schema of an answer, as the model is to be told of it and as its answer is checked. */
export interface OutputSchema {
  /** JSON schema of an object, for providers take nothing else at the top. */
  readonly json: object;
  /** JSON schema of what is asked for, whatever stands at its top. */
  readonly own: object;
  /** Checks a parsed answer; what is wrong comes as sentences. */
  check(
    answer: unknown,
  ): Promise<{ readonly value: unknown; readonly issues?: undefined } | { readonly issues: readonly string[] }>;
  /** As much of the value as an answer says that is not whole yet; nothing where that is none. A choice is made in one word. */
  partial(answer: unknown): unknown;
}

interface Wrapping {
  readonly json: object;
  /** The field of the answer that holds the value; nothing where the answer is the value. */
  readonly field?: string;
}

type JsonSchema = Readonly<Record<string, unknown>>;

/** Reads a schema: zod, any standard schema with a JSON form, the AI SDK's, or JSON schema. */
export const readOutputSchema = (schema: unknown): OutputSchema => {
  const standard = isStandardSchemaWithJSON(schema) ? schema : toStandardSchema(schema as Parameters<typeof toStandardSchema>[0]);
  const own = standardSchemaToJSONSchema(standard, { io: 'input', target: 'draft-07' }) as JsonSchema;
  const { json, field } = wrap(own);
  return {
    json,
    own,
    check: async (answer) => {
      const validated = await standard['~standard'].validate(unwrap(answer, field));
      return validated.issues ? { issues: validated.issues.map(sentenceOf) } : { value: validated.value };
    },
    partial: (answer) => {
      const value = typeof answer === 'object' && answer !== null ? unwrap(answer, field) : undefined;
      return typeof value === 'object' && (field === undefined || value !== answer) ? value : undefined;
    },
  };
};

/** Lists and choices are asked for inside an object, in the fields that Mastra gives them. */
const wrap = ({ $schema, ...schema }: JsonSchema): Wrapping => {
  const field = schema['type'] === 'array' ? 'elements' : Array.isArray(schema['enum']) ? 'result' : undefined;
  if (!field) return { json: { $schema, ...schema } };
  return {
    json: { $schema, type: 'object', properties: { [field]: schema }, required: [field], additionalProperties: false },
    field,
  };
};

const unwrap = (answer: unknown, field: string | undefined): unknown =>
  field !== undefined && typeof answer === 'object' && answer !== null && field in answer
    ? (answer as Record<string, unknown>)[field]
    : answer;

type Segment = PropertyKey | { readonly key: PropertyKey };

const sentenceOf = ({ path = [], message }: { path?: readonly Segment[]; message: string }): string => {
  const at = path.map((segment) => String(typeof segment === 'object' ? segment.key : segment)).join('.');
  return at ? `${at}: ${message}` : message;
};
