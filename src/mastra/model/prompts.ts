import type { MessageList } from '@mastra/core/agent/message-list';
import type { LoopMessages, Prompt } from '../../loop/ports.js';
import type { ResolvedModel } from '../../phase/host.js';
import { copyPlain } from '../../phase/plain-data.js';
import { createConversion } from '../messages/conversion.js';
import type { MessageCopies } from '../messages/message-copies.js';
import { dropStaleFields } from '../messages/sync-text-content.js';

/** Creates the prompts of one run. Earlier messages are converted once for each model. */
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

/** Copies a message, because middleware marks messages and parts in place, and later calls must not get these marks. */
const copied = (message: Prompt[number]): Prompt[number] =>
  message.role === 'system'
    ? copiedPart(message)
    : ({ ...copiedPart(message), content: message.content.map(copiedPart) } as Prompt[number]); // with the same parts

const copiedPart = <T extends { providerOptions?: object }>(part: T): T =>
  part.providerOptions ? { ...part, providerOptions: copyPlain(part.providerOptions) } : { ...part };

/** The conversation in the form of the model's specification. */
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

/** Adds missing arguments: those that were not JSON are not stored, but providers reject a call without arguments. */
const fillInput = (part: { type: string; input?: unknown }): void => {
  if (part.type === 'tool-call') part.input ??= {};
};
