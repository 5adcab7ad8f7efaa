import { toolWords } from '../../fold/facts.js';
import { costOf, costOfTree, durationOf, factsOfTree, type RunTree, type TreeFact } from '../../fold/run-tree.js';
import type { RunView } from '../../fold/run-view.js';
import { count, formatDuration, stateName } from '../components/format.js';

/** A piece of the sentence; with a fact it names a guard or a call, and leads to it. */
export interface Clause {
  readonly text: string;
  readonly fact?: TreeFact;
}

/** The title of a phase. */
type TitleOf = (phase: string) => string;

const withoutStop = (text: string): string => text.trim().replace(/[.;]+$/, '');

/** The outcome of a run tree in one sentence: its end with the cause, then every other fact, then its model calls. */
export const storyOf = (tree: RunTree, titleOf: TitleOf, now?: number): Clause[] => {
  const facts = factsOfTree(tree);
  const cause = causeOf(tree.view, facts);
  const isInEnd = ({ kind, agents, word }: TreeFact): boolean =>
    agents.length === 0 && (kind === 'end' || (tree.view.status === 'suspended' && word === toolWords.suspended.word));
  const others = facts.filter((fact) => fact !== cause && !isInEnd(fact));
  const effects = [...ownEffects(others), ...subEffects(others)];
  const isQuiet = effects.length === 0 && !cause && tree.view.lanes.some(({ marks }) => marks.length > 0);
  return [
    ...endOf({ view: tree.view, cause, titleOf, now }),
    ...(isQuiet ? [{ text: '; all guards passed' }] : effects),
    calls(tree),
  ];
};

/** The fact that explains the end: the guard that blocked the run, or the guard or the model that failed it. */
const causeOf = ({ status, error }: RunView, facts: readonly TreeFact[]): TreeFact | undefined => {
  const own = facts.filter(({ agents }) => agents.length === 0);
  const ofGuards = own.filter(({ mark, kind }) => mark?.kind === 'verdict' || kind === 'end');
  if (status === 'tripwire') return ofGuards.findLast(({ word }) => word === 'blocked' || word === 'unavailable');
  if (error?.code === 'guard/unavailable') return ofGuards.findLast(({ word }) => word === 'unavailable');
  return error?.code === 'model/call-failed' ? own.findLast(({ kind, tone }) => kind === 'model' && tone === 'trip') : undefined;
};

interface Ending {
  readonly view: RunView;
  /** The fact that explains the end. */
  readonly cause: TreeFact | undefined;
  readonly titleOf: TitleOf;
  readonly now: number | undefined;
}

const endOf = (ending: Ending): Clause[] => {
  const { view, now } = ending;
  const took = formatDuration(durationOf(view, now));
  switch (view.status) {
    case 'tripwire':
    case 'failed':
      return stopOf(ending, took);
    case 'success':
      return [{ text: `Completed after ${took}` }];
    case 'canceled':
      return [{ text: `Canceled after ${took}` }];
    case 'suspended':
      return [{ text: `Waiting for approval of ${view.waiting.map(({ toolName }) => toolName).join(', ') || 'a tool'}` }];
    case 'observed':
      return [{ text: 'Guard verdicts only; another host runs the loop of this run' }];
    case 'interrupted':
      return [{ text: `Interrupted after ${took}, in state ${stateOf(view)}: its process ended, and no engine continues it` }];
    case 'running':
      return [
        { text: `In state ${stateOf(view)} for ${formatDuration(Math.max(0, (now ?? 0) - (view.visits.at(-1)?.at ?? 0)))}` },
      ];
    default:
      return view.status satisfies never;
  }
};

/** The end of a run that a guard or an error stopped, with the guard if there is one. */
const stopOf = ({ view: { status, error, startedAt = 0 }, cause, titleOf }: Ending, took: string): Clause[] => {
  const isFailed = status === 'failed';
  if (!cause)
    return [{ text: `${isFailed ? 'Failed' : 'Blocked'} after ${took}${error ? `: ${withoutStop(error.message)}` : ''}` }];
  if (cause.kind === 'model')
    return [{ text: 'Failed at ' }, { text: cause.name, fact: cause }, { text: ` after ${took}${because(cause)}` }];
  const isOutage = cause.word === 'unavailable';
  const verb = isFailed ? 'Failed' : isOutage ? 'Stopped' : 'Blocked';
  const phase = titleOf(cause.mark?.phase ?? '');
  return [
    { text: `${verb}${phase ? ` at ${phase}` : ''} by ` },
    { text: cause.name || 'a processor', fact: cause },
    { text: ` after ${formatDuration(cause.at - startedAt)}${isOutage ? ', which was unavailable' : ''}${because(cause)}` },
  ];
};

const stateOf = ({ visits }: RunView): string => stateName(visits.at(-1)?.state ?? 'start');

/** The words before the names of the guards with the same effect. */
const leads: Readonly<Record<string, string>> = {
  edited: 'edited by',
  retried: 'retry requested by',
  unavailable: 'unavailable:',
  blocked: 'blocked by',
  bypassed: 'bypassed',
  'would block': 'shadow mode: would be blocked by',
  conflict: 'conflict between',
  'checked older text': 'checked older text:',
};

/** Facts with a reason that a reader needs at once; the reasons of guards are in the tree. */
const hasOwnClause = ({ kind }: TreeFact): boolean => kind === 'tool' || kind === 'model' || kind === 'memory' || kind === 'end';

/** A rejected call names the guard that rejected it. */
const wordOf = ({ word, rejectedBy }: TreeFact): string => (rejectedBy === undefined ? word : `${word} by ${rejectedBy}`);

const because = ({ note }: TreeFact): string => (note === undefined ? '' : `: ${withoutStop(note).slice(0, 160)}`);

const named = (lead: string, facts: readonly TreeFact[]): Clause[] => {
  const byName = new Map(facts.map((fact) => [fact.name, fact]));
  return [...byName].flatMap(([text, fact], index) => [{ text: index === 0 ? `; ${lead} ` : ', ' }, { text, fact }]);
};

const ownEffects = (facts: readonly TreeFact[]): Clause[] => {
  const rejected = new Set(facts.flatMap(({ rejectedBy = [] }) => rejectedBy));
  const own = facts.filter(
    ({ agents, name, word }) => agents.length === 0 && !(word === 'rejected a call' && rejected.has(name)),
  );
  const words = [...new Set(own.filter((fact) => !hasOwnClause(fact)).map(({ word }) => word))];
  return [
    ...own
      .filter(hasOwnClause)
      .flatMap((fact) => [{ text: '; ' }, { text: fact.name, fact }, { text: ` ${wordOf(fact)}${because(fact)}` }]),
    ...words.flatMap((word) => {
      const same = own.filter((fact) => !hasOwnClause(fact) && fact.word === word);
      const isOfStep = same.every(({ kind }) => kind === 'retraction');
      return isOfStep ? [{ text: `; ${word} in ` }, ...named('', same).slice(1)] : named(leads[word] ?? `${word}:`, same);
    }),
  ];
};

/** The facts of sub-agents: by their agent, one clause for each. */
const subEffects = (facts: readonly TreeFact[]): Clause[] =>
  facts
    .filter(({ agents }) => agents.length > 0)
    .flatMap((fact) => {
      const agent = `; in sub-agent ${fact.agents.join(' › ')}: `;
      return [{ text: agent }, { text: fact.name, fact }, { text: ` ${fact.word}${because(fact)}` }];
    });

/** Calls are recorded together with the states of the loop; another host's loop reports neither. */
const calls = (tree: RunTree): Clause => {
  if (tree.view.visits.length === 0) return { text: '.' };
  const [all, own] = [costOfTree(tree).calls, costOf(tree.view).calls];
  const inside = all > own ? ` (${all - own} in sub-agents)` : '';
  return { text: all === 0 ? '; no model calls.' : `; ${count(all, 'model call')}${inside}.` };
};
