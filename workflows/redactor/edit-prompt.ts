import type { ProcessLLMRequestArgs } from '@mastra/core/processors';
import { inTurn } from '../../src/guard/in-steps.js';
import { whenReady, type Awaitable } from '../../src/phase/awaitable.js';
import { editLeaves } from '../text/edit-leaves.js';

type Prompt = ProcessLLMRequestArgs['prompt'];
type Content = Prompt[number]['content'];
type EditText = (text: string) => Awaitable<string>;

/** Fields of a prompt's parts that hold what somebody said, called or got; the others are names, ids and files. */
const spoken = new Set(['text', 'input', 'output']);

/** Edits what is said in a prompt: texts, reasoning, arguments and results of tools. What did not change is shared. */
export const editPrompt = (prompt: Prompt, edit: EditText): Awaitable<Prompt> =>
  inTurn(prompt, (message) =>
    whenReady(
      editContent(message.content, edit),
      (content) => (content === message.content ? message : ({ ...message, content } as typeof message)), // of the same shape
    ),
  );

const editContent = (content: Content, edit: EditText): Awaitable<Content> => {
  if (typeof content === 'string') return edit(content);
  const parts = inTurn(content as readonly object[], (part) => editPart(part, edit));
  return whenReady(parts, (edited) => (edited.every((part, index) => part === content[index]) ? content : (edited as Content))); // as above
};

const editPart = <Part extends object>(part: Part, edit: EditText): Awaitable<Part> => {
  const edited = inTurn(Object.entries(part), ([name, value]) =>
    whenReady(spoken.has(name) ? editLeaves(value, edit) : value, (to: unknown) => [name, to, Object.is(to, value)] as const),
  );
  return whenReady(
    edited,
    (fields) =>
      fields.every(([, , isSame]) => isSame) ? part : (Object.fromEntries(fields.map(([name, to]) => [name, to])) as Part), // as above
  );
};
