/** The treatment of a field before it is emitted. */
type FieldRule = keyof typeof fieldRules;

/** Each rule in a sentence, as the reference prints it. */
export const fieldRules = {
  window:
    'Judged as it streams: buffered until each guard with a window or a pattern has cleared it. Guards without a window see each chunk.',
  texts:
    'Every text in it is read by guards with a pattern, and edited in place or blocked. Other guards are given the whole chunk.',
  arguments: 'Read once, as one text, when no tool call follows that carries the same arguments.',
  file: 'A text file is decoded, read like `texts`, and encoded as it came. Of other files the address is read, and the content passes.',
  metadata:
    'Read like `texts`; a list whose texts add up to a value is emptied; fields that the provider needs back unchanged pass. Once a guard has edited the answer, only those fields are left.',
  dropped:
    'Left out where a guard of the output runs, because it repeats what the guard has yet to judge. A guarded model of the AI SDK sends it after the answer, if guards edited nothing and find nothing in it.',
  passed: 'Leaves as it came.',
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
const ids = 'An id of the host or the provider; parts are matched by it.';
const repeated = 'It repeats or quotes words of the answer: grounding segments, citations, log probabilities.';

/**
 * Every emitted field of a stream; results, steps and messages are made from the emitted chunks, too. The gate and the pattern guards use
 * this table, tests put a secret into each of its rows, and docs/reference/fields.md prints it.
 */
export const streamFields = [
  { chunk: 'text-delta', field: 'text', aiSdk: { field: 'delta' }, rule: 'window', because: words },
  { chunk: 'reasoning-delta', field: 'text', aiSdk: { field: 'delta' }, rule: 'window', because: words },
  {
    chunk: 'tool-call-delta',
    field: 'argsTextDelta',
    aiSdk: { part: 'tool-input-delta', field: 'delta' },
    rule: 'arguments',
    because: 'Its call carries the same arguments, and is judged first.',
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
  { chunk: 'tool-error', field: 'error', rule: 'texts', because: 'A tool wrote it; errors quote what they were given.' },
  { chunk: 'source', field: 'url', rule: 'texts', because: 'The provider wrote it; addresses carry values.' },
  { chunk: 'source', field: 'title', rule: 'texts', because: 'The provider wrote it.' },
  { chunk: 'source', field: 'filename', rule: 'texts', because: 'The provider wrote it.' },
  { chunk: 'file', field: 'data', rule: 'file', because: 'The model made it.' },
  { chunk: 'file', field: 'base64', rule: 'file', because: 'The same file in another form.' },
  { chunk: 'file', field: 'filename', rule: 'texts', because: words },
  { chunk: 'reasoning-file', field: 'data', rule: 'file', because: 'The model made it.' },
  { chunk: 'reasoning-file', field: 'base64', rule: 'file', because: 'The same file in another form.' },
  { chunk: 'custom', field: '*', rule: 'texts', because: 'Content of the provider in a form of its own.' },
  { chunk: 'raw', field: '*', rule: 'dropped', because: 'The provider’s own chunk, which comes before its words are judged.' },
  { chunk: 'data-*', field: 'data', rule: 'texts', because: 'Tools and guards of the application wrote it.' },
  {
    chunk: 'reasoning-signature',
    field: 'signature',
    rule: 'passed',
    because: 'Opaque: the provider wants it back unchanged.',
  },
  { chunk: 'redacted-reasoning', field: 'data', rule: 'passed', because: 'Encrypted: the provider wants it back unchanged.' },
  {
    chunk: 'response-metadata',
    field: '*',
    rule: 'passed',
    because: 'Id, time, model and headers of the response: no words of the answer.',
  },
  { chunk: 'finish', field: '*', rule: 'passed', because: 'Finish reason and usage; the loop writes its own end of the step.' },
  {
    chunk: 'step-start',
    field: '*',
    rule: 'passed',
    because: 'The request as guards of the input left it, and warnings about its settings.',
  },
  { chunk: '*', field: 'providerMetadata', rule: 'metadata', because: repeated },
  { chunk: '*', field: 'id', rule: 'passed', because: ids },
  { chunk: '*', field: 'toolCallId', rule: 'passed', because: ids },
  { chunk: '*', field: 'messageId', rule: 'passed', because: ids },
  { chunk: '*', field: 'approvalId', rule: 'passed', because: ids },
  { chunk: '*', field: 'sourceType', rule: 'passed', because: 'One of two words.' },
  { chunk: '*', field: 'mimeType', aiSdk: { field: 'mediaType' }, rule: 'passed', because: 'The kind of a file.' },
  { chunk: '*', field: '*', rule: 'texts', because: 'A field or a type of chunk that is not known is read rather than passed.' },
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
export const isDropped = (type: string): boolean => ruleOf(type, '*') === 'dropped';
