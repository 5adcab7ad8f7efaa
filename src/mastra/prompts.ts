import type { MessageList } from '@mastra/core/agent/message-list';
import type { Prompt } from '../loop/ports.js';
import type { ResolvedModel } from '../phase/host.js';
import { createConversion } from './conversion.js';

/** Makes the prompts of one run: the conversation as the model that is called is to be sent it. */
export const createPrompts = (): ((list: MessageList, model: ResolvedModel) => Promise<Prompt>) => {
  const conversions = new Map<ResolvedModel, (list: MessageList) => Promise<Prompt>>();
  return (list, model) => {
    const known =
      conversions.get(model) ??
      createConversion<Prompt[number]>({
        messagesOf: (one) => one.get.all.db(),
        convert: (one) => toPrompt(one, model),
        hasSystem: true,
      });
    conversions.set(model, known);
    return known(list);
  };
};

/** The conversation as a model of this specification is to be sent it. */
export const toPrompt = async (list: MessageList, model: ResolvedModel): Promise<Prompt> => {
  const supportedUrls = await model.supportedUrls;
  const options = { supportedUrls, targetProvider: model.provider };
  const { aiV5, aiV6, aiV7 } = list.get.all;
  const view = model.specificationVersion === 'v4' ? aiV7 : model.specificationVersion === 'v3' ? aiV6 : aiV5;
  const prompt: Prompt = await view.llmPrompt(options);
  for (const { content } of prompt) if (Array.isArray(content)) content.forEach(fillInput);
  return prompt;
};

/** Arguments that were no JSON are absent from the conversation; providers refuse a call without any. */
const fillInput = (part: { type: string; input?: unknown }): void => {
  if (part.type === 'tool-call') part.input ??= {};
};
