import type { MastraDBMessage } from '@mastra/core/agent/message-list';
import type { ProcessInputArgs } from '@mastra/core/processors';
import { readFields } from '../../src/guard/read-fields.js';
import { leavesOf } from '../../src/guard/map-texts.js';
import { textsOf } from './message-text.js';

/** The text files of a message, decoded, and the names of its files. */
export const attachedTexts = ({ content }: MastraDBMessage): string[] => {
  const texts: string[] = [];
  const change = (text: string): string => {
    texts.push(text);
    return text;
  };
  for (const part of content.parts ?? []) if (part.type === 'file') readFields('file', { ...part, type: undefined }, { change });
  return texts;
};

/** Assistant turns that a client sends as if they were real, with the tool results in them. */
export const madeUpTexts = ({ messageList }: Partial<Pick<ProcessInputArgs, 'messageList'>>): string[] =>
  (messageList?.get.input.db() ?? [])
    .filter(({ role }) => role === 'assistant')
    .flatMap((message) => [...textsOf(message), ...resultsIn(message)]);

const resultsIn = ({ content }: MastraDBMessage): string[] =>
  (content.parts ?? [])
    .flatMap((part) =>
      part.type === 'tool-invocation' && part.toolInvocation.state === 'result' ? leavesOf(part.toolInvocation.result) : [],
    )
    .map(String);
