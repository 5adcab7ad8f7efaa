import type { ProcessLLMRequestArgs } from '@mastra/core/processors';
import { editLeaves } from '../text/edit-leaves.js';

type Prompt = ProcessLLMRequestArgs['prompt'];
type Content = Prompt[number]['content'];
type EditText = (text: string) => string;

/** Fields of a prompt's parts that hold what somebody said, called or got; the others are names, ids and files. */
const spoken = new Set(['text', 'input', 'output']);

/** Edits what is said in a prompt: texts, reasoning, arguments and results of tools. What did not change is shared. */
export const editPrompt = (prompt: Prompt, edit: EditText): Prompt =>
  prompt.map((message) => {
    const content = editContent(message.content, edit);
    return content === message.content ? message : ({ ...message, content } as typeof message); // of the same shape
  });

const editContent = (content: Content, edit: EditText): Content => {
  if (typeof content === 'string') return edit(content);
  const parts = content.map((part) => editPart(part, edit));
  return parts.every((part, index) => part === content[index]) ? content : parts;
};

const editPart = <Part extends object>(part: Part, edit: EditText): Part => {
  const changes = Object.entries(part).flatMap(([name, value]) => {
    const edited: unknown = spoken.has(name) ? editLeaves(value, edit) : value;
    return Object.is(edited, value) ? [] : [[name, edited] as const];
  });
  return changes.length === 0 ? part : { ...part, ...Object.fromEntries(changes) };
};
