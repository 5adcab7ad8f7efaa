import type { VerdictKind } from '../../../schemas/index.js';
import { count, formatDuration } from '../components/format.js';
import type { GuardMark, RunView } from './run-view.js';

/** A piece of the sentence; with a mark it names a guard and leads to its verdict. */
export interface Clause {
  readonly text: string;
  readonly mark?: GuardMark;
}

/** The title of a phase. */
type TitleOf = (phase: string) => string | undefined;

/** The outcome of a run in one sentence: its end, its duration, the guards' changes, and the number of model calls. */
export const storyOf = (run: RunView, titleOf: TitleOf): Clause[] => {
  const { status } = run;
  const took = formatDuration((run.at ?? 0) - (run.startedAt ?? 0));
  const effects = [...changes(run), { text: `${calls(run)}.` }];
  switch (status) {
    case 'tripwire':
      return [...blocked(run, titleOf), { text: `${calls(run)}.` }];
    case 'success':
      return [{ text: `Completed after ${took}` }, ...effects];
    case 'failed':
      return failed(run, titleOf, took);
    case 'canceled':
      return [{ text: `Canceled after ${took}` }, ...effects];
    case 'suspended':
      return [
        { text: `Waiting for approval of ${run.waiting.map(({ toolName }) => toolName).join(', ') || 'a tool'}` },
        ...effects,
      ];
    case 'observed':
      return [{ text: 'Guard verdicts only; another host runs the loop of this run' }, ...changes(run), { text: '.' }];
    case 'running':
      return [{ text: `In progress, in state ${run.visits.at(-1)?.state ?? 'start'}` }, ...effects];
    default:
      return status satisfies never;
  }
};

const withoutStop = (text: string): string => text.trim().replace(/[.;]+$/, '');

const marksOf = ({ lanes }: RunView): readonly GuardMark[] => lanes.flatMap(({ marks }) => marks);

const blocked = (run: RunView, titleOf: TitleOf): Clause[] => {
  const { tripwire, startedAt = 0 } = run;
  if (!tripwire) return [{ text: 'Blocked' }];
  const { path, phase, processorId, reason, kind } = tripwire;
  const mark = marksOf(run).findLast((one) => one.kind === 'verdict' && one.path === path && one.verdict !== 'pass');
  const place = titleOf(phase);
  return [
    { text: `${kind === 'unavailable' ? 'Stopped' : 'Blocked'}${place ? ` at ${place}` : ''} by ` },
    { text: processorId || 'a processor', ...(mark && { mark }) },
    { text: `${mark ? ` after ${formatDuration(mark.at - startedAt)}` : ''}: ${withoutStop(reason)}` },
  ];
};

const failed = (run: RunView, titleOf: TitleOf, took: string): Clause[] => {
  const { error } = run;
  const cause = error?.code === 'guard/unavailable' ? marksOf(run).findLast(isVerdict('unavailable')) : undefined;
  const end = { text: `${calls(run)}.` };
  if (!cause || !('processorId' in cause))
    return [{ text: `Failed after ${took}${error ? `: ${withoutStop(error.message)}` : ''}` }, ...changes(run), end];
  const place = titleOf(cause.phase);
  return [
    { text: `Failed${place ? ` at ${place}` : ''} after ${took}: ` },
    { text: cause.processorId, mark: cause },
    { text: ' was unavailable' },
    ...changes(run, cause.path),
    end,
  ];
};

/** Calls are recorded together with the loop's states; another host's loop reports neither. */
const calls = ({ lanes, usage, visits }: RunView): string => {
  if (visits.length === 0) return '';
  const started = lanes.filter(({ modelId }) => modelId !== undefined).length;
  const amount = Math.max(started, usage.calls + usage.wastedCalls);
  return amount === 0 ? '; no model calls' : `; ${count(amount, 'model call')}`;
};

/** The effects of guards on a run other than blocks. */
const effectWords: readonly (readonly [words: string, isIt: (mark: GuardMark) => boolean])[] = [
  ['edited by', isVerdict('edit')],
  ['retry requested by', isVerdict('retry')],
  ['unavailable:', isVerdict('unavailable')],
  ['would have been blocked by shadow guard', (mark) => mark.kind === 'shadow' && mark.verdict === 'trip'],
  ['bypassed', (mark) => mark.kind === 'bypass'],
];

function isVerdict(verdict: VerdictKind) {
  return (mark: GuardMark): boolean => mark.kind === 'verdict' && mark.verdict === verdict;
}

/** The effects of all guards, except the one at `named`. */
const changes = (run: RunView, named?: string): Clause[] => {
  const marks = marksOf(run).filter(({ path }) => path !== named);
  const clauses = effectWords.flatMap(([words, isIt]) => namedGuards(words, marks.filter(isIt)));
  const isQuiet = clauses.length === 0 && marks.length > 0 && named === undefined;
  return isQuiet ? [{ text: '; all guards passed' }] : clauses;
};

/** Guards by their names, each once with its latest mark. */
const namedGuards = (words: string, marks: readonly GuardMark[]): Clause[] => {
  const byName = new Map(marks.flatMap((mark) => ('processorId' in mark ? [[mark.processorId, mark] as const] : [])));
  return [...byName].flatMap(([text, mark], index) => [{ text: index === 0 ? `; ${words} ` : ', ' }, { text, mark }]);
};
