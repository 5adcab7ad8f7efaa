import { Hono } from 'hono';
import { InterlockError, type InterlockAgent } from '../../../src/index.js';
import { toFixture, compareTraces, type Trace } from '../../../src/replay.js';
import { foldRun } from '../../fold/fold-run.js';
import { emptyRun } from '../../fold/run-view.js';
import type { KnownPipeline } from '../catalog/known.js';
import { shapeOf } from '../catalog/graph-shape.js';
import { pipelineToMermaid } from '../draw/pipeline-mermaid.js';
import { allLines, linesOf, summaryOf, type Studio } from '../studio.js';
import { cutStream } from '../workbench/cut-stream.js';
import { runLabStream } from '../workbench/lab-stream.js';
import { replayRun } from '../workbench/replay-run.js';
import { tryPhase } from '../workbench/try-phase.js';
import { attached, plainName } from './attached.js';
import { findLeakSchema, fixtureQuerySchema, forkSchema, labStreamSchema, replaySchema, tryPhaseSchema } from './inputs.js';
import { readBody, readQuery } from './read-request.js';
import { traceOf } from './words-routes.js';
import type { RunComparison, RunSummary, StartedRun } from '../../protocol/runs.js';
import type { StudioEntry } from '../../protocol/trace-entry.js';
import { comparedCalls } from '../runs/compared-calls.js';
import { traceOfLines } from '../runs/guard-words.js';
import type { Catalog, StateInfo } from '../../protocol/catalog.js';
import { fork } from '../workbench/fork.js';
import { traceOfKind } from '../../../src/trace/traces.js';
import type { ForkRun } from '../../protocol/again.js';
import { makeGuard } from '../again/chosen-guard.js';
import { interlockAgent, swapGuard } from '../again/swap-guard.js';
import { toWorkflow } from '../../../src/mastra/workflow/to-workflow.js';
import { checkFragments } from '../../../src/testing/index.js';
import type { FindLeak, LabStream, LabWindow, LeakSearch } from '../../protocol/workbench.js';
import type { TraceHeader } from '../../../schemas/index.js';

/** The workbench of pipelines: try a phase, cut a stream, replay a run, and export. */
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
      const pipeline = await pipelineOf(studio, call.pipelineId);
      const chunks = await cutStream(call, (runId) => traceOf(studio, runId));
      const window = await windowFor(studio, pipeline, call.cutting);
      return c.json(await runLabStream(pipeline.graph, call.kind, { chunks, window }));
    })
    .post('/lab/leak', async (c) => {
      const call = await readBody(c, findLeakSchema);
      return c.json(await findLeak(studio, await pipelineOf(studio, call.pipelineId), call));
    })
    .post('/runs/:runId/replay', async (c) => {
      const { runId, agentId } = await summaryOf(studio, c.req.param('runId'));
      const choice = await readBody(c, replaySchema);
      const trace = await traceOf(studio, runId);
      return c.json(await replayRun(await studio.known(), { runId, agentId, trace }, choice));
    })
    .get('/runs/:runId/compare/:otherId', async (c) =>
      c.json(await compareRuns(studio, c.req.param('runId'), c.req.param('otherId'))),
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
      return c.text(from === undefined ? `${importComment}${fixture}` : fixture);
    });

const importComment = '// Replace this import with the module and export name of the agent in your application.\n';

const pipelineOf = async (studio: Studio, id: string): Promise<KnownPipeline> => {
  const pipeline = (await studio.known()).pipelines.find((one) => one.id === id);
  if (!pipeline) throw new InterlockError('studio/not-found', { path: id });
  return pipeline;
};

/** Two recorded runs and their sub-runs, verdict by verdict; nothing in it is hidden from pages. Raises `studio/not-found`. */
const compareRuns = async (studio: Studio, runId: string, otherId: string): Promise<RunComparison> => {
  const [before, after] = await Promise.all([recorded(studio, runId), recorded(studio, otherId)]);
  const { before: first, after: second } = compareTraces(before.trace, after.trace);
  const answers = { before: before.emitted ?? first.text, after: after.emitted ?? second.text };
  return { before: before.summary, after: after.summary, answers, rows: await comparedRows(studio, [runId, otherId], []) };
};

/** The rows of two runs, then of their sub-runs: those of the same agent belong together, in the order of their start. */
const comparedRows = async (
  studio: Studio,
  [oneId, otherId]: readonly [string | undefined, string | undefined],
  agents: readonly string[],
): Promise<RunComparison['rows']> => {
  const [before, after] = await Promise.all(
    [oneId, otherId].map(async (id) => (id === undefined ? nothing : recorded(studio, id))),
  );
  const [subs, others] = await Promise.all([oneId, otherId].map((id) => subRunsOf(studio, id)));
  const [first, second] = [before ?? nothing, after ?? nothing];
  const rows = [...compareTraces(first.trace, second.trace).rows, ...comparedCalls(first.view, second.view)];
  const pairs = pairsOf(subs ?? [], others ?? []);
  const inside = await Promise.all(
    pairs.map(([one, other]) => comparedRows(studio, [one?.runId, other?.runId], [...agents, (one ?? other)?.agentId ?? ''])),
  );
  return [...rows.map((row) => ({ ...row, agents })), ...inside.flat()];
};

const nothing = { trace: [] as Trace, view: emptyRun };

const subRunsOf = async (studio: Studio, runId: string | undefined): Promise<readonly RunSummary[]> =>
  runId === undefined ? [] : (await studio.archive.list({ parent: runId, limit: 200 })).runs.toReversed();

type RunPair = readonly [one: RunSummary | undefined, other: RunSummary | undefined];

const pairsOf = (runs: readonly RunSummary[], others: readonly RunSummary[]): RunPair[] => {
  const rest = [...others];
  const pairs = runs.map((one): RunPair => {
    const index = rest.findIndex(({ agentId }) => agentId === one.agentId);
    return [one, index === -1 ? undefined : rest.splice(index, 1)[0]];
  });
  return [...pairs, ...rest.map((other): RunPair => [undefined, other])];
};

/** A run with its trace. Of the run of another host's loop, only the guards' events and the emitted text are known. */
const recorded = async (studio: Studio, runId: string) => {
  const summary = await summaryOf(studio, runId);
  const entries = (await linesOf(studio, { runId, kind: 'entry', ...allLines })).map((line) => JSON.parse(line) as StudioEntry);
  const view = foldRun(entries);
  const lines = await linesOf(studio, { runId, kind: 'trace', ...allLines });
  if (lines.length > 0) return { summary, view, trace: traceOfLines(lines) };
  const texts = entries.map((entry) => (entry.kind === 'left' && entry.part.type === 'text-delta' ? entry.text : ''));
  return { summary, view, trace: entries.filter((entry) => entry.kind === 'event'), emitted: texts.join('') }; // also of a blocked run: it was sent
};

/** A statechart as a Mermaid state diagram. */
const machineToMermaid = ({ states, transitions }: Catalog['machine']): string => {
  const within = (parent: string | undefined): StateInfo[] => states.filter((state) => state.parent === parent);
  const draw = (state: StateInfo, indent: string): string[] => {
    const inner = within(state.path);
    const name = state.path.split('.').at(-1) ?? state.path;
    const own = [`${indent}state "${name}" as ${idOf(state.path)}`];
    if (inner.length === 0) return own;
    const regions = inner.map((child) => level([child], `${indent}  `).concat(draw(child, `${indent}  `)));
    const body =
      state.type === 'parallel'
        ? regions.flatMap((lines, index) => (index > 0 ? [`${indent}  --`, ...lines] : lines))
        : regions.flat();
    return [`${indent}state "${name}" as ${idOf(state.path)} {`, ...body, `${indent}}`];
  };
  const level = (children: readonly StateInfo[], indent: string): string[] =>
    children.filter(({ isInitial }) => isInitial).map(({ path }) => `${indent}[*] --> ${idOf(path)}`);
  const top = within(undefined);
  const arrows = transitions
    .filter(({ from }) => from !== '')
    .map(({ from, to, event, guard }) => `  ${idOf(from)} --> ${idOf(to)} : ${event}${guard === undefined ? '' : ` [${guard}]`}`);
  const ends = top.filter(({ type }) => type === 'final').map(({ path }) => `  ${idOf(path)} --> [*]`);
  const lines = [...level(top, '  '), ...top.flatMap((state) => draw(state, '  ')), ...arrows, ...ends];
  return `stateDiagram-v2\n${lines.join('\n')}\n`;
};

const idOf = (path: string): string => path.replaceAll('.', '_');

/**
 * Starts a run that branches off a recorded one: with edited content, another model, or another guard. Raises `studio/not-found`,
 * `studio/content-withheld`, and the errors of a fork.
 */
const forkRun = async (studio: Studio, runId: string, edits: ForkRun): Promise<StartedRun> => {
  const { agentId } = await summaryOf(studio, runId);
  const trace = await traceOf(studio, runId);
  const known = await studio.known();
  const agent = interlockAgent(known, agentId);
  const { messages = {}, guard, instead, ...others } = edits;
  const guards = guard && swapGuard(agent, makeGuard(known, guard), instead);
  const last = traceOfKind(trace, 'input')[0]?.messages.findLast(({ role }) => role === 'user');
  const text = (last && (messages[last.id] ?? last.text)) ?? '';
  return studio.desk.start(agent, { text }, ({ log, controller }) =>
    fork(trace, agent.agent as InterlockAgent, {
      runId: log.runId,
      ...others,
      messages,
      guards,
      record: () => log.trace,
      abortSignal: controller.signal,
    }),
  );
};

/** The window of guards without their own: runs record the one of their agent. */
const windowFor = async (
  studio: Studio,
  { usedBy }: KnownPipeline,
  cutting?: LabStream['cutting'],
): Promise<LabWindow | undefined> => {
  const lists = await Promise.all(usedBy.map(async (agent) => studio.archive.list({ agent, limit: 1, sort: 'time' })));
  const runIds = cutting?.kind === 'recorded' ? [cutting.runId] : lists.flatMap(({ runs }) => runs.map(({ runId }) => runId));
  for (const runId of runIds) {
    const [line] = await linesOf(studio, { runId, kind: 'trace', from: 0, limit: 1 });
    const { window } = (line === undefined ? {} : JSON.parse(line)) as Partial<TraceHeader>; // its first line is its header
    if (window !== undefined) return window;
  }
  return undefined;
};

const shapes = { text: 'text', reasoning: 'reasoning', 'tool-input': 'arguments' } as const;

/** Searches for a cutting of a text that releases a piece of the fragment: in runs of an agent, like the test kit. */
const findLeak = async (
  studio: Studio,
  pipeline: KnownPipeline,
  { text, kind, fragment, allowed = 3, tries = 500 }: FindLeak,
): Promise<LeakSearch> => {
  const { graph } = pipeline;
  const window = await windowFor(studio, pipeline);
  const { runs, failures } = await checkFragments(
    toWorkflow(graph),
    { text, value: fragment, allowedChars: allowed },
    { shapes: [shapes[kind]], randomCuts: tries },
  );
  const [leak] = failures;
  if (!leak) return { tried: runs };
  const chunks = [...leak.pieces];
  const { output } = await runLabStream(graph, kind, { chunks, window });
  return { tried: runs, leak: { chunks, emitted: longestShared(output, fragment), output } };
};

/** The longest part of a fragment that occurs in a text. */
const longestShared = (text: string, fragment: string): string => {
  for (let length = fragment.length; length > 0; length -= 1)
    for (let at = 0; at + length <= fragment.length; at += 1) {
      const piece = fragment.slice(at, at + length);
      if (text.includes(piece)) return piece;
    }
  return '';
};
