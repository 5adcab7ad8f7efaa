import type { ProcessLLMRequestArgs } from '@mastra/core/processors';
import { changeTexts, inTurn } from '../../src/guard/in-steps.js';
import { readFields } from '../../src/guard/read-fields.js';
import { whenReady, type Awaitable } from '../../src/phase/awaitable.js';
import { fieldsIn } from '../../src/phase/plain-data.js';
import { editLeaves, type EditText } from '../messages/redact-messages.js';

export type Prompt = ProcessLLMRequestArgs['prompt'];
type Content = Prompt[number]['content'];

/** Fields of a prompt's parts that contain messages, arguments or results; all others are names and ids, and those of files. */
const textFields = new Set(['text', 'input', 'output']);

/** Edits the content of a prompt: texts, reasoning, text files, arguments and results of tools. Unchanged parts are shared. */
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

interface FilePart {
  readonly data?: unknown;
  readonly filename?: unknown;
  readonly mediaType?: unknown;
}

const isFile = (part: object): part is FilePart => 'type' in part && part.type === 'file';

/** The name, the address and the text of a file. */
const editFile = (part: FilePart, edit: EditText): Awaitable<object> => {
  const { data, filename, mediaType } = part;
  const fields = { data, filename, mimeType: mediaType };
  const edited = changeTexts((change) => readFields('file', fields, { change }), edit);
  return whenReady(edited, (left) => {
    if (left === fields) return part;
    const { mimeType: _same, ...changed } = left;
    return { ...part, ...changed };
  });
};

/** Mastra keeps a copy of what the model reads of a result, which a gateway would get with the prompt. */
const editField = (name: string, value: unknown, edit: EditText): Awaitable<unknown> => {
  if (textFields.has(name)) return editLeaves(value, edit);
  const { mastra } = name === 'providerOptions' ? fieldsIn(value) : {};
  return whenReady(editLeaves(mastra, edit), (to) => (to === mastra ? value : { ...(value as object), mastra: to }));
};

const editPart = (part: object, edit: EditText): Awaitable<object> => {
  if (isFile(part)) return editFile(part, edit);
  const edited = inTurn(Object.entries(part), ([name, value]) =>
    whenReady(editField(name, value, edit), (to) => [name, to, Object.is(to, value)] as const),
  );
  return whenReady(edited, (fields) =>
    fields.every(([, , isSame]) => isSame) ? part : Object.fromEntries(fields.map(([name, to]) => [name, to])),
  );
};
