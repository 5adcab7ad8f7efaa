import type { MastraModelConfig } from '@mastra/core/llm';
import type { PublicSchema } from '@mastra/core/schema';
import { didYouMean, type OptionFault } from '../../option-kind.js';
import { isRecord } from '../../phase/plain-data.js';
import { readOutputSchema } from './output-schema.js';

/** Structured output: the schema, and the handling of answers that do not match it. */
export interface StructuredOutput<OUTPUT = unknown> {
  /** Zod, any standard schema with a JSON form, the AI SDK's, or JSON schema. */
  readonly schema: PublicSchema<OUTPUT>;
  /**
   * Handling of a mismatch without retries left: `strict` fails the run with `output/invalid-object`, `warn` leaves the object
   * undefined, `fallback` uses `fallbackValue`. Default: `strict`.
   */
  readonly errorStrategy?: 'strict' | 'warn' | 'fallback';
  readonly fallbackValue?: OUTPUT;
  /**
   * Requests JSON in the prompt, for models without a setting for it: `true` and `'system'` in the first system message,
   * `'inline'` in the last user message, `'auto'` inline if Mastra's model registry does not list the model as capable. Default:
   * `false`, the provider's own setting.
   */
  readonly jsonPromptInjection?: boolean | 'system' | 'inline' | 'auto';
  /**
   * The text of `jsonPromptInjection`; with `model`, the instructions of the second model. Default: the schema as JSON; with
   * `model`, our own.
   */
  readonly instructions?: string;
  /**
   * A second model, which creates the object from the accepted answer in a separate run. The output guards judge that run, and
   * may trip this one. Default: the agent's model answers with the object.
   */
  readonly model?: MastraModelConfig;
  /** Settings for the provider of `model`. */
  readonly providerOptions?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /** Called for a response that does not match, under `warn`. */
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

const known = new Set([
  'schema',
  'errorStrategy',
  'fallbackValue',
  'jsonPromptInjection',
  'instructions',
  'logger',
  'model',
  'providerOptions',
]);
/** Fields of Mastra that are not supported here. */
const unsupported: Readonly<Record<string, string>> = {
  useAgent: 'the second model gets the accepted answer, not the conversation.',
};

const faultAt = (code: OptionFault['code'], field: string, detail?: string): OptionFault => ({
  code,
  path: `structuredOutput${field}`,
  detail,
});

/** All faults of a `structuredOutput`, with the fields' names. */
export const structuredOutputFaults = (value: unknown): readonly OptionFault[] => {
  if (!isRecord(value)) return [faultAt('agent/invalid-option', '', 'it needs a schema.')];
  const { schema = null } = value;
  const others = Object.keys(value).filter((name) => value[name] !== undefined && !known.has(name));
  return [
    schema === null ? faultAt('agent/invalid-option', '', 'it needs a schema.') : schemaFault(schema),
    ...others.map(otherFault),
    fieldFault(value),
  ].filter((fault) => fault !== undefined);
};

const otherFault = (name: string): OptionFault => {
  const detail = unsupported[name];
  if (detail) return faultAt('agent/unsupported-option', `.${name}`, detail);
  return faultAt('agent/unknown-option', `.${name}`, didYouMean(name, known) ?? 'there is no such option.');
};

const schemaFault = (schema: unknown): OptionFault | undefined => {
  try {
    readOutputSchema(schema);
    return undefined;
  } catch (cause) {
    return { ...faultAt('agent/invalid-option', '.schema'), cause };
  }
};

const fieldFault = ({
  errorStrategy,
  fallbackValue,
  jsonPromptInjection,
  instructions,
  model,
  providerOptions,
}: Record<string, unknown>): OptionFault | undefined => {
  if (!strategies.includes(errorStrategy))
    return faultAt('agent/invalid-option', '.errorStrategy', 'it must be "strict", "warn" or "fallback".');
  if (errorStrategy === 'fallback' && fallbackValue === undefined)
    return faultAt('agent/invalid-option', '.fallbackValue', 'set it for errorStrategy "fallback".');
  if (!injections.includes(jsonPromptInjection))
    return faultAt('agent/invalid-option', '.jsonPromptInjection', 'it must be true, false, "system", "inline" or "auto".');
  if (model) return undefined;
  if (providerOptions !== undefined)
    return faultAt('agent/unsupported-option', '.providerOptions', 'without model, pass them as providerOptions of the call.');
  return instructions !== undefined && !jsonPromptInjection
    ? faultAt('agent/unsupported-option', '.instructions', 'without model or jsonPromptInjection they have no effect.')
    : undefined;
};
