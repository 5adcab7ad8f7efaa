import { RequestContext } from '@mastra/core/request-context';
import { Hono } from 'hono';
import { isInterlockError } from 'mastra-interlock';
import { z } from 'zod';
import type { createTeamBot } from './agent.ts';

/** A message as a chat service sends it. A real one is signed: check the signature before you read it. */
const event = z.object({ user: z.string(), thread: z.string(), text: z.string() });

/** The text for the user after a guard stopped the run: it says what to do, and does not name the guard. */
const sorry = (metadata: unknown): string => {
  const { retryAfterMs } = Object(metadata) as { retryAfterMs?: number };
  return retryAfterMs === undefined ? 'I cannot help with that.' : `Please wait ${Math.ceil(retryAfterMs / 60_000)} minute.`;
};

/** `POST /events` answers a message. A guard that fails is an outage (503), so that the chat service tries again. */
export const createServer = (bot: ReturnType<typeof createTeamBot>): Hono => {
  const app = new Hono();
  app.post('/events', async (context) => {
    const message = event.safeParse(await context.req.json().catch(() => undefined));
    if (!message.success) return context.json({ error: 'A message has a user, a thread and a text.' }, 400);
    const { user, thread, text } = message.data;
    const requestContext = new RequestContext();
    requestContext.set('mastra__resourceId', user); // the limit counts per user
    const { tripwire, text: answer } = await bot.generate(text, { requestContext });
    return context.json({ thread, text: tripwire ? sorry(tripwire.metadata) : answer });
  });
  app.onError((error, context) => context.json({ error: isInterlockError(error) ? error.code : 'internal' }, 503));
  return app;
};
