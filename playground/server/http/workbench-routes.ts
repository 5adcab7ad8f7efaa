import { Hono } from 'hono';
import { InterlockError, toFixture } from '../../../src/index.js';
import type { KnownPipeline } from '../catalog/known.js';
import { shapeOf } from '../catalog/graph-shape.js';
import { machineToMermaid } from '../draw/machine-mermaid.js';
import { pipelineToMermaid } from '../draw/pipeline-mermaid.js';
import { summaryOf, type Studio } from '../studio.js';
import { besideRuns } from '../again/beside-runs.js';
import { forkRun } from '../again/fork-run.js';
import { cutStream } from '../workbench/cut-stream.js';
import { findLeak } from '../workbench/find-leak.js';
import { runLabStream } from '../workbench/lab-stream.js';
import { replayRun } from '../workbench/replay-run.js';
import { tryPhase } from '../workbench/try-phase.js';
import { attached, plainName } from './attached.js';
import { findLeakSchema, fixtureQuerySchema, forkSchema, labStreamSchema, replaySchema, tryPhaseSchema } from './inputs.js';
import { readBody, readQuery } from './read-request.js';
import { traceOf } from './words-routes.js';

/** Pipelines at work: a phase tried, a stream cut, a run replayed; and what can be taken away. */
export const workbenchRoutes = (studio: Studio): Hono =>
  new Hono()
    .post('/pipelines/:id/try', async (c) => {
      const call = await readBody(c, tryPhaseSchema);
      return c.json(await tryPhase(await pipelineOf(studio, c.req.param('id')), call));
    })
    .get('/pipelines/:id/mermaid', async (c) => {
      const { id, graph } = await pipelineOf(studio, c.req.param('id'));
      return c.text(pipelineToMermaid(shapeOf(graph, id)));
    })
    .get('/machine/mermaid', (c) => c.text(machineToMermaid(studio.library.machine)))
    .post('/lab/stream', async (c) => {
      const call = await readBody(c, labStreamSchema);
      const { graph } = await pipelineOf(studio, call.pipelineId);
      return c.json(await runLabStream(graph, call.kind, await cutStream(call, (runId) => traceOf(studio, runId))));
    })
    .post('/lab/leak', async (c) => {
      const call = await readBody(c, findLeakSchema);
      return c.json(await findLeak((await pipelineOf(studio, call.pipelineId)).graph, call));
    })
    .post('/runs/:runId/replay', async (c) => {
      const { runId, agentId } = await summaryOf(studio, c.req.param('runId'));
      const choice = await readBody(c, replaySchema);
      const trace = await traceOf(studio, runId);
      return c.json(await replayRun(await studio.known(), { runId, agentId, trace }, choice));
    })
    .get('/runs/:runId/beside/:otherId', async (c) =>
      c.json(await besideRuns(studio, c.req.param('runId'), c.req.param('otherId'))),
    )
    .post('/runs/:runId/fork', async (c) => {
      const edits = await readBody(c, forkSchema);
      return c.json(await forkRun(studio, c.req.param('runId'), edits), 201);
    })
    .get('/runs/:runId/fixture', async (c) => {
      const { runId, agentId } = await summaryOf(studio, c.req.param('runId'));
      const { from, name } = readQuery(c, fixtureQuerySchema);
      const fixture = toFixture(await traceOf(studio, runId), {
        from: from ?? `./${agentId}.js`,
        name,
        trace: `./${plainName(runId)}.jsonl`,
      });
      attached(c, `${runId}.test.ts`);
      return c.text(from === undefined ? `${whereTheAgentIs}${fixture}` : fixture);
    });

const whereTheAgentIs = '// Change the import of the agent to the module and the name under which your application exports it.\n';

const pipelineOf = async (studio: Studio, id: string): Promise<KnownPipeline> => {
  const pipeline = (await studio.known()).pipelines.find((one) => one.id === id);
  if (!pipeline) throw new InterlockError('studio/not-found', { path: id });
  return pipeline;
};
