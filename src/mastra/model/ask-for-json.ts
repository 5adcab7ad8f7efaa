import type { Prompt, StepSettings } from '../../loop/ports.js';
import { readOutputSchema } from '../structured-output/output-schema.js';
import type { StructuredOutput } from '../structured-output/structured-output-options.js';

/** How a model is asked for an object: by the provider's setting, or in words. */
export interface JsonRequest {
  readonly prompt: Prompt;
  readonly responseFormat?: object;
}

/** Asks for the object that a step is to answer with, where it is. */
export const askForJson = (prompt: Prompt, settings: StepSettings['structuredOutput']): JsonRequest => {
  const { schema, jsonPromptInjection: place, instructions } = (settings ?? {}) as Partial<StructuredOutput>; // checked where it was given
  if (!schema) return { prompt };
  const { json } = readOutputSchema(schema);
  if (!place) return { prompt, responseFormat: { type: 'json', schema: json } };
  const words =
    instructions ?? `Answer with JSON alone, without any other words. It must fit this JSON schema:\n${JSON.stringify(json)}`;
  return { prompt: place === 'inline' ? inLastUserMessage(prompt, words) : inFirstSystemMessage(prompt, words) };
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
