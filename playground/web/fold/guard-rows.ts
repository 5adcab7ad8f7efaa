import { isNotable, markName, tellMark } from '../../fold/facts.js';
import type { GuardMark, Lane } from '../../fold/run-view.js';
import type { Item } from './spine-row.js';

const guardItem = (mark: GuardMark, times: number): Item => {
  const { kind, seq, at, from, phase, path } = mark;
  const { tone, word, note } = tellMark(mark);
  return {
    id: `${kind} ${phase} ${path} ${word}`,
    kind: 'guard',
    seq,
    name: markName(mark),
    phase,
    tone,
    word: times > 1 ? `${word} ${times} times` : word,
    note,
    isFact: isNotable(mark),
    ownMs: 'durationMs' in mark ? mark.durationMs : undefined,
    from,
    to: at,
    place: { phase, path },
  };
};

/** A row for each guard that did not pass; those that passed are one row for each phase. */
export const itemsOfMarks = (lane: Lane): Item[] => {
  const facts = new Map<string, { readonly mark: GuardMark; readonly times: number }>();
  const passed = new Map<string, GuardMark[]>();
  for (const mark of lane.marks)
    if (isNotable(mark)) {
      const key = `${mark.kind} ${mark.phase} ${mark.path} ${tellMark(mark).word}`;
      facts.set(key, { mark, times: (facts.get(key)?.times ?? 0) + 1 });
    } else passed.set(mark.phase, [...(passed.get(mark.phase) ?? []), mark]);
  return [
    ...[...facts.values()].map(({ mark, times }) => guardItem(mark, times)),
    ...[...passed].map(([phase, marks]) => passesItem(lane, phase, marks)),
  ];
};

const passesItem = (lane: Lane, phase: string, marks: readonly GuardMark[]): Item => {
  const rows = marks.map((mark) => guardItem(mark, 1));
  const [only] = rows;
  if (rows.length === 1 && only) return only;
  return {
    id: `passes ${phase}`,
    kind: 'passes',
    seq: Math.max(...rows.map(({ seq }) => seq)),
    name: `${marks.length} guards`,
    phase,
    tone: 'pass',
    word: 'passed',
    ownMs: rows.reduce((sum, { ownMs = 0 }) => sum + ownMs, 0),
    from: Math.min(...rows.map(({ from }) => from)),
    to: Math.max(...rows.map(({ to }) => to)),
    place: { phase, path: marks[0]?.path.split('/', 1)[0] ?? '' },
    inside: rows.map(({ id, ...row }) => ({
      ...row,
      key: `${lane.index} ${id} ${row.seq}`,
      runId: '',
      depth: 0,
      lane: lane.index,
    })),
  };
};
