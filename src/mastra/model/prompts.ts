import { aiV5ModelMessageToV2PromptMessage, type MastraDBMessage, type MessageList } from '@mastra/core/agent/message-list';
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
      { messagesOf: (list) => list.get.all.db(), convert: (list) => promptOf(list, model) },
      copies,
    );
    conversions.set(model, made);
    return made;
  };
  return async (list, model) => {
    dropStaleFields(list.get.all.db()); // a conversion may read only the last messages
    return (await (conversions.get(model) ?? conversionFor(model))(list)).map(copied);
  };
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
  dropStaleFields(list.get.all.db());
  return promptOf(list, model);
};

const promptOf = async (list: MessageList, model: ResolvedModel): Promise<Prompt> => {
  const messages = list.get.all.db();
  const prompt =
    model.specificationVersion === 'v2' && messages.every(isPlain) ? plainPrompt(list) : await fullPrompt(list, model);
  for (const { content } of prompt) if (Array.isArray(content)) content.forEach(fillInput);
  return prompt;
};

const fullPrompt = async (list: MessageList, model: ResolvedModel): Promise<Prompt> => {
  const { aiV5, aiV6, aiV7 } = list.get.all;
  const view = model.specificationVersion === 'v4' ? aiV7 : model.specificationVersion === 'v3' ? aiV6 : aiV5;
  return view.llmPrompt({ supportedUrls: await model.supportedUrls, targetProvider: model.provider });
};

/** The same without Mastra's steps for files and marked tool calls, which cost three times as much as the conversion. */
const plainPrompt = (list: MessageList): Prompt =>
  list.get.all.aiV5
    .prompt()
    .map(aiV5ModelMessageToV2PromptMessage)
    .filter(({ role, content }) => role === 'system' || content.length > 0);

/** Whether a message is no signal, and has no files and no tool calls with the provider's or Mastra's own marks. */
const isPlain = ({ role, content }: MastraDBMessage): boolean =>
  role !== 'signal' && !content.experimental_attachments && !content.parts.some(isMarked);

const isMarked = (part: MastraDBMessage['content']['parts'][number]): boolean =>
  part.type === 'file' || (part.type === 'tool-invocation' && Boolean(part.providerExecuted || part.providerMetadata));

/** Adds missing arguments: those that were not JSON are not stored, but providers reject a call without arguments. */
const fillInput = (part: { type: string; input?: unknown }): void => {
  if (part.type === 'tool-call') part.input ??= {};
};
