/** Types of chunks with nested content: a tool's output, which may be the stream of a sub-agent or of a workflow's step. */
const toolOutputTypes = new Set(['tool-output', 'workflow-step-output']);

interface ToolOutput {
  readonly type: string;
  readonly payload?: unknown;
}

/** Whether a chunk has nested content. */
export const isToolOutputChunk = ({ type }: ToolOutput): boolean => toolOutputTypes.has(type);

/** The nested content. */
export const toolOutputValue = ({ payload }: ToolOutput): unknown => (payload as { output?: unknown } | undefined)?.output;

/** The nested chunk; undefined if the chunk contains something else, or nothing. */
export const toolOutputChunk = <C extends ToolOutput>(chunk: C): C | undefined => {
  if (!isToolOutputChunk(chunk)) return undefined;
  const value = toolOutputValue(chunk);
  const isChunk = typeof value === 'object' && value !== null && typeof (value as { type?: unknown }).type === 'string';
  return isChunk && 'payload' in value ? (value as C) : undefined; // nested chunks have the same form
};

/** The same chunk with other nested content. */
export const withToolOutput = <C extends ToolOutput>(chunk: C, output: unknown): C => ({
  ...chunk,
  payload: { ...(chunk.payload as object), output },
});
