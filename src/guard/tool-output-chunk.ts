/** Chunks that bring something from elsewhere: what a tool writes, which may be the stream of a sub-agent or of a workflow's step. */
const toolOutputTypes = new Set(['tool-output', 'workflow-step-output']);

interface ToolOutput {
  readonly type: string;
  readonly payload?: unknown;
}

/** Whether a chunk brings something from elsewhere. */
export const isToolOutputChunk = ({ type }: ToolOutput): boolean => toolOutputTypes.has(type);

/** What it brings. */
export const toolOutputValue = ({ payload }: ToolOutput): unknown => (payload as { output?: unknown } | undefined)?.output;

/** The chunk that a chunk brings; nothing where it brings something else, or nothing. */
export const toolOutputChunk = <C extends ToolOutput>(chunk: C): C | undefined => {
  if (!isToolOutputChunk(chunk)) return undefined;
  const value = toolOutputValue(chunk);
  const isChunk = typeof value === 'object' && value !== null && typeof (value as { type?: unknown }).type === 'string';
  return isChunk && 'payload' in value ? (value as C) : undefined; // chunks within are of the same form
};

/** The same chunk, bringing something else. */
export const withToolOutput = <C extends ToolOutput>(chunk: C, output: unknown): C => ({
  ...chunk,
  payload: { ...(chunk.payload as object), output },
});
