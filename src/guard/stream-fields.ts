import { fieldsIn } from '../phase/plain-data.js';

/** The treatment of a field before it is emitted; docs/reference/phases.md explains each. */
type FieldRule = 'window' | 'texts' | 'arguments' | 'file' | 'metadata' | 'dropped' | 'passed';

/**
 * Every emitted field of a stream, by the type of Mastra's chunk (`*` for types without a row of their own for the field) and the field of
 * its payload (of the chunk itself for `data`; `*` for the others). Results, steps and messages are made from the emitted chunks, too. The
 * gate and the pattern guards use this table, tests put a secret into each of its rows, and docs/reference/phases.md prints it.
 */
export const streamRules = {
  'text-delta': { text: 'window' },
  'reasoning-delta': { text: 'window' },
  'tool-call-delta': { argsTextDelta: 'arguments' },
  'tool-call-input-streaming-start': { toolName: 'texts' },
  'tool-call': { toolName: 'texts', args: 'texts' },
  'tool-result': { result: 'texts' },
  'tool-error': { error: 'texts' },
  source: { url: 'texts', title: 'texts', filename: 'texts' },
  file: { data: 'file', base64: 'file', filename: 'texts' },
  'reasoning-file': { data: 'file', base64: 'file' },
  custom: { '*': 'texts' },
  raw: { '*': 'dropped' },
  'data-*': { data: 'texts' },
  'reasoning-signature': { signature: 'passed' },
  'redacted-reasoning': { data: 'passed' },
  'response-metadata': { '*': 'passed' },
  finish: { '*': 'passed' },
  'step-start': { '*': 'passed' },
  '*': {
    providerMetadata: 'metadata',
    id: 'passed',
    toolCallId: 'passed',
    messageId: 'passed',
    approvalId: 'passed',
    sourceType: 'passed',
    mimeType: 'passed',
    '*': 'texts',
  },
} as const satisfies Readonly<Record<string, Readonly<Record<string, FieldRule>>>>;

const byChunk = new Map(
  Object.entries(streamRules).map(([chunk, rules]) => [chunk, new Map<string, FieldRule>(Object.entries(rules))] as const),
);

/** The rule for a field of a chunk. */
export const ruleOf = (type: string, field: string): FieldRule => {
  const own = byChunk.get(type.startsWith('data-') ? 'data-*' : type);
  return own?.get(field) ?? byChunk.get('*')?.get(field) ?? own?.get('*') ?? 'texts';
};

/** Whether guards with a pattern read fields of a rule in a whole chunk. */
export const isReadRule = (rule: FieldRule): boolean => rule !== 'passed' && rule !== 'arguments';

/** Whether the table has rows for this type. The chunks of a run's frame are recognized by their fields. */
export const isKnown = (type: string): boolean =>
  type.startsWith('data-') || /^(text|reasoning)-/.test(type) || [...(byChunk.get(type)?.values() ?? [])].some(isReadRule);

/** Whether a chunk is dropped if a guard buffers the text that it repeats. */
export const isDropped = (type: string): boolean => byChunk.get(type)?.get('*') === 'dropped';

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
