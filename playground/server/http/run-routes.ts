import { Hono, type Context } from 'hono';
import { streamSSE, type SSEStreamingApi } from 'hono/streaming';
import { InterlockError } from '../../../src/index.js';
import type { RunSummary } from '../../protocol/runs.js';
import { guardTotals } from '../again/guard-totals.js';
import { linesOf, summaryOf, type Studio } from '../studio.js';
import { answerCallSchema, entriesQuerySchema, runQuerySchema, startRunSchema } from './inputs.js';
import { readBody, readQuery } from './read-request.js';

/** Runs: started, watched, answered, canceled, listed. */
export const runRoutes = (studio: Studio): Hono => {
  const { desk, archive } = studio;
  return new Hono()
    .get('/runs', async (c) => c.json(await archive.list(readQuery(c, runQuerySchema))))
    .get('/guards', async (c) => c.json(await guardTotals(studio, readQuery(c, runQuerySchema))))
    .get('/runs/:runId', async (c) => c.json(await summaryOf(studio, c.req.param('runId'))))
    .get('/runs/:runId/entries', async (c) => {
      const { runId } = await summaryOf(studio, c.req.param('runId'));
      const lines = await linesOf(studio, { runId, kind: 'entry', ...readQuery(c, entriesQuerySchema) });
      return c.body(`[${lines.join(',')}]`, 200, { 'Content-Type': 'application/json' }); // the lines are JSON
    })
    .post('/agents/:agentId/runs', async (c) => {
      const call = await readBody(c, startRunSchema);
      const agentId = c.req.param('agentId');
      const agent = (await studio.known()).agents.find(({ id }) => id === agentId);
      if (!agent) throw new InterlockError('studio/not-found', { path: agentId });
      return c.json(await desk.start(agent, call), 201);
    })
    .post('/runs/:runId/answer', async (c) => {
      const { runId } = await summaryOf(studio, c.req.param('runId'));
      return c.json(await desk.answer(runId, await readBody(c, answerCallSchema)));
    })
    .post('/runs/:runId/cancel', async (c) => {
      const { runId } = await summaryOf(studio, c.req.param('runId'));
      desk.cancel(runId);
      return c.body(null, 204);
    })
    .get('/live', (c) =>
      eventStream(c, async (stream, gone) => {
        const stop = studio.announcer.listen((summary: RunSummary) => void stream.writeSSE({ data: JSON.stringify(summary) }));
        await stream.write(': listening\n\n');
        await gone;
        stop();
      }),
    );
};

/** How often a silent stream says that it is there, so that nobody in between closes it. */
const heartbeatMs = 15_000;

/** Opens an event stream with a heartbeat. */
const eventStream = (context: Context, write: (stream: SSEStreamingApi, gone: Promise<void>) => Promise<void>): Response => {
  context.header('X-Accel-Buffering', 'no'); // a proxy is not to collect it
  return streamSSE(context, async (stream) => {
    const gone = Promise.withResolvers<void>();
    stream.onAbort(() => gone.resolve());
    const heartbeat = setInterval(() => void stream.write(': still here\n\n'), heartbeatMs);
    try {
      await write(stream, gone.promise);
    } finally {
      clearInterval(heartbeat);
    }
  });
};
