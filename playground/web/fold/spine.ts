import { modelWords, statusWords, stepWords, tellTool } from '../../fold/facts.js';
import { durationOf, type RunTree } from '../../fold/run-tree.js';
import type { Lane, RunView, ToolCall } from '../../fold/run-view.js';
import { itemsOfMarks } from './guard-rows.js';
import type { Item, NewRow, SpineRow } from './spine-row.js';

/** Whether the rows below a row are shown, by its key. */
export type IsOpen = (key: string, byDefault: boolean) => boolean;

interface Walk {
  readonly tree: RunTree;
  readonly depth: number;
  readonly isOpenAt: IsOpen;
  readonly now: number;
}

/** With more attempts than this, those without facts are closed. */
const fewAttempts = 6;

/** Every row of a tree of runs, in order; rows of closed ones are left out. */
export const spineOf = (tree: RunTree, now: number, isOpenAt: IsOpen = (_, byDefault) => byDefault): SpineRow[] =>
  rowsOfRun({ tree, depth: 0, isOpenAt, now });

const rowsOfRun = (walk: Walk): SpineRow[] => {
  const { tree, depth, isOpenAt } = walk;
  const { view, run, subRuns } = tree;
  const isFlat = view.lanes.length === 1 && depth > 0;
  const known = new Set(view.lanes.flatMap(({ tools }) => tools.map(({ toolCallId }) => toolCallId)));
  const orphans = subRuns.filter(({ run: { parent } }) => !known.has(parent?.toolCallId ?? ''));
  const rows = view.lanes.flatMap((lane) => {
    const inside = rowsOfLane({ ...walk, depth: isFlat ? depth : depth + 1 }, lane);
    if (isFlat) return inside;
    const key = `${run.runId} lane ${lane.index}`;
    const isOpen = isOpenAt(key, view.lanes.length <= fewAttempts || inside.some(({ isFact }) => isFact));
    return [{ ...stepRow(walk, lane), key, runId: run.runId, depth, isOpen }, ...(isOpen ? inside : [])];
  });
  const end = endRow(walk);
  return [
    ...rows,
    ...orphans.flatMap((sub) => rowsOfAgent(walk, sub)),
    ...(end ? [{ ...end, key: `${run.runId} end`, runId: run.runId, depth }] : []),
  ];
};

/** A track that a later one follows is over, also if its end was not recorded. */
const endOfLane = (view: RunView, lane: Lane, now: number): number =>
  lane.reason === undefined && lane.index === view.lanes.length - 1 && view.status === 'running' ? now : lane.lastAt;

const stepRow = ({ tree: { view }, now }: Walk, lane: Lane): NewRow => {
  const isCanceled = view.status === 'canceled' && lane.reason === 'error';
  const { tone, word } = isCanceled
    ? statusWords.canceled
    : lane.reason
      ? stepWords[lane.reason]
      : { tone: 'out' as const, word: view.status === 'running' ? 'running' : '' };
  const to = endOfLane(view, lane, now);
  return {
    kind: 'step',
    seq: (view.lanes[lane.index + 1]?.startSeq ?? view.seq + 1) - 1,
    name: `Step ${lane.stepNumber + 1}${lane.attempt > 1 ? `, attempt ${lane.attempt}` : ''}`,
    tone,
    word,
    isFact: lane.reason === 'retry' || (lane.reason === 'error' && !isCanceled),
    ownMs: durationOf({
      ...view,
      startedAt: lane.startedAt,
      endedAt: to,
      pauses: view.pauses.filter(({ from }) => from >= lane.startedAt && from <= to),
    }),
    from: lane.startedAt,
    to,
    lane: lane.index,
  };
};

const endRow = ({ tree: { view }, depth }: Walk): NewRow | undefined => {
  const { status, endedAt, seq, error } = view;
  const { tone, word, isFact } = statusWords[status];
  if (status === 'running' || status === 'observed' || endedAt === undefined || (depth > 0 && (!isFact || status === 'tripwire')))
    return undefined;
  const note = error?.message;
  return { kind: 'end', seq, name: 'Result', tone, word, note, isFact, from: endedAt, to: endedAt };
};

const rowsOfLane = (walk: Walk, lane: Lane): SpineRow[] => {
  const { tree, depth, isOpenAt } = walk;
  const { runId } = tree.run;
  const items = [
    ...itemsOfMarks(lane),
    ...itemsUnderWay(walk, lane),
    ...itemsOfModels(walk, lane),
    ...lane.tools.map((call) => itemOfTool(walk, lane, call)),
    ...lane.retractions.map(({ seq, at }): Item => ({
      id: `retraction ${seq}`,
      kind: 'retraction',
      seq,
      name: 'Sent text',
      tone: 'retry',
      word: 'retracted',
      isFact: true,
      from: at,
      to: at,
    })),
  ].toSorted((a, b) => a.from - b.from || a.seq - b.seq);
  return items.flatMap(({ id, inside, ...shown }) => {
    const item = { ...shown, lane: lane.index };
    const key = `${runId} ${lane.index} ${id}`;
    if (!inside || inside.length === 0) return [{ ...item, key, runId, depth }];
    const isOpen = isOpenAt(key, item.kind === 'agent');
    return [
      { ...item, key, runId, depth, isOpen },
      ...(isOpen ? inside.map((row) => ({ ...row, runId: row.runId || runId, depth: row.depth || depth + 1 })) : []),
    ];
  });
};

/** Guards that were called and have no verdict yet: also one that hangs. */
const itemsUnderWay = ({ tree: { view }, now }: Walk, lane: Lane): Item[] => {
  if (view.status !== 'running' || lane.reason !== undefined || lane.index !== view.lanes.length - 1) return [];
  return lane.guardCalls
    .filter((call) => !lane.marks.some(({ phase, seq }) => phase === call.phase && seq > call.seq))
    .map(({ seq, at, phase, pipelineId }): Item => ({
      id: `calling ${seq}`,
      kind: 'guard',
      seq,
      name: 'guards',
      phase,
      tone: 'out',
      word: 'checking',
      ownMs: now - at,
      from: at,
      to: now,
      place: { phase, path: pipelineId },
    }));
};

const itemsOfModels = ({ tree: { view }, now }: Walk, lane: Lane): Item[] =>
  lane.models.map(({ seq, from, to, modelId, outcome, note }): Item => {
    const isUnderWay = outcome === 'running' && view.status === 'running';
    const end = to ?? (isUnderWay ? now : lane.lastAt);
    const { tone, word, isFact } = modelWords[outcome];
    const shown =
      outcome === 'running' && !isUnderWay
        ? lane.reason === undefined
          ? 'no end recorded'
          : 'stopped'
        : outcome === 'finished'
          ? (note ?? word)
          : word;
    return {
      id: `model ${seq}`,
      kind: 'model',
      seq,
      name: modelId,
      tone,
      word: shown,
      note: isFact ? note : undefined,
      isFact,
      ownMs: end - from,
      from,
      to: end,
    };
  });

const agentPrefix = 'agent-'; // Mastra's name of a tool that is a sub-agent

const itemOfTool = (walk: Walk, lane: Lane, call: ToolCall): Item => {
  const { tree, depth, now } = walk;
  const { toolCallId, toolName, seq, from, durationMs, error } = call;
  const subRuns = tree.subRuns.filter(({ run }) => run.parent?.toolCallId === toolCallId);
  const isAgent = toolName.startsWith(agentPrefix) || subRuns.length > 0;
  const to = call.to ?? (tree.view.status === 'running' ? now : lane.lastAt);
  const worst = subRuns.map(({ view }) => statusWords[view.status]).find(({ isFact }) => isFact);
  const shown = tellTool(call);
  const { tone, word, isFact } =
    worst && !shown.isFact ? worst : worst?.word === 'tripwire' ? { ...shown, word: 'blocked' } : shown;
  return {
    id: `tool ${toolCallId}`,
    kind: isAgent ? 'agent' : 'tool',
    seq,
    name: isAgent && toolName.startsWith(agentPrefix) ? toolName.slice(agentPrefix.length) : toolName,
    tone,
    word,
    note: error,
    isFact,
    ownMs: durationMs ?? (call.to === undefined ? to - from : undefined),
    from,
    to,
    toolCallId,
    inside: subRuns.flatMap((sub) => rowsOfRun({ ...walk, tree: sub, depth: depth + 1 })),
  };
};

/** A sub-run whose call is not known. */
const rowsOfAgent = (walk: Walk, sub: RunTree): SpineRow[] => {
  const { view, run } = sub;
  const { tone, word, isFact } = statusWords[view.status];
  const from = view.startedAt ?? run.startedAt;
  const to = view.endedAt ?? view.at ?? from;
  const row = {
    kind: 'agent',
    seq: 0,
    name: run.agentId,
    tone,
    word,
    isFact,
    ownMs: durationOf(view, walk.now),
    from,
    to,
  } as const;
  return [
    { ...row, key: `${run.runId} run`, runId: run.runId, depth: walk.depth, isOpen: true },
    ...rowsOfRun({ ...walk, tree: sub, depth: walk.depth + 1 }),
  ];
};
