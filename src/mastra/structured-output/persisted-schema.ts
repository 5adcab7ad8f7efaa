import { z } from 'zod';
import { InterlockError } from '../../errors.js';
import type { StructuredOutput } from './structured-output-options.js';

/** Kinds of zod schemas whose JSON schema accepts the same values, and leaves them unchanged. */
const plainKinds = new Set(
  `any array boolean enum intersection lazy literal never null nullable number object
   optional readonly record string template_literal tuple union unknown`.split(/\s+/),
);

/** Structured output as plain data: a zod schema becomes a JSON schema. Raises `durable/unkept-value` for a zod schema that runs code. */
export const persistOutput = (output: StructuredOutput): StructuredOutput => {
  const { schema } = output as { schema: unknown };
  if (!isZod(schema)) return output;
  const json = z.toJSONSchema(schema, {
    io: 'input',
    target: 'draft-7',
    unrepresentable: 'any',
    override: ({ zodSchema, path }) => {
      const code = codeIn(zodSchema);
      if (code === undefined) return;
      throw new InterlockError('durable/unkept-value', {
        path: ['call.options.structuredOutput.schema', ...path].join('.'),
        detail: `a journal cannot keep a zod schema with ${code}; set structuredOutput in defaultOptions of the agent, which each process has.`,
      });
    },
  });
  return { ...output, schema: json };
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
