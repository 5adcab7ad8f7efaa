import type { MastraDBMessage, MastraMessagePart } from '@mastra/core/agent/message-list';
import { changeTexts } from '../../src/guard/in-steps.js';
import { readFields } from '../../src/guard/read-fields.js';
import { whenReady, type Awaitable } from '../../src/phase/awaitable.js';

type FilePart = Extract<MastraMessagePart, { type: 'file' }>;

/** A file's fields, read by the table of fields like a stream's file: text files are decoded; for others the address is read. */
const readPart = (part: FilePart, change: (text: string) => string): FilePart => {
  const { type, ...fields } = part;
  const changed = readFields(type, fields, { change });
  return changed === fields ? part : { ...part, ...changed };
};

/** The texts of a message's files: names, addresses, and content of text files. */
export const fileTextsOf = ({ content }: MastraDBMessage): string[] => {
  const texts: string[] = [];
  for (const part of content.parts ?? []) if (part.type === 'file') readPart(part, (text) => (texts.push(text), text));
  return texts;
};

/** A message with the texts of its files edited; the same object if nothing changes. */
export const editFiles = (message: MastraDBMessage, edit: (text: string) => Awaitable<string>): Awaitable<MastraDBMessage> => {
  const { parts } = message.content;
  if (!parts?.some(({ type }) => type === 'file')) return message;
  const edited = changeTexts((change) => {
    const changed = parts.map((part) => (part.type === 'file' ? readPart(part, change) : part));
    return changed.every((part, index) => part === parts[index]) ? parts : changed;
  }, edit);
  return whenReady(edited, (changed) =>
    changed === parts ? message : { ...message, content: { ...message.content, parts: changed } },
  );
};
