import * as mastraLlm from '@mastra/core/llm'; // older versions lack a name of it, and are refused with an error that says so
import type { Prompt, StepSettings } from '../../loop/ports.js';
import type { ResolvedModel } from '../../phase/host.js';
import { isStrict, jsonSchemaFor } from '../structured-output/output-schema.js';
import type { StructuredOutput } from '../structured-output/structured-output-options.js';

/** How a model is asked for an object: with the provider's setting, or in words. */
export interface JsonRequest {
  readonly prompt: Prompt;
  readonly responseFormat?: object;
  /** Options that the provider needs to keep to the schema. */
  readonly providerOptions?: Record<string, Record<string, unknown>>;
}

/** Asks a model for the object that the step must answer with. Changes nothing for a step without structured output. */
export const askForJson = (prompt: Prompt, settings: StepSettings['structuredOutput'], model: ResolvedModel): JsonRequest => {
  const { schema, instructions, ...asked } = (settings ?? {}) as Partial<StructuredOutput>; // checked where it was given
  if (!schema) return { prompt };
  const place = placeOf(asked.jsonPromptInjection, model);
  const json = jsonSchemaFor(schema, model);
  if (!place)
    return {
      prompt,
      responseFormat: { type: 'json', schema: json },
      ...(isStrict(model) && { providerOptions: { openai: { strictJsonSchema: true } } }),
    };
  const words =
    instructions ?? `Answer with JSON alone, without any other words. It must fit this JSON schema:\n${JSON.stringify(json)}`;
  return { prompt: place === 'inline' ? inLastUserMessage(prompt, words) : inFirstSystemMessage(prompt, words) };
};

/**
 * Some models reject a prompt that ends with an assistant message: Claude from 4.6 on for structured output, Gemini from 3 on always.
 * Then a short user message ends it, for this call only; Mastra's own guard for this adds the same words.
 */
export const endingWithUser = ({ prompt, responseFormat }: JsonRequest, { provider, modelId }: ResolvedModel): Prompt => {
  const isGemini = /google|vertex/.test(provider) && isFrom(/gemini-(\d+)/i.exec(modelId ?? ''), [3, 0]);
  const isClaude =
    provider.includes('anthropic') && isFrom(/claude(?:-[a-z]+)*-(\d+)(?:[-.](\d{1,2})(?!\d))?/i.exec(modelId ?? ''), [4, 6]);
  if (prompt.at(-1)?.role !== 'assistant' || !(isGemini || (isClaude && responseFormat))) return prompt;
  const text = responseFormat ? 'Generate the structured response.' : 'Continue.';
  return [...prompt, { role: 'user', content: [{ type: 'text', text }] }];
};

/** Whether a model's version is at least the given one. An unknown version counts as a new one. */
const isFrom = (version: RegExpExecArray | null, [major, minor]: readonly [number, number]): boolean => {
  if (!version) return true;
  const [own, ownMinor] = [Number(version[1]), Number(version[2] ?? 0)];
  return own > major || (own === major && ownMinor >= minor);
};

const placeOf = (place: StructuredOutput['jsonPromptInjection'], { provider, modelId }: ResolvedModel) => {
  if (place !== 'auto') return place;
  return mastraLlm.modelSupportsStructuredOutput(`${provider.split('.')[0]}/${modelId}`) === true ? undefined : 'inline';
};

const inFirstSystemMessage = (prompt: Prompt, words: string): Prompt => {
  const [first, ...rest] = prompt;
  if (first?.role !== 'system') return [{ role: 'system', content: words }, ...prompt];
  return [{ ...first, content: `${first.content}\n\n${words}` }, ...rest];
};

const inLastUserMessage = (prompt: Prompt, words: string): Prompt => {
  const last = prompt.findLastIndex(({ role }) => role === 'user');
  return prompt.map((message, index) =>
    index === last && message.role === 'user'
      ? { ...message, content: [...message.content, { type: 'text', text: words }] }
      : message,
  );
};
