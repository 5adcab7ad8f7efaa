import { fieldsIn } from '../phase/plain-data.js';

/** The treatment of a field before it is emitted. */
type FieldRule = keyof typeof fieldRules;

/** Each rule in a sentence, as the reference prints it. */
export const fieldRules = {
  window:
    'Judged as it streams, and buffered until each stream guard has approved it. Guards with the window `delta` get each chunk.',
  texts:
    'Guards with a pattern read every text in the field, and edit it in place or block it. Other guards get the whole chunk.',
  arguments: 'Read once, as one text, if no tool call with the same arguments follows.',
  file: 'A text file is decoded, read like `texts`, and encoded again. For other files, only the address is read, and the content passes.',
  metadata:
    'Read like `texts`. If the texts of a list form a value together, the list is emptied. Fields that the provider needs back unchanged pass. After a guard has edited the answer, only those fields remain.',
  dropped:
    'Omitted if an output guard runs, because it repeats content that the guard has not judged yet. A guarded model of the AI SDK emits it after the answer, if guards edited nothing and find nothing in it.',
  passed: 'Emitted unchanged.',
} as const;

/** One row of the table: a field, its rule, and the reason. */
export interface StreamField {
  /** The type of Mastra's chunk; `*` for every type without a row of its own for the field. */
  readonly chunk: string;
  /** The field of the chunk's payload (of the chunk itself for `data`); `*` for the others. */
  readonly field: string;
  /** The same field of the AI SDK's part, where its names differ. */
  readonly aiSdk?: { readonly part?: string; readonly field?: string };
  readonly rule: FieldRule;
  readonly because: string;
}

const words = 'The model wrote it.';
const ids = 'An id from the host or the provider; it links parts.';
const repeated = 'It repeats or quotes text of the answer: grounding segments, citations, log probabilities.';

/**
 * Every emitted field of a stream; results, steps and messages are made from the emitted chunks, too. The gate and the pattern guards use
 * this table, tests put a secret into each of its rows, and docs/reference/phases.md prints it.
 */
export const streamFields = [
  { chunk: 'text-delta', field: 'text', aiSdk: { field: 'delta' }, rule: 'window', because: words },
  { chunk: 'reasoning-delta', field: 'text', aiSdk: { field: 'delta' }, rule: 'window', because: words },
  {
    chunk: 'tool-call-delta',
    field: 'argsTextDelta',
    aiSdk: { part: 'tool-input-delta', field: 'delta' },
    rule: 'arguments',
    because: 'The tool call has the same arguments, and is judged first.',
  },
  {
    chunk: 'tool-call-input-streaming-start',
    field: 'toolName',
    aiSdk: { part: 'tool-input-start' },
    rule: 'texts',
    because: words,
  },
  { chunk: 'tool-call', field: 'toolName', rule: 'texts', because: words },
  { chunk: 'tool-call', field: 'args', aiSdk: { field: 'input' }, rule: 'texts', because: words },
  { chunk: 'tool-result', field: 'result', aiSdk: { field: 'output' }, rule: 'texts', because: 'A tool wrote it.' },
  { chunk: 'tool-error', field: 'error', rule: 'texts', because: 'A tool wrote it; errors quote their input.' },
  { chunk: 'source', field: 'url', rule: 'texts', because: 'The provider wrote it; an address can contain values.' },
  { chunk: 'source', field: 'title', rule: 'texts', because: 'The provider wrote it.' },
  { chunk: 'source', field: 'filename', rule: 'texts', because: 'The provider wrote it.' },
  { chunk: 'file', field: 'data', rule: 'file', because: 'The model made it.' },
  { chunk: 'file', field: 'base64', rule: 'file', because: 'The same file in another form.' },
  { chunk: 'file', field: 'filename', rule: 'texts', because: words },
  { chunk: 'reasoning-file', field: 'data', rule: 'file', because: 'The model made it.' },
  { chunk: 'reasoning-file', field: 'base64', rule: 'file', because: 'The same file in another form.' },
  { chunk: 'custom', field: '*', rule: 'texts', because: 'Provider-specific content.' },
  {
    chunk: 'raw',
    field: '*',
    rule: 'dropped',
    because: 'The provider’s original chunk, which arrives before its text is judged.',
  },
  { chunk: 'data-*', field: 'data', rule: 'texts', because: 'Tools and guards of the application wrote it.' },
  {
    chunk: 'reasoning-signature',
    field: 'signature',
    rule: 'passed',
    because: 'Opaque: the provider needs it back unchanged.',
  },
  { chunk: 'redacted-reasoning', field: 'data', rule: 'passed', because: 'Encrypted: the provider needs it back unchanged.' },
  {
    chunk: 'response-metadata',
    field: '*',
    rule: 'passed',
    because: 'Id, time, model and headers of the response; no text of the answer.',
  },
  {
    chunk: 'finish',
    field: '*',
    rule: 'passed',
    because: 'Finish reason and usage; the loop writes the end of the step itself.',
  },
  {
    chunk: 'step-start',
    field: '*',
    rule: 'passed',
    because: 'The request after the input guards, and warnings about its settings.',
  },
  { chunk: '*', field: 'providerMetadata', rule: 'metadata', because: repeated },
  { chunk: '*', field: 'id', rule: 'passed', because: ids },
  { chunk: '*', field: 'toolCallId', rule: 'passed', because: ids },
  { chunk: '*', field: 'messageId', rule: 'passed', because: ids },
  { chunk: '*', field: 'approvalId', rule: 'passed', because: ids },
  { chunk: '*', field: 'sourceType', rule: 'passed', because: 'One of two fixed values.' },
  { chunk: '*', field: 'mimeType', aiSdk: { field: 'mediaType' }, rule: 'passed', because: 'The media type of a file.' },
  { chunk: '*', field: '*', rule: 'texts', because: 'Unknown fields and chunk types are read, not passed.' },
] as const satisfies readonly StreamField[];

const byChunk = new Map<string, Map<string, FieldRule>>();
for (const { chunk, field, rule } of streamFields) {
  const fields = byChunk.get(chunk) ?? new Map<string, FieldRule>();
  byChunk.set(chunk, fields.set(field, rule));
}

const general = byChunk.get('*') as Map<string, FieldRule>; // the table has rows for all types

/** The rule for a field of a chunk. */
export const ruleOf = (type: string, field: string): FieldRule => {
  const own = byChunk.get(type.startsWith('data-') ? 'data-*' : type);
  return own?.get(field) ?? (general.has(field) ? general.get(field) : own?.get('*')) ?? 'texts';
};

/** Whether guards with a pattern read fields of a rule in a whole chunk. */
export const isReadRule = (rule: FieldRule): boolean => rule !== 'passed' && rule !== 'arguments';

/** Whether the table has rows for this type. The chunks of a run's frame are recognized by their fields. */
export const isKnown = (type: string): boolean =>
  type.startsWith('data-') || /^(text|reasoning)-/.test(type) || [...(byChunk.get(type)?.values() ?? [])].some(isReadRule);

/** Whether a chunk is dropped if a guard buffers the text that it repeats. */
export const isDropped = (type: string): boolean => dropped.has(type);

const dropped: ReadonlySet<string> = new Set(streamFields.flatMap(({ chunk, rule }) => (rule === 'dropped' ? [chunk] : [])));

/** Types of chunks with nested content: a tool's output, which may be the stream of a sub-agent or of a workflow's step. */
const toolOutputTypes = new Set(['tool-output', 'workflow-step-output']);

interface ToolOutput {
  readonly type: string;
  readonly payload?: unknown;
}

/** Whether a chunk has nested content. */
export const isToolOutputChunk = ({ type }: ToolOutput): boolean => toolOutputTypes.has(type);

/** The nested content. */
export const toolOutputValue = ({ payload }: ToolOutput): unknown => fieldsIn(payload)['output'];

/** Whether a chunk repeats text that guards have yet to judge; so do the partial objects of a sub-agent. */
export const repeatsText = (chunk: ToolOutput): boolean => {
  if (!isToolOutputChunk(chunk)) return isDropped(chunk.type);
  const inner = toolOutputValue(chunk);
  if (typeof inner !== 'object' || inner === null || !('type' in inner) || !('from' in inner)) return false;
  return (inner.type === 'object' && 'object' in inner) || repeatsText(inner as ToolOutput); // a chunk
};

/** The nested chunk; a written text is a delta. Undefined if the chunk contains something else, or nothing. */
export const toolOutputChunk = <C extends ToolOutput>(chunk: C): C | undefined => {
  if (!isToolOutputChunk(chunk)) return undefined;
  const value = toolOutputValue(chunk);
  if (typeof value === 'string') return { ...chunk, type: 'text-delta', payload: { text: value } };
  const { type, payload } = fieldsIn(value);
  return typeof type === 'string' && payload !== undefined ? (value as C) : undefined; // nested chunks have the same form
};

/** The same chunk with other nested content, or in place of a written text, with the text of a delta. */
export const withToolOutput = <C extends ToolOutput>(chunk: C, content: unknown): C => {
  const { payload } = typeof toolOutputValue(chunk) === 'string' ? fieldsIn(content) : {};
  const output = payload === undefined ? content : fieldsIn(payload)['text'];
  return { ...chunk, payload: { ...fieldsIn(chunk.payload), output } };
};
