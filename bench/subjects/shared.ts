import { z } from 'zod';

/** Reads a stream to its end and counts the text in it. */
export const countDeltas = async (stream: AsyncIterable<{ type: string }>): Promise<number> => {
  let seen = 0;
  for await (const { type } of stream) if (type === 'text-delta') seen += 1;
  return seen;
};

/** The trivial tool of the tool loops, for whoever makes it a tool of his own. */
export const echo = {
  description: 'Gives back what it is given.',
  inputSchema: z.object({ n: z.number() }),
  execute: async ({ n }: { n: number }) => ({ n }),
};

const saying = (n: number): string => `Message ${n}: the parcel was sent on Monday and has not arrived yet.`;

/** A conversation of so many messages, the last by the user. */
export const history = (messages: number) =>
  Array.from({ length: messages }, (_, n) =>
    (messages - n) % 2 === 1
      ? { role: 'user' as const, content: saying(n) }
      : { role: 'assistant' as const, content: [{ type: 'text' as const, text: saying(n) }] },
  );
