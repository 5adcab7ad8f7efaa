import type { MessageList } from '@mastra/core/agent/message-list';
import type { LoopMessages, Prompt } from '../../loop/ports.js';
import type { ResolvedModel } from '../../phase/host.js';
import { createConversion } from '../messages/conversion.js';
import type { MessageCopies } from '../messages/message-copies.js';
import { dropStaleFields } from '../messages/sync-text-content.js';

/** Makes the prompts of one run: what a model was sent before is converted once for each model. */
export const createPrompts = (copies: MessageCopies): LoopMessages['toPrompt'] => {
  const conversions = new Map<ResolvedModel, (list: MessageList) => Promise<Prompt>>();
  const conversionFor = (model: ResolvedModel) => {
    const made = createConversion<Prompt[number]>(
      { messagesOf: (list) => list.get.all.db(), convert: (list) => toPrompt(list, model) },
      copies,
    );
    conversions.set(model, made);
    return made;
  };
  return async (list, model) => (await (conversions.get(model) ?? conversionFor(model))(list)).map(copied);
};

/** Middleware marks messages and parts in place: for this call, and not for those that follow. */
const copied = (message: Prompt[number]): Prompt[number] =>
  message.role === 'system'
    ? { ...message }
    : ({ ...message, content: message.content.map((part) => ({ ...part })) } as Prompt[number]); // of the same parts

/** The conversation as a model of this specification is to be sent it. */
export const toPrompt = async (list: MessageList, model: ResolvedModel): Promise<Prompt> => {
  const supportedUrls = await model.supportedUrls;
  const options = { supportedUrls, targetProvider: model.provider };
  const { aiV5, aiV6, aiV7 } = list.get.all;
  dropStaleFields(list.get.all.db());
  const view = model.specificationVersion === 'v4' ? aiV7 : model.specificationVersion === 'v3' ? aiV6 : aiV5;
  const prompt: Prompt = await view.llmPrompt(options);
  for (const { content } of prompt) if (Array.isArray(content)) content.forEach(fillInput);
  return prompt;
};

/** Arguments that were no JSON are absent from the conversation; providers refuse a call without any. */
const fillInput = (part: { type: string; input?: unknown }): void => {
  if (part.type === 'tool-call') part.input ??= {};
};
