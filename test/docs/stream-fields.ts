import { streamRules } from '../../src/guard/stream-fields.js';

type Rules = typeof streamRules;

/** A field of a chunk, and its rule. */
export type StreamField = {
  [Chunk in keyof Rules]: {
    [Field in keyof Rules[Chunk]]: { readonly chunk: Chunk; readonly field: Field; readonly rule: Rules[Chunk][Field] };
  }[keyof Rules[Chunk]];
}[keyof Rules];

type NameOf<Row> = Row extends { readonly chunk: infer Chunk extends string; readonly field: infer Field extends string }
  ? `${Chunk}.${Field}`
  : never;
export type FieldName = NameOf<StreamField>;
export type JudgedField = Exclude<StreamField, { readonly rule: 'passed' }>;
export type JudgedName = NameOf<JudgedField>;

export const streamFields = Object.entries(streamRules).flatMap(([chunk, rules]) =>
  Object.entries(rules).map(([field, rule]) => ({ chunk, field, rule })),
) as StreamField[]; // the rows of the table

/** Each rule in a sentence, as the reference prints it. */
export const fieldRules: Readonly<Record<StreamField['rule'], string>> = {
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
};

interface FieldReason {
  readonly because: string;
  /** The same field of the AI SDK's part, where its names differ. */
  readonly aiSdk?: { readonly part?: string; readonly field?: string };
}

const words = 'The model wrote it.';
const ids = 'An id from the host or the provider; it links parts.';
const repeated = 'It repeats or quotes text of the answer: grounding segments, citations, log probabilities.';

/** The reason of each rule. */
export const fieldReasons: Readonly<Record<FieldName, FieldReason>> = {
  'text-delta.text': { aiSdk: { field: 'delta' }, because: words },
  'reasoning-delta.text': { aiSdk: { field: 'delta' }, because: words },
  'tool-call-delta.argsTextDelta': {
    aiSdk: { part: 'tool-input-delta', field: 'delta' },
    because: 'The tool call has the same arguments, and is judged first.',
  },
  'tool-call-input-streaming-start.toolName': { aiSdk: { part: 'tool-input-start' }, because: words },
  'tool-call.toolName': { because: words },
  'tool-call.args': { aiSdk: { field: 'input' }, because: words },
  'tool-result.result': { aiSdk: { field: 'output' }, because: 'A tool wrote it.' },
  'tool-error.error': { because: 'A tool wrote it; errors quote their input.' },
  'source.url': { because: 'The provider wrote it; an address can contain values.' },
  'source.title': { because: 'The provider wrote it.' },
  'source.filename': { because: 'The provider wrote it.' },
  'file.data': { because: 'The model made it.' },
  'file.base64': { because: 'The same file in another form.' },
  'file.filename': { because: words },
  'reasoning-file.data': { because: 'The model made it.' },
  'reasoning-file.base64': { because: 'The same file in another form.' },
  'custom.*': { because: 'Provider-specific content.' },
  'raw.*': { because: 'The provider’s original chunk, which arrives before its text is judged.' },
  'data-*.data': { because: 'Tools and guards of the application wrote it.' },
  'reasoning-signature.signature': { because: 'Opaque: the provider needs it back unchanged.' },
  'redacted-reasoning.data': { because: 'Encrypted: the provider needs it back unchanged.' },
  'response-metadata.*': { because: 'Id, time, model and headers of the response; no text of the answer.' },
  'finish.*': { because: 'Finish reason and usage; the loop writes the end of the step itself.' },
  'step-start.*': { because: 'The request after the input guards, and warnings about its settings.' },
  '*.providerMetadata': { because: repeated },
  '*.id': { because: ids },
  '*.toolCallId': { because: ids },
  '*.messageId': { because: ids },
  '*.approvalId': { because: ids },
  '*.sourceType': { because: 'One of two fixed values.' },
  '*.mimeType': { aiSdk: { field: 'mediaType' }, because: 'The media type of a file.' },
  '*.*': { because: 'Unknown fields and chunk types are read, not passed.' },
};
