import { klona } from 'klona/full';
import { describe, expect, it } from 'vitest';
import { createMachine } from 'xstate';
import { getStateNodes } from 'xstate/graph';
import { createDecider, type Decision, type LoopSnapshot } from './decide.js';
import { loopMachine } from './loop-machine.js';
import { doneEvent, type LoopContext, type LoopEvent, type LoopLimits } from './machine.js';
import { type Outcome, type OutcomeKind, outcomesOf, activityNames, type ActivityName } from './activity.js';
import { isDeep } from '../../test/modes.js';
import { activitiesUnderWay } from './walk.js';

type Machine = typeof loopMachine;

// --- The walk: every reachable state, by pure transitions, with everything counted from outside. ---

/** The history of a path, counted from the outcomes alone, to detect a machine that miscounts. */
interface Tally {
  steps: number;
  /** Attempts at this step; at the input before the first. */
  attempts: number;
  retries: number;
  /** Retries that were used up before this step. */
  retriesBefore: number;
  recoveries: number;
  /** Models tried at this step. */
  models: number;
}

/** The verdicts that are still open, counted from the outcomes alone. */
interface OverlapState {
  /** Whether overlap guards are left that have not passed yet. */
  readonly isUnjudged: boolean;
  /** Whether the model's call that overlaps with them has failed. */
  readonly isBroken: boolean;
}

interface Place {
  readonly decision: Decision;
  readonly tally: Tally;
  readonly overlap: OverlapState;
  readonly trail: readonly string[];
}

interface Walk {
  readonly violations: string[];
  readonly entered: Set<string>;
  /** The number of settled places. */
  places: number;
  readonly most: Tally;
  /** The most steps on a path that had used up all its retries before the last of them. */
  stepsAfterRetries: number;
}

/** The activity of each state; suspended and final states have none. */
const activityOf: Record<string, ActivityName | undefined> = {
  input: 'input',
  'step.preparing': 'prepare',
  'step.requesting': 'request',
  'step.overlapping.model.opening': 'open',
  'step.overlapping.guards.judging': 'judge',
  'step.calling': 'call',
  'step.recovering': 'recover',
  'step.reviewing': 'review',
  'step.tools': 'tools',
  finishing: 'finish',
  persisting: 'persist',
};
const finals = new Set(['success', 'tripwire', 'failed', 'canceled']);
const isFinal = (state: string): boolean => finals.has(state);

type StateValue = string | { readonly [state: string]: StateValue | undefined };

/** The current states of the machine: several in parallel regions. */
const namesOf = ({ value }: Pick<LoopSnapshot, 'value'>): string[] => leavesOf(value, []);
const leavesOf = (value: StateValue | undefined, path: readonly string[]): string[] =>
  typeof value === 'object'
    ? Object.entries(value).flatMap(([state, inner]) => leavesOf(inner, [...path, state]))
    : [[...path, value].join('.')];
const nameOf = (snapshot: LoopSnapshot): string => namesOf(snapshot).join(' ');
const activitiesAt = (snapshot: LoopSnapshot): ActivityName[] => namesOf(snapshot).flatMap((name) => activityOf[name] ?? []);

const outcomesLike = (kind: OutcomeKind): Outcome[] => {
  if (kind === 'reviewed')
    return [...[0, 1, 2].map((toolCalls) => ({ kind, toolCalls })), { kind, toolCalls: 0, shouldContinue: true }];
  if (kind === 'executed') return [false, true].map((stop) => ({ kind, stop }));
  return [{ kind }];
};
const allKinds = [...new Set(activityNames.flatMap((activity): OutcomeKind[] => [...outcomesOf[activity]]))];

interface WalkOptions {
  /** Also tries outcomes that an activity cannot have, and those of other activities. Default: yes. */
  readonly tryAll?: boolean;
  /** The walks end at the first violation of this promise. */
  readonly until?: string;
}

const walkMachine = (machine: Machine, limits: LoopLimits, { tryAll = true, until }: WalkOptions = {}): Walk => {
  const decider = createDecider(machine);
  const most: Tally = { steps: 0, attempts: 0, retries: 0, retriesBefore: 0, recoveries: 0, models: 0 };
  const walk: Walk = { violations: [], entered: new Set(), places: 0, most, stepsAfterRetries: 0 };
  const known = new Set<string>();
  const onPath = new Set<string>();
  const positions = new Set<string>();

  const visit = (place: Place): void => {
    const { snapshot } = place.decision;
    if (until && walk.violations.some((violation) => violation.startsWith(`${until} `))) return;
    const key = keyOf(place);
    if (onPath.has(key)) walk.violations.push(`P5 has a cycle: ${place.trail.join(' > ')}`);
    if (known.has(key)) return;
    known.add(key);
    onPath.add(key);
    walk.places += 1;
    recordMost(walk, place.tally, limits);
    const activities = activitiesAt(snapshot);
    const position = JSON.stringify([snapshot.value, snapshot.context]);
    if (!positions.has(position)) tryUnexpected(place, activities);
    positions.add(position);
    for (const activity of activities) {
      for (const outcome of outcomesOf[activity].flatMap(outcomesLike)) step(place, doneEvent(activity, outcome), outcome);
    }
    onPath.delete(key);
  };

  /** Takes one event and continues from the resulting state, unless a promise was broken on the way. */
  const step = (place: Place, event: LoopEvent, outcome: Outcome): void => {
    const decision = decider.next(place.decision.snapshot, event);
    const next = {
      decision,
      tally: count(place.tally, outcome, decision),
      overlap: hold(place.overlap, event, decision),
      trail: [...place.trail, describeEvent(event)],
    };
    for (const { state } of decision.entered) walk.entered.add(state);
    const broken = [...brokenByEdge(place, event, next), ...brokenByPlace(next, limits)];
    walk.violations.push(...broken.map((violation) => `${violation}: ${next.trail.join(' > ')}`));
    if (broken.length === 0) visit(next);
  };

  /** Tries events that do not depend on the path: outcomes and events that no activity under way may give, a resume, a cancel. */
  const tryUnexpected = (place: Place, activities: readonly ActivityName[]): void => {
    if (tryAll) tryOthers(place, activities);
    if (tryAll) for (const activity of activities) tryStrangers(place, activity);
    if (nameOf(place.decision.snapshot) === 'suspended') tryResume(place);
    tryCancel(place);
  };

  /** Outcomes that this activity cannot have fail the run. */
  const tryStrangers = ({ decision: { snapshot }, trail }: Place, activity: ActivityName): void => {
    const own: readonly OutcomeKind[] = outcomesOf[activity];
    for (const outcome of allKinds.filter((kind) => !own.includes(kind)).flatMap(outcomesLike)) {
      const next = decider.next(snapshot, doneEvent(activity, outcome));
      if (nameOf(next.snapshot) !== 'failed')
        walk.violations.push(`P1 ${activity} may return ${outcome.kind}: ${trail.join(' > ')} > ${nameOf(next.snapshot)}`);
    }
  };

  /** Events of activities that are not under way have no effect. */
  const tryOthers = ({ decision: { snapshot }, trail }: Place, activities: readonly ActivityName[]): void => {
    if (activities.length === 0) return;
    for (const other of activityNames.filter((name) => !activities.includes(name))) {
      const next = decider.next(snapshot, doneEvent(other, { kind: 'reviewed', toolCalls: 1 }));
      if (next.starts.length > 0 || next.entered.length > 0)
        walk.violations.push(`P1 ${other} has an effect while ${activities.join()} is under way: ${trail.join(' > ')}`);
    }
  };

  const tryResume = ({ decision: { snapshot }, trail }: Place): void => {
    const next = decider.next(snapshot, { type: 'RESUME' });
    const isSamePlace = samePosition(snapshot, next.snapshot) && next.starts.join() === 'tools';
    if (!isSamePlace) walk.violations.push(`P1 a resumed run does not continue with its tools: ${trail.join(' > ')}`);
  };

  const tryCancel = ({ decision: { snapshot }, trail }: Place): void => {
    const next = decider.next(snapshot, { type: 'CANCEL' });
    const expected = isFinal(nameOf(snapshot)) ? nameOf(snapshot) : 'canceled';
    if (nameOf(next.snapshot) !== expected || next.starts.length > 0)
      walk.violations.push(`P5 a cancel leads to ${nameOf(next.snapshot)}: ${trail.join(' > ')}`);
    for (const { state } of next.entered) walk.entered.add(state);
  };

  const first = decider.start(limits);
  for (const { state } of first.entered) walk.entered.add(state);
  visit({
    decision: first,
    tally: { steps: 0, attempts: 1, retries: 0, retriesBefore: 0, recoveries: 0, models: 1 },
    overlap: { isUnjudged: false, isBroken: false },
    trail: ['begin'],
  });
  return walk;
};

const keyOf = ({ decision: { snapshot }, tally, overlap }: Place): string => {
  const { limits: _limits, ...counters } = snapshot.context;
  return JSON.stringify([snapshot.value, counters, tally, overlap]);
};

const describeEvent = (event: LoopEvent): string =>
  'output' in event ? `${event.actorId}:${JSON.stringify(event.output).replaceAll('"', '')}` : event.type;

const count = (before: Tally, { kind }: Outcome, { snapshot, starts }: Decision): Tally => {
  const goesOn = !isFinal(nameOf(snapshot));
  const tally = { ...before };
  if (kind === 'retry' && goesOn) tally.retries += 1;
  if (kind === 'same-model' && goesOn) tally.recoveries += 1;
  if (kind === 'next-model' && goesOn) tally.models += 1;
  if (starts.includes('input')) tally.attempts += 1;
  if (!starts.includes('prepare')) return tally;
  return kind === 'retry'
    ? { ...tally, attempts: tally.attempts + 1 }
    : { ...tally, steps: tally.steps + 1, attempts: 1, models: 1, retriesBefore: tally.retries };
};

/** The open verdicts of the overlap guards. A guard that requests another attempt has judged this one. */
const hold = (before: OverlapState, event: LoopEvent, { starts }: Decision): OverlapState => {
  const [activity, kind] = 'output' in event ? [event.actorId, event.output.kind] : [];
  const isLeft = activity === 'judge' && (kind === 'done' || starts.includes('prepare'));
  return {
    isUnjudged: (before.isUnjudged && !isLeft) || (activity === 'request' && kind === 'overlap'),
    isBroken:
      activity === 'open' ? kind === 'api-error' : before.isBroken && !starts.includes('request') && !starts.includes('prepare'),
  };
};

const recordMost = (walk: Walk, tally: Tally, { maxRetries }: LoopLimits): void => {
  for (const name of Object.keys(tally) as (keyof Tally)[]) walk.most[name] = Math.max(walk.most[name], tally[name]);
  if (tally.retriesBefore === maxRetries) walk.stepsAfterRetries = Math.max(walk.stepsAfterRetries, tally.steps);
};

const samePosition = (a: LoopSnapshot, b: LoopSnapshot): boolean =>
  a.context.stepNumber === b.context.stepNumber && a.context.attempt === b.context.attempt;

const brokenByEdge = (before: Place, event: LoopEvent, after: Place): string[] => [
  ...brokenGate(event, after),
  ...brokenTools(before, event, after),
];

/** Activities that may run while overlap guards judge. All others emit content or have effects. */
const overlapActivities = new Set<ActivityName>(['open', 'judge']);

/** P2: while guards judge, only the model is called; both start at once. */
const brokenGate = (event: LoopEvent, place: Place): string[] => {
  const { starts, snapshot } = place.decision;
  const isOverlapRequest = event.type === 'xstate.done.actor.request' && event.output.kind === 'overlap';
  if (isOverlapRequest && starts.toSorted().join() !== 'judge,open')
    return [`P2 ${starts.join() || 'nothing'} starts instead of guards and model`];
  const early =
    place.overlap.isUnjudged && snapshot.status === 'active' ? starts.filter((activity) => !overlapActivities.has(activity)) : [];
  return early.length > 0 ? [`P2 ${early.join()} starts before the guards have passed`] : brokenJoin(event, place);
};

/** P2: after the guards have passed, the response is read on, or a failed call is handled. */
const brokenJoin = (event: LoopEvent, { decision: { starts }, overlap }: Place): string[] => {
  if (overlap.isBroken && starts.includes('call')) return ['P2 a failed call is read'];
  const hasPassed = event.type === 'xstate.done.actor.judge' && event.output.kind === 'done';
  return hasPassed && !overlap.isBroken && starts.includes('recover') ? ['P2 a response is handled as a failure'] : [];
};

/** P1: tools start right after their own step was reviewed, and in no other way. */
const brokenTools = (before: Place, event: LoopEvent, { decision }: Place): string[] => {
  if (!decision.starts.includes('tools')) return [];
  const outcome = 'output' in event ? event.output : undefined;
  const isReviewed = event.type === 'xstate.done.actor.review' && outcome?.kind === 'reviewed' && outcome.toolCalls > 0;
  if (!isReviewed) return ['P1 tools start without a review'];
  return samePosition(before.decision.snapshot, decision.snapshot) ? [] : ['P1 tools start in another attempt'];
};

const brokenByPlace = ({ decision, tally }: Place, limits: LoopLimits): string[] => [
  ...brokenEnd(decision),
  ...brokenBounds(tally, limits),
  ...brokenCounters(decision.snapshot.context, tally),
];

/** P5: a place is an end or a suspension, or the activities of its states are under way, each once. */
const brokenEnd = ({ snapshot, starts, entered }: Decision): string[] => {
  const state = nameOf(snapshot);
  const ends = entered.filter((one) => isFinal(one.state)).length;
  if (isFinal(state))
    return ends === 1 && starts.length === 0 && snapshot.status === 'done' ? [] : [`P5 ${state} is not a clean end`];
  if (snapshot.status !== 'active' || ends > 0) return [`P5 ${state} is an unexpected end`];
  if (state === 'suspended') return starts.length === 0 ? [] : ['P5 suspended starts an activity'];
  const under = activitiesUnderWay(snapshot);
  const isRight = under.length > 0 && under.toSorted().join() === activitiesAt(snapshot).toSorted().join();
  if (!isRight) return [`P5 ${state} is stuck with ${under.join() || 'no work'}`];
  const isNew = entered.some((one) => activityOf[one.state] !== undefined);
  return isNew === starts.length > 0 ? [] : [`P5 ${state} is entered with ${starts.join() || 'no work'} to start`];
};

const brokenBounds = (tally: Tally, limits: LoopLimits): string[] => {
  const bounds: [string, number, number][] = [
    ['steps', tally.steps, limits.maxSteps],
    ['attempts', tally.attempts, 1 + limits.maxRetries],
    ['retries', tally.retries, limits.maxRetries],
    ['recoveries', tally.recoveries, limits.maxRecoveries],
    ['models', tally.models, limits.models],
  ];
  return bounds.filter(([, value, bound]) => value > bound).map(([name, value, bound]) => `P6 ${value} ${name} of ${bound}`);
};

/** The machine's counters match what happened, because hooks and events report them. */
const brokenCounters = (context: LoopContext, tally: Tally): string[] => {
  const counters: [string, number, number][] = [
    ['retries', context.retries, tally.retries],
    ['recoveries', context.recoveries, tally.recoveries],
    ['attempt', context.attempt, tally.attempts],
    ['stepNumber', context.stepNumber, Math.max(0, tally.steps - 1)],
  ];
  return counters
    .filter(([, counted, real]) => counted !== real)
    .map(([name, counted, real]) => `P6 ${name} is reported as ${counted}, is ${real}`);
};

// --- The proof: no promise broken anywhere, no state missed, every bound reached. ---

const range = (from: number, to: number): number[] => Array.from({ length: to - from + 1 }, (_, index) => from + index);

const recoveriesAndModels = [
  { maxRecoveries: 0, models: 1 },
  { maxRecoveries: 1, models: 2 },
  { maxRecoveries: 2, models: 1 },
  { maxRecoveries: 2, models: 2 },
];
const grid: LoopLimits[] = range(1, 3).flatMap((maxSteps) =>
  range(0, 2).flatMap((maxRetries) => recoveriesAndModels.map((rest) => ({ maxSteps, maxRetries, ...rest }))),
);

const statesOf = (machine: Machine): string[] =>
  getStateNodes(machine)
    .filter(({ type }) => type === 'atomic' || type === 'final')
    .map(({ path }) => path.join('.'))
    .toSorted();

/** Everything that is wrong with a machine; empty if nothing is. */
const faultsOf = (machine: Machine, limits: readonly LoopLimits[], options?: WalkOptions): string[] => {
  const faults: string[] = [];
  const entered = new Set<string>();
  for (const one of limits) {
    const walk = walkMachine(machine, one, options);
    for (const state of walk.entered) entered.add(state);
    const limitsText = JSON.stringify(one);
    faults.push(...firstOfEach(walk.violations).map((violation) => `${violation} ${limitsText}`));
    const reached: [string, number, number][] = [
      ['steps', walk.most.steps, one.maxSteps],
      ['attempts', walk.most.attempts, 1 + one.maxRetries],
      ['recoveries', walk.most.recoveries, one.maxRecoveries],
      ['models', walk.most.models, one.models],
      ['steps after all retries', walk.stepsAfterRetries, one.maxSteps],
    ];
    for (const [name, value, bound] of reached)
      if (value < bound) faults.push(`P6 only ${value} ${name} of ${bound} ${limitsText}`);
    const { until } = options ?? {};
    if (until && faults.some((fault) => fault.startsWith(`${until} `))) return faults;
  }
  const missed = statesOf(machine).filter((state) => !entered.has(state));
  return missed.length > 0 ? [...faults, `P5 never reached: ${missed.join(', ')}`] : faults;
};

/** One path for each fault, which often occurs on many. */
const firstOfEach = (violations: readonly string[]): string[] => [
  ...new Map(violations.toReversed().map((violation) => [violation.split(':')[0], violation])).values(),
];

const small: LoopLimits[] = [
  { maxSteps: 2, maxRetries: 1, maxRecoveries: 1, models: 1 },
  { maxSteps: 2, maxRetries: 2, maxRecoveries: 1, models: 2 },
];

const largest: LoopLimits = { maxSteps: 3, maxRetries: 2, maxRecoveries: isDeep ? 2 : 1, models: 2 };

/** Each value of each limit at least once, and the smallest of all together. */
const someOfGrid = grid.filter((_, index) => [0, 5, 10, 18, 27].includes(index));

describe('the loop machine, over all reachable states', () => {
  it('keeps P1, P2, P5 and P6 on every path, and reaches every state and bound', () => {
    expect(faultsOf(loopMachine, [largest])).toEqual([]);
  });

  it('keeps P1, P2, P5 and P6 on every path, under other limits', () => {
    expect(faultsOf(loopMachine, isDeep ? grid : someOfGrid, { tryAll: isDeep })).toEqual([]);
  });
});

// --- The proof of the proof: each of these machines has one fault, and the same check finds it. ---

type Guards = NonNullable<Parameters<Machine['provide']>[0]['guards']>;
type Actions = NonNullable<Parameters<Machine['provide']>[0]['actions']>;

const withGuards = (guards: Guards): Machine => loopMachine.provide({ guards });
const withActions = (actions: Actions): Machine => loopMachine.provide({ actions });

interface StateConfig {
  type?: string;
  always?: unknown;
  on?: Record<string, unknown>;
  invoke: { onDone: unknown[] };
  onDone?: unknown[];
  states: Record<string, StateConfig>;
}

/** The machine with a change to its chart. */
const withChart = (change: (chart: StateConfig, step: Record<string, StateConfig>) => void): Machine => {
  const chart = klona(loopMachine.config) as unknown as StateConfig;
  change(chart, chart.states['step']?.states ?? {});
  return createMachine(chart as never, loopMachine.implementations as never) as unknown as Machine; // the same except for the change
};

const is = (kind: OutcomeKind) => ({ type: 'outcomeIs', params: { kind } });
const kindOf = (event: LoopEvent): OutcomeKind | undefined => ('output' in event ? event.output.kind : undefined);

const mutants: Record<string, [promise: string, mutant: () => Machine]> = {
  'one retry too many': [
    'P6',
    () =>
      withGuards({ mayRetry: ({ context, event }) => kindOf(event) === 'retry' && context.retries <= context.limits.maxRetries }),
  ],
  'one retry too few': [
    'P6',
    () =>
      withGuards({
        mayRetry: ({ context, event }) => kindOf(event) === 'retry' && context.retries + 1 < context.limits.maxRetries,
      }),
  ],
  'a retry budget per step': [
    'P6',
    () =>
      withGuards({ mayRetry: ({ context, event }) => kindOf(event) === 'retry' && context.attempt <= context.limits.maxRetries }),
  ],
  'retries that are not counted': ['P6', () => withActions({ countRetry: () => undefined })],
  'one step too many': [
    'P6',
    () =>
      withGuards({
        mayStepOn: ({ context }) => context.toolCalls > 0 && !context.stop && context.stepNumber < context.limits.maxSteps,
      }),
  ],
  'one step too few': [
    'P6',
    () =>
      withGuards({
        mayStepOn: ({ context }) => context.toolCalls > 0 && !context.stop && context.stepNumber + 2 < context.limits.maxSteps,
      }),
  ],
  'retries that use up steps': [
    'P6',
    () =>
      withGuards({
        mayStepOn: ({ context: { toolCalls, stop, stepNumber, retries, limits } }) =>
          toolCalls > 0 && !stop && stepNumber + retries + 1 < limits.maxSteps,
      }),
  ],
  'one recovery too many': [
    'P6',
    () =>
      withGuards({
        mayRecover: ({ context, event }) => kindOf(event) === 'same-model' && context.recoveries <= context.limits.maxRecoveries,
      }),
  ],
  'recoveries that are not counted': ['P6', () => withActions({ countRecovery: () => undefined })],
  'one model too many': [
    'P6',
    () =>
      withGuards({
        mayFallBack: ({ context, event }) => kindOf(event) === 'next-model' && context.modelIndex < context.limits.models,
      }),
  ],
  'an attempt counter that a new step does not reset': [
    'P6',
    () =>
      withChart((_, { deciding }) =>
        Object.assign(deciding ?? {}, { always: [{ guard: 'mayStepOn', target: 'preparing' }, { target: '#loop.finishing' }] }),
      ),
  ],
  'tools after a trip': [
    'P1',
    () => withChart((_, { reviewing }) => reviewing?.invoke.onDone.unshift({ guard: is('trip'), target: 'tools' })),
  ],
  'tools after a retry': [
    'P1',
    () => withChart((_, { reviewing }) => reviewing?.invoke.onDone.unshift({ guard: is('retry'), target: 'tools' })),
  ],
  'tools after a guard that failed': [
    'P1',
    () => withChart((_, { reviewing }) => reviewing?.invoke.onDone.unshift({ guard: is('failed'), target: 'tools' })),
  ],
  'tools without a review': [
    'P1',
    () => withChart((_, { calling }) => calling?.invoke.onDone.unshift({ guard: is('done'), target: 'tools' })),
  ],
  'tools without a call': ['P1', () => withGuards({ calledTools: ({ event }) => kindOf(event) === 'reviewed' })],
  'tools in the next attempt': [
    'P1',
    () =>
      withChart((_, { reviewing }) =>
        reviewing?.invoke.onDone.unshift({ guard: 'calledTools', target: 'tools', actions: 'countRetry' }),
      ),
  ],
  'tools again after a retry of their results': [
    'P1',
    () => withChart((_, { retrying }) => Object.assign(retrying ?? {}, { always: { target: 'tools', actions: 'countRetry' } })),
  ],
  'an approval that skips to the next step': [
    'P1',
    () => withChart(({ states }) => Object.assign(states['suspended'] ?? {}, { on: { RESUME: 'step.deciding' } })),
  ],
  'a response that is emitted before its guards have passed': [
    'P2',
    () =>
      withChart((_, { overlapping }) =>
        Object.assign(overlapping?.states['model']?.states['opening']?.invoke ?? {}, {
          onDone: [{ guard: is('done'), target: '#loop.step.calling' }, { target: '#loop.failed' }],
        }),
      ),
  ],
  'guards that are not awaited': [
    'P2',
    () => withChart((_, { requesting }) => requesting?.invoke.onDone.unshift({ guard: is('overlap'), target: 'calling' })),
  ],
  'tools before their guards have passed': [
    'P2',
    () =>
      withChart((_, { overlapping }) =>
        overlapping?.states['model']?.states['opening']?.invoke.onDone.unshift({
          guard: is('done'),
          target: '#loop.step.tools',
        }),
      ),
  ],
  'a gate that opens after its first region': [
    'P2',
    () =>
      withChart((_, { overlapping }) => {
        const { opening } = overlapping?.states['model']?.states ?? {};
        opening?.invoke.onDone.unshift({ guard: is('api-error'), target: '#loop.step.recovering' });
      }),
  ],
  'a failed call that is read': ['P2', () => withChart((_, { overlapping }) => void overlapping?.onDone?.shift())],
  'a response that is handled as a failure': [
    'P2',
    () => withChart((_, { overlapping }) => Object.assign(overlapping ?? {}, { onDone: [{ target: 'recovering' }] })),
  ],
  'guards and model in sequence': [
    'P2',
    () => withChart((_, { overlapping }) => void Object.assign(overlapping ?? {}, { type: 'compound', initial: 'guards' })),
  ],
  'tools after an overlap guard that blocks': [
    'P2',
    () =>
      withChart((_, { overlapping }) =>
        overlapping?.states['guards']?.states['judging']?.invoke.onDone.unshift({
          guard: is('trip'),
          target: '#loop.step.calling',
        }),
      ),
  ],
  'a tool result without a decision': [
    'P5',
    () =>
      withChart((_, { deciding }) =>
        Object.assign(deciding ?? {}, { always: [{ guard: 'mayStepOn', target: 'preparing', actions: 'nextStep' }] }),
      ),
  ],
  'a trip that does not end the run': ['P5', () => withChart(({ states }) => delete states['tripwire']?.type)],
  'a final state that continues': [
    'P5',
    () => withChart(({ states }) => Object.assign(states['success'] ?? {}, { type: 'atomic', always: 'persisting' })),
  ],
  'a cancel without effect': ['P5', () => withChart((chart) => delete chart.on)],
  'a failed call that is repeated forever': [
    'P5',
    () => withChart((_, { calling }) => calling?.invoke.onDone.unshift({ guard: is('api-error'), target: 'requesting' })),
  ],
  'an unreachable state': [
    'P5',
    () =>
      withChart((_, { tools }) =>
        Object.assign(tools?.invoke ?? {}, {
          onDone: [{ guard: is('executed'), target: 'deciding', actions: 'recordStop' }, { target: '#loop.failed' }],
        }),
      ),
  ],
};

describe('the check of the loop machine', () => {
  it.each(Object.entries(mutants))('finds %s', (_, [promise, mutant]) => {
    const faults = faultsOf(mutant(), small, { until: promise });
    expect(faults.join('\n')).toMatch(new RegExp(`^${promise} `, 'mu'));
  });
});
