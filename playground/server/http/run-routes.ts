import { Hono, type Context } from 'hono';
import { streamSSE, type SSEStreamingApi } from 'hono/streaming';
import { InterlockError } from '../../../src/index.js';
import type { RunSummary, GuardTotal, GuardTotals } from '../../protocol/runs.js';
import { linesOf, summaryOf, type Studio, allLines } from '../studio.js';
import { decide, decisionsOf } from '../catalog/decisions.js';
import { answerCallSchema, decideRunSchema, entriesQuerySchema, runQuerySchema, startRunSchema } from './inputs.js';
import { readBody, readQuery } from './read-request.js';
import { spreadOf } from '../../../src/trace/percentile.js';
import { foldRun } from '../../fold/fold-run.js';
import type { VerdictKind } from '../../../src/verdict.js';
import type { StudioEntry } from '../../protocol/trace-entry.js';
import type { RunQuery } from '../store/run-store.js';

/** Routes to start, watch, answer, cancel and list runs. */
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
    .get('/decisions', async (c) => c.json(await decisionsOf(await studio.known())))
    .post('/decisions', async (c) => {
      await decide(await studio.known(), await readBody(c, decideRunSchema));
      return c.body(null, 204);
    })
    .get('/live', (c) =>
      eventStream(c, async (stream, closed) => {
        const stop = studio.announcer.listen((summary: RunSummary) => void stream.writeSSE({ data: JSON.stringify(summary) }));
        await stream.write(': listening\n\n');
        await closed;
        stop();
      }),
    );
};

/** The interval of heartbeats on a silent stream, so that no proxy closes it. */
const heartbeatMs = 15_000;

/** Opens an event stream with a heartbeat. */
const eventStream = (context: Context, write: (stream: SSEStreamingApi, closed: Promise<void>) => Promise<void>): Response => {
  context.header('X-Accel-Buffering', 'no'); // a proxy must not buffer it
  return streamSSE(context, async (stream) => {
    const closed = Promise.withResolvers<void>();
    stream.onAbort(() => closed.resolve());
    const heartbeat = setInterval(() => void stream.write(': still here\n\n'), heartbeatMs);
    try {
      await write(stream, closed.promise);
    } finally {
      clearInterval(heartbeat);
    }
  });
};

/** The results of each guard in the runs of a query, the most blocks first: each at its place in the guards of an agent. */
const guardTotals = async (studio: Studio, query: RunQuery): Promise<GuardTotals> => {
  const { runs } = await studio.archive.list(query);
  const totals = new Map<string, Totals>();
  for (const { runId, agentId, tripwire } of runs) {
    const lines = await linesOf(studio, { runId, kind: 'entry', ...allLines });
    for (const mark of foldRun(lines.flatMap(withoutText)).lanes.flatMap(({ marks }) => marks)) {
      if (mark.kind === 'conflict' || mark.kind === 'stale' || mark.kind === 'late') continue; // no verdict of one guard
      const isShadow = mark.kind === 'shadow';
      const { processorId: guard, path } = mark;
      const key = `${agentId} ${path} ${isShadow}`;
      const first = { guard, agentId, path, isShadow, verdicts: { ...none }, bypassed: 0, stopped: new Set<string>(), times: [] };
      const total = totals.get(key) ?? first;
      totals.set(key, total);
      if (mark.durationMs !== undefined) total.times.push(mark.durationMs);
      if (mark.kind === 'bypass') total.bypassed += mark.calls;
      else total.verdicts[mark.verdict] += 1;
      if (isShadow ? mark.verdict === 'trip' : tripwire?.path === path) total.stopped.add(runId);
    }
  }
  const guards = [...totals.values()].map(totalOf);
  return {
    runs: runs.length,
    guards: guards.toSorted((a, b) => b.stoppedRuns - a.stoppedRuns || a.guard.localeCompare(b.guard)),
  };
};

interface Totals extends Pick<GuardTotal, 'guard' | 'agentId' | 'path' | 'isShadow'> {
  readonly verdicts: Record<VerdictKind, number>;
  bypassed: number;
  readonly stopped: Set<string>;
  readonly times: number[];
}

const none: Readonly<Record<VerdictKind, number>> = { pass: 0, edit: 0, retry: 0, trip: 0, unavailable: 0 };

const totalOf = ({ stopped, times, ...counts }: Totals): GuardTotal => ({
  ...counts,
  stoppedRuns: stopped.size,
  ...spreadOf(times),
});

/** Most lines of a run contain only text, and need not be read. */
const withoutText = (line: string): StudioEntry[] =>
  line.includes('"kind":"event"') || line.includes('"kind":"asked"') ? [JSON.parse(line) as StudioEntry] : []; // this studio's own lines
