import type { MastraModelConfig } from '@mastra/core/llm';
import type { PublicSchema } from '@mastra/core/schema';
import {
  aBoolean,
  anObject,
  asAgentFault,
  aText,
  either,
  fieldsOf,
  instanceWith,
  kind,
  oneOf,
  recordOf,
  type OptionFault,
  type OptionKind,
} from '../../option-kind.js';
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

const anything = kind('a value', () => true);

const fields = fieldsOf({
  schema: anything, // read below
  errorStrategy: oneOf('strict', 'warn', 'fallback'),
  fallbackValue: anything,
  jsonPromptInjection: either(aBoolean, oneOf('system', 'inline', 'auto')),
  instructions: aText,
  model: anything, // resolved with the agent's models
  providerOptions: recordOf(anObject),
  logger: instanceWith('warn', 'an object with a `warn` method'),
} satisfies Record<keyof StructuredOutput, OptionKind>);

const name = 'structuredOutput';
const needsSchema: OptionFault = { code: 'agent/invalid-option', path: name, detail: 'it needs a schema.' };
const unsupported = (field: string, detail: string): OptionFault => ({
  code: 'agent/unsupported-option',
  path: `${name}.${field}`,
  detail,
});

/** All faults of a `structuredOutput`, with the fields' names. */
export const structuredOutputFaults = (value: unknown): readonly OptionFault[] => {
  if (!isRecord(value)) return [needsSchema];
  const { useAgent, ...own } = value; // Mastra's
  return [
    schemaFault(own['schema'] ?? undefined),
    useAgent === undefined
      ? undefined
      : unsupported('useAgent', 'the second model gets the accepted answer, not the conversation.'),
    ...fields.faultsOf(own, name).map(asAgentFault),
    combinationFault(own as Partial<StructuredOutput>),
  ].filter((fault) => fault !== undefined);
};

const schemaFault = (schema: unknown): OptionFault | undefined => {
  if (schema === undefined) return needsSchema;
  try {
    readOutputSchema(schema);
    return undefined;
  } catch (cause) {
    return { code: 'agent/invalid-option', path: `${name}.schema`, cause };
  }
};

const combinationFault = (given: Partial<StructuredOutput>): OptionFault | undefined => {
  const { errorStrategy, fallbackValue, jsonPromptInjection, instructions, model, providerOptions } = given;
  if (errorStrategy === 'fallback' && fallbackValue === undefined)
    return { code: 'agent/invalid-option', path: `${name}.fallbackValue`, detail: 'set it for errorStrategy "fallback".' };
  if (model) return undefined;
  if (providerOptions !== undefined)
    return unsupported('providerOptions', 'without model, pass them as providerOptions of the call.');
  return instructions !== undefined && !jsonPromptInjection
    ? unsupported('instructions', 'without model or jsonPromptInjection they have no effect.')
    : undefined;
};
