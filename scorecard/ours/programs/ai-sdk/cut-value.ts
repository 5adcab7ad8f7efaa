import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import type { LanguageModelV4StreamPart } from '@ai-sdk/provider';
import { streamText, wrapLanguageModel, type LanguageModelMiddleware } from 'ai';

import { report, serveModel } from '../../../scripted-model.js';

const { url } = await serveModel(['Your number is 4111', '-1111, keep it.']);

/** Judges each delta by itself. The documentation advises against it: keep a block until it ends. */
const noNumber: LanguageModelMiddleware = {
  specificationVersion: 'v4',
  wrapStream: async ({ doStream }) => {
    const { stream, ...rest } = await doStream();
    const judged = new TransformStream<LanguageModelV4StreamPart, LanguageModelV4StreamPart>({
      transform: (part, controller) => {
        if (part.type === 'text-delta' && part.delta.includes('4111-1111')) controller.error(new Error('a number'));
        else controller.enqueue(part);
      },
    });
    return { stream: stream.pipeThrough(judged), ...rest };
  },
};

const model = wrapLanguageModel({
  model: createOpenAICompatible({ name: 'local', baseURL: url })('scripted'),
  middleware: noNumber,
});
let reader = '';
for await (const text of streamText({ model, prompt: 'Hello.' }).textStream) reader += text;
report('4111-1111', { reader });
