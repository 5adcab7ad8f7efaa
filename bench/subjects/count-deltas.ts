/** Reads a stream to its end and counts the text in it. */
export const countDeltas = async (stream: AsyncIterable<{ type: string }>): Promise<number> => {
  let seen = 0;
  for await (const { type } of stream) if (type === 'text-delta') seen += 1;
  return seen;
};
