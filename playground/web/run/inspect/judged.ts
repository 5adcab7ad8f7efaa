import { verdictKinds } from '../../../../src/verdict.js';
import { tellMark } from '../../../fold/facts.js';
import { bufferedChars, type GuardMark, type Lane } from '../../../fold/run-view.js';
import type { Catalog, PipelineInfo } from '../../../protocol/catalog.js';
import { guardsIn } from '../../../protocol/shapes.js';
import { formatDuration } from '../../components/format.js';
import type { PlaceMark } from '../../workbench/graph/shape-nodes.js';

/** A path starts with the name of its pipeline. */
export const pipelineOf = (path: string): string => path.split('/', 1)[0] ?? path;

export const pipelineNamed = ({ pipelines }: Catalog, id: string): PipelineInfo | undefined =>
  pipelines.find((pipeline) => pipeline.id === id);

const placeMarkOf = (mark: GuardMark): PlaceMark => {
  const { tone, word } = tellMark(mark);
  const time = 'durationMs' in mark && mark.durationMs !== undefined ? ` · ${formatDuration(mark.durationMs)}` : '';
  return { tone, label: `${word}${time}` };
};

/** The strictest verdict comes first: the sum of a guard's chunks does not hide a block. */
export const weight = (mark: GuardMark): number => {
  if (mark.kind !== 'verdict') return mark.kind === 'stale' ? 0.5 : 1;
  return verdictKinds.length - 1 - verdictKinds.indexOf(mark.verdict);
};

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

/**
 * The label of a guard without a verdict: of a stream guard while the stream is under way with its buffer, if `stream` is given;
 * others have no verdict yet if one follows later, or none at all.
 *
 * @param later all known marks of the attempt
 */
export const withoutVerdict =
  (phase: string, later: readonly GuardMark[], stream?: Lane) =>
  (path: string): string => {
    const buffered = stream?.parts.reduce((sum, part) => sum + bufferedChars(part, stream), 0) ?? 0;
    if (stream?.parts.some(({ receivedChars }) => receivedChars > 0))
      return buffered > 0 ? `checking, ${buffered} buffered` : 'checking';
    return later.some((mark) => mark.phase === phase && mark.path === path) ? 'no verdict yet' : 'no verdict';
  };

interface JudgedPhase {
  readonly phase: string;
  readonly marks: readonly GuardMark[];
}

/** Marks by the path of their place; `labelOf` returns the label of a guard of the phase without a mark. */
export const placeMarks = (
  { marks, phase }: JudgedPhase,
  graph: PipelineInfo['graph'] | undefined,
  labelOf: (path: string) => string,
): ReadonlyMap<string, PlaceMark> => {
  const places = new Map<string, PlaceMark>();
  for (const { path, phases } of graph ? guardsIn(graph) : [])
    if (phases.includes(phase)) places.set(path, { tone: 'out', label: labelOf(path) });
  for (const mark of strictestMarks(marks)) places.set(mark.path, placeMarkOf(mark));
  return places;
};
