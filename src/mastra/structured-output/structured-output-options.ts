import type { PublicSchema } from '@mastra/core/schema';
import { InterlockError } from '../../errors.js';
import { isPlainObject } from '../plain-object.js';
import { readOutputSchema } from './output-schema.js';

/** The answer as an object: what it must fit, and what happens where it does not. */
export interface StructuredOutput<OUTPUT = unknown> {
  /** Zod, any standard schema with a JSON form, the AI SDK's, or JSON schema. */
  readonly schema: PublicSchema<OUTPUT>;
  /**
   * Where the answer does not fit and no retry is granted: `strict` fails the run with `output/invalid-object`, `warn` leaves the
   * object undefined, `fallback` takes `fallbackValue`. Default `strict`.
   */
  readonly errorStrategy?: 'strict' | 'warn' | 'fallback';
  readonly fallbackValue?: OUTPUT;
  /**
   * Asks for JSON in words, for models that have no setting for it: `true` and `'system'` in the first system message, `'inline'` in
   * the last user message, `'auto'` inline where Mastra's model registry does not list the model as capable. Default `false`: the
   * provider's own setting.
   */
  readonly jsonPromptInjection?: boolean | 'system' | 'inline' | 'auto';
  /** The words of `jsonPromptInjection`. Default: the schema as JSON. */
  readonly instructions?: string;
  /** Told of an answer that does not fit, under `warn`. */
  readonly logger?: { warn(message: string): void };
}

const strategies: readonly unknown[] = [undefined, 'strict', 'warn', 'fallback'] satisfies StructuredOutput['errorStrategy'][];
const injections: readonly unknown[] = [
  undefined,
  true,
  false,
  'system',
  'inline',
  'auto',
] satisfies StructuredOutput['jsonPromptInjection'][];

const separate = 'a second model would write words that no guard has seen; ask the model of the agent, or another agent.';
const known = new Set(['schema', 'errorStrategy', 'fallbackValue', 'jsonPromptInjection', 'instructions', 'logger']);
/** Fields that Mastra has, and that ask for what is not done here. */
const refused: Readonly<Record<string, string>> = { model: separate, useAgent: separate, providerOptions: separate };

type Refusal = 'agent/invalid-option' | 'agent/unsupported-option' | 'agent/unknown-option';

const fail = (code: Refusal, field: string, detail?: string): never => {
  throw new InterlockError(code, { path: `structuredOutput${field}`, detail });
};

/** Refuses a `structuredOutput` that cannot be kept to the letter. Raises `agent/…-option` with the field's name. */
export const checkStructuredOutput = (given: unknown): void => {
  if (given === undefined) return;
  if (!isPlainObject(given) || given.schema === undefined || given.schema === null)
    return fail('agent/invalid-option', '', 'it needs a schema.');
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined || known.has(name)) continue;
    fail(refused[name] ? 'agent/unsupported-option' : 'agent/unknown-option', `.${name}`, refused[name]);
  }
  checkFields(given);
  try {
    readOutputSchema(given.schema);
  } catch (cause) {
    throw new InterlockError('agent/invalid-option', { path: 'structuredOutput.schema', cause });
  }
};

const checkFields = ({ errorStrategy, fallbackValue, jsonPromptInjection, instructions }: Record<string, unknown>): void => {
  if (!strategies.includes(errorStrategy))
    fail('agent/invalid-option', '.errorStrategy', 'it must be "strict", "warn" or "fallback".');
  if (errorStrategy === 'fallback' && fallbackValue === undefined) fail('agent/invalid-option', '.fallbackValue', 'which value?');
  if (!injections.includes(jsonPromptInjection))
    fail('agent/invalid-option', '.jsonPromptInjection', 'it must be true, false, "system", "inline" or "auto".');
  if (instructions !== undefined && !jsonPromptInjection)
    fail('agent/unsupported-option', '.instructions', 'without jsonPromptInjection they say nothing.');
};
