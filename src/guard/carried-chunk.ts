/** Chunks that bring something from elsewhere: what a tool writes, which may be the stream of a sub-agent or of a workflow's step. */
const carriers = new Set(['tool-output', 'workflow-step-output']);

interface Carrier {
  readonly type: string;
  readonly payload?: unknown;
}

/** Whether a chunk brings something from elsewhere. */
export const isCarrier = ({ type }: Carrier): boolean => carriers.has(type);

/** What it brings. */
export const carriedValue = ({ payload }: Carrier): unknown => (payload as { output?: unknown } | undefined)?.output;

/** The chunk that a chunk brings; nothing where it brings something else, or nothing. */
export const carriedChunk = <C extends Carrier>(chunk: C): C | undefined => {
  if (!isCarrier(chunk)) return undefined;
  const value = carriedValue(chunk);
  const isChunk = typeof value === 'object' && value !== null && typeof (value as { type?: unknown }).type === 'string';
  return isChunk && 'payload' in value ? (value as C) : undefined; // chunks within are of the same form
};

/** The same chunk, bringing something else. */
export const withCarried = <C extends Carrier>(chunk: C, output: unknown): C => ({
  ...chunk,
  payload: { ...(chunk.payload as object), output },
});
