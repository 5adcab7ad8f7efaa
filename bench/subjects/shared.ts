import { z } from 'zod';

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
