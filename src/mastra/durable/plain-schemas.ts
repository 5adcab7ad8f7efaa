import { z } from 'zod';
import { InterlockError } from '../../errors.js';
import { isPlain } from '../../phase/plain-data.js';
import type { CallOptions } from '../call-options.js';
import type { StructuredOutput } from '../structured-output/structured-output-options.js';

/**
 * The options of a call with JSON schemas in place of zod schemas, for structured output and client tools. Raises
 * `durable/unkept-value` for a zod schema that runs code, and for a schema of another library.
 */
export const withPlainSchemas = ({ structuredOutput, clientTools, ...others }: CallOptions): CallOptions => ({
  ...others,
  ...(structuredOutput && { structuredOutput: withPlainSchema(structuredOutput) }),
  ...(clientTools && { clientTools: withPlainInputs(clientTools) }),
});

const withPlainSchema = (output: StructuredOutput): StructuredOutput => {
  const remedy = 'set structuredOutput in defaultOptions of the agent, which each process has.';
  const schema = jsonSchemaOf(output.schema, { path: 'call.options.structuredOutput.schema', remedy });
  return schema ? { ...output, schema } : output;
};

/** Client tools as plain data. They have no code: the page runs them. */
const withPlainInputs = (tools: object): object =>
  Object.fromEntries(
    Object.entries(tools).map(([name, tool]) => [name, withPlainInput(tool, `call.options.clientTools.${name}`)]),
  );

const withPlainInput = (tool: object, at: string): object => {
  const fields = Object.entries(tool).filter(([, value]) => value !== undefined);
  return Object.fromEntries(
    fields.map(([field, value]: [string, unknown]) => [
      field,
      (schemaField.test(field) && jsonSchemaOf(value, { path: `${at}.${field}`, remedy: 'give its JSON schema.' })) || value,
    ]),
  );
};

const schemaField = /schema$|^parameters$/i;

/** Kinds of zod schemas whose JSON schema accepts the same values, and leaves them unchanged. */
const plainKinds = new Set(
  `any array boolean enum intersection lazy literal never null nullable number object
   optional readonly record string template_literal tuple union unknown`.split(/\s+/),
);

/** The JSON schema of a zod schema. Undefined for plain data, which is one. */
const jsonSchemaOf = (schema: unknown, { path, remedy }: { readonly path: string; readonly remedy: string }) => {
  const reject = (which: string, below: readonly PropertyKey[] = []): never => {
    throw new InterlockError('durable/unkept-value', {
      path: [path, ...below].join('.'),
      detail: `a journal cannot keep ${which}; ${remedy}`,
    });
  };
  if (isPlain(schema)) return undefined;
  if (!isZod(schema)) return reject('a schema that is neither JSON schema nor of zod 4');
  return z.toJSONSchema(schema, {
    io: 'input',
    target: 'draft-7',
    unrepresentable: 'any',
    override: ({ zodSchema, path: below }) => {
      const code = codeIn(zodSchema);
      if (code !== undefined) reject(`a zod schema with ${code}`, below);
    },
  });
};

const isZod = (schema: unknown): schema is z.core.$ZodType => typeof schema === 'object' && schema !== null && '_zod' in schema;

/** The feature of a schema that JSON schemas lack; undefined if there is none. */
const codeIn = ({ _zod: { def } }: z.core.$ZodType): string | undefined => {
  if (!plainKinds.has(def.type)) return `a ${def.type}`;
  if ('coerce' in def && def.coerce) return 'a coercion';
  const kinds = def.checks?.map(({ _zod: { def: own } }) => own.check) ?? [];
  const code = kinds.find((kind) => kind === 'custom' || kind === 'overwrite');
  return code && `a check of type ${code}`;
};
