import { verdictKinds } from '../../../../src/verdict.js';
import type { Catalog, PipelineInfo } from '../../../protocol/catalog.js';
import { guardsIn } from '../../../protocol/shapes.js';
import { formatDuration } from '../../components/format.js';
import { bypassSignal, verdictSignals } from '../../components/signal.js';
import { bufferedChars, type GuardMark, type Lane, type Part } from '../../fold/run-view.js';
import type { PlaceMark } from '../../workbench/graph/place-mark.js';

/** A phase in which guards of an attempt were called. */
export interface JudgedPhase {
  readonly phase: string;
  readonly pipelineId: string;
  /** Its reports, in order. */
  readonly marks: readonly GuardMark[];
}

/** A path starts with the name of its pipeline. */
export const pipelineOf = (path: string): string => path.split('/', 1)[0] ?? path;

/** Phases in which guards of an attempt were called, in the order of their first calls; the same phase of two pipelines counts twice. */
export const judgedPhases = ({ marks, guardCalls }: Pick<Lane, 'marks' | 'guardCalls'>): JudgedPhase[] => {
  const found = new Map<string, { phase: string; pipelineId: string; marks: GuardMark[]; seq: number }>();
  const at = (phase: string, pipelineId: string, seq: number) => {
    const key = `${phase} ${pipelineId}`;
    const known = found.get(key) ?? { phase, pipelineId, marks: [], seq };
    known.seq = Math.min(known.seq, seq);
    found.set(key, known);
    return known;
  };
  for (const { phase, pipelineId, seq } of guardCalls) at(phase, pipelineId, seq);
  for (const mark of marks) at(mark.phase, pipelineOf(mark.path), mark.seq).marks.push(mark);
  return [...found.values()].toSorted((a, b) => a.seq - b.seq);
};

/** The index of the latest event's phase. */
export const latestPhase = (
  phases: readonly JudgedPhase[],
  { marks, guardCalls }: Pick<Lane, 'marks' | 'guardCalls'>,
): number => {
  const [mark, ask] = [marks.at(-1), guardCalls.at(-1)];
  const last =
    mark && mark.seq > (ask?.seq ?? -1)
      ? { phase: mark.phase, pipelineId: pipelineOf(mark.path) }
      : { phase: ask?.phase, pipelineId: ask?.pipelineId };
  return phases.findIndex(({ phase, pipelineId }) => phase === last.phase && pipelineId === last.pipelineId);
};

const markOf = (mark: GuardMark): PlaceMark => {
  switch (mark.kind) {
    case 'verdict': {
      const { tone, label } = verdictSignals[mark.verdict];
      return { tone, label: `${label} · ${formatDuration(mark.durationMs)}` };
    }
    case 'shadow':
      return { tone: 'out', label: `would ${mark.verdict}` };
    case 'bypass':
      return { tone: 'out', label: bypassSignal.label };
    case 'conflict':
      return { tone: 'edit', label: 'conflict' };
    case 'stale':
      return { tone: 'edit', label: mark.rerun ? 'checked again' : 'stale verdict' };
    default:
      return mark satisfies never;
  }
};

/** The strictest verdict comes first: the sum of a guard's chunks does not hide a stop. */
export const weight = (mark: GuardMark): number => {
  if (mark.kind !== 'verdict') return mark.kind === 'stale' ? 0.5 : 1;
  return verdictKinds.length - 1 - verdictKinds.indexOf(mark.verdict);
};

/** The strictest verdict, the latest of equals: it explains the end of a run better than its last verdict. */
export const strictestVerdict = (marks: readonly GuardMark[]): GuardMark | undefined =>
  marks
    .filter(({ kind }) => kind === 'verdict')
    .reduce<GuardMark | undefined>((best, mark) => (best && weight(best) > weight(mark) ? best : mark), undefined);

/** One mark for each guard and phase of an attempt, the strictest, in the order of their last verdicts. */
export const strictestMarks = (marks: readonly GuardMark[]): readonly GuardMark[] => {
  const strictest = new Map<string, GuardMark>();
  for (const mark of marks) {
    const key = `${mark.phase} ${mark.path}`;
    const known = strictest.get(key);
    strictest.delete(key); // the latest comes last
    strictest.set(key, known && weight(known) > weight(mark) ? known : mark);
  }
  return [...strictest.values()];
};

/** The progress of an attempt's stream: characters that arrived, left, and are buffered for the guards. */
export interface StreamProgress {
  readonly receivedChars: number;
  readonly emittedChars: number;
  readonly held: number;
}

export const streamProgress = (lane: Lane): StreamProgress => {
  const sum = (read: (part: Part) => number): number => lane.parts.reduce((total, part) => total + read(part), 0);
  return {
    receivedChars: sum(({ receivedChars }) => receivedChars),
    emittedChars: sum(({ text }) => text.length),
    held: sum((part) => bufferedChars(part, lane)),
  };
};

/**
 * The label of a guard without a verdict. A stream guard judges while the stream is under way, with its buffer; others have no
 * verdict yet if one follows later, or none at all.
 *
 * @param later all known marks of the attempt
 * @param stream given if the phase judges a stream that may still be under way
 */
export const withoutVerdict =
  (phase: string, later: readonly GuardMark[], stream?: StreamProgress) =>
  (path: string): string => {
    if (stream && stream.receivedChars > 0) return stream.held > 0 ? `checking, ${stream.held} buffered` : 'checking';
    return later.some((mark) => mark.phase === phase && mark.path === path) ? 'no verdict yet' : 'no verdict';
  };

/** Marks by the path of their place; `labelOf` returns the label of a guard of the phase without a mark. */
export const placeMarks = (
  { marks, phase }: JudgedPhase,
  graph: PipelineInfo['graph'] | undefined,
  labelOf: (path: string) => string,
): ReadonlyMap<string, PlaceMark> => {
  const heaviest = new Map<string, GuardMark>();
  for (const mark of marks) {
    const known = heaviest.get(mark.path);
    if (!known || weight(mark) >= weight(known)) heaviest.set(mark.path, mark);
  }
  const places = new Map<string, PlaceMark>();
  for (const { path, phases } of graph ? guardsIn(graph) : [])
    if (phases.includes(phase)) places.set(path, { tone: 'out', label: labelOf(path) });
  for (const [path, mark] of heaviest) places.set(path, markOf(mark));
  return places;
};

export const pipelineNamed = ({ pipelines }: Catalog, id: string): PipelineInfo | undefined =>
  pipelines.find((pipeline) => pipeline.id === id);
