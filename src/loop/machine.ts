import { assign, fromPromise, setup, stateIn } from 'xstate';
import { once } from '../phase/memo.js';
import { type Outcome, type OutcomeKind, activityNames, type ActivityName } from './activity.js';

/** Counters and bounds: small enough that every reachable state can be walked. */
export interface LoopContext {
  /** The step, from 0. */
  readonly stepNumber: number;
  /** The attempt at this step (or, before the first step, at the input), from 1. */
  readonly attempt: number;
  /** Retries granted in the whole run. */
  readonly retries: number;
  /** Failed calls that were repeated at a guard's request, in the whole run. */
  readonly recoveries: number;
  /** Index of the current model among the agent's models. */
  readonly modelIndex: number;
  /** Tool calls of the accepted step that wait to run. */
  readonly toolCalls: number;
  /** Whether a stop condition ends the run after this step. */
  readonly stop: boolean;
  /** Whether the application wants another step after one without tool calls. */
  readonly goesOn: boolean;
  readonly limits: LoopLimits;
}

/** The bounds of a run. */
export interface LoopLimits {
  /** Maximum number of steps, not counting retried attempts. */
  readonly maxSteps: number;
  /** Maximum number of retries in the whole run, from any phase. */
  readonly maxRetries: number;
  /** Maximum number of repeated calls after failures, in the whole run. */
  readonly maxRecoveries: number;
  /** Number of models, including the fallbacks. */
  readonly models: number;
}

/** The initial counters of a run: its bounds, and earlier counts if it is one call of a longer run. */
export type LoopInput = LoopLimits & Partial<Pick<LoopContext, 'stepNumber' | 'retries' | 'recoveries'>>;

/** A finished activity, as XState reports an invoked actor. */
type DoneEvent = { [W in ActivityName]: { type: `xstate.done.actor.${W}`; output: Outcome; actorId: string } }[ActivityName];
/** The event of an activity that has ended. */
export const doneEvent = (activity: ActivityName, output: Outcome): LoopEvent => ({
  type: `xstate.done.actor.${activity}`,
  output,
  actorId: activity,
});

/** The driver's events: the caller canceled, a person responded, or an activity ended. */
export type LoopEvent = { type: 'CANCEL' } | { type: 'RESUME' } | DoneEvent;

const scripted = fromPromise<Outcome>(() =>
  Promise.reject(new Error('This machine decides only; give it actors, or drive it with its pure transitions.')),
);

const outcomeOf = (event: LoopEvent): Outcome | undefined => ('output' in event ? event.output : undefined);
const isStop = (outcome: Outcome | undefined): boolean => outcome?.kind === 'executed' && outcome.stop;
const reviewedOf = (event: LoopEvent): Extract<Outcome, { kind: 'reviewed' }> | undefined => {
  const outcome = outcomeOf(event);
  return outcome?.kind === 'reviewed' ? outcome : undefined;
};

const loopSetup = setup({
  types: {
    context: {} as LoopContext,
    events: {} as LoopEvent,
    input: {} as LoopInput,
  },
  actors: Object.fromEntries(activityNames.map((name) => [name, scripted])) as Record<ActivityName, typeof scripted>,
  guards: {
    outcomeIs: ({ event }, { kind }: { kind: OutcomeKind }) => outcomeOf(event)?.kind === kind,
    mayRetry: ({ context, event }) => outcomeOf(event)?.kind === 'retry' && context.retries < context.limits.maxRetries,
    mayRecover: ({ context, event }) =>
      outcomeOf(event)?.kind === 'same-model' && context.recoveries < context.limits.maxRecoveries,
    mayFallBack: ({ context, event }) =>
      outcomeOf(event)?.kind === 'next-model' && context.modelIndex + 1 < context.limits.models,
    calledTools: ({ event }) => (reviewedOf(event)?.toolCalls ?? 0) > 0,
    mayStepOn: ({ context: { toolCalls, stop, goesOn, stepNumber, limits } }) =>
      (goesOn || (toolCalls > 0 && !stop)) && stepNumber + 1 < limits.maxSteps,
  },
  actions: {
    /** Marks each state that was entered, transient ones included; the driver records it. */
    entered: (_, _params: { state: string }) => undefined,
    countRetry: assign({
      retries: ({ context }) => context.retries + 1,
      attempt: ({ context }) => context.attempt + 1,
      toolCalls: 0,
      stop: false,
      goesOn: false,
    }),
    countRecovery: assign({ recoveries: ({ context }) => context.recoveries + 1 }),
    nextModel: assign({ modelIndex: ({ context }) => context.modelIndex + 1 }),
    firstAttempt: assign({ attempt: 1 }),
    recordToolCalls: assign({
      toolCalls: ({ event }) => reviewedOf(event)?.toolCalls ?? 0,
      goesOn: ({ event }) => reviewedOf(event)?.shouldContinue === true,
    }),
    recordStop: assign({ stop: ({ event }) => isStop(outcomeOf(event)) }),
    nextStep: assign(({ context }) => ({
      stepNumber: context.stepNumber + 1,
      attempt: 1,
      toolCalls: 0,
      goesOn: false,
      modelIndex: 0,
    })),
  },
});

const entered = (state: string) => ({ type: 'entered', params: { state } }) as const;
const is = <K extends OutcomeKind>(kind: K) => ({ type: 'outcomeIs', params: { kind } }) as const;

/** The ends of any judged activity that does not continue. A retry beyond the budget is a trip. */
const ends = [
  { guard: is('retry'), target: '#loop.tripwire' },
  { guard: is('trip'), target: '#loop.tripwire' },
  { target: '#loop.failed' },
] as const;

/** Inside a step, a granted retry leads to the next attempt. */
const stops = [{ guard: 'mayRetry', target: '#loop.step.retrying' }, ...ends] as const;

const failed = '#loop.failed';

/** A state in which an activity runs, and the transitions for its outcomes. */
const awaits = <A extends ActivityName, const T extends readonly object[]>(state: string, activity: A, onDone: T) =>
  ({
    entry: entered(state),
    invoke: { src: activity, id: activity, onDone, onError: failed },
  }) as const;

/** The counters at the start of a run. */
export const startContext = ({ stepNumber = 0, retries = 0, recoveries = 0, ...limits }: LoopInput): LoopContext => ({
  stepNumber,
  attempt: 1,
  retries,
  recoveries,
  modelIndex: 0,
  toolCalls: 0,
  stop: false,
  goesOn: false,
  limits,
});

/**
 * The agent loop, and the only place that decides what happens next. `tools` is reachable only from a reviewed step. A response
 * is emitted (`calling`) once the overlap guards have passed. A retry is a bounded transition. Every run ends in exactly one of
 * `success`, `tripwire`, `failed` and `canceled`, or waits in `suspended`. XState reads the whole chart to create its machine.
 */
const chart = {
  id: 'loop',
  // XState's `transition` also makes the context of an actor without input, and an error there would double its cost.
  context: ({ input = {} as LoopInput }: { input?: LoopInput }) => startContext(input),
  initial: 'input',
  on: { CANCEL: '.canceled' },
  states: {
    input: awaits('input', 'input', [
      { guard: is('done'), target: 'step', actions: 'firstAttempt' },
      { guard: 'mayRetry', target: 'input', reenter: true, actions: 'countRetry' },
      ...ends,
    ]),
    step: {
      initial: 'preparing',
      states: {
        preparing: awaits('step.preparing', 'prepare', [{ guard: is('done'), target: 'requesting' }, ...stops]),
        requesting: awaits('step.requesting', 'request', [
          { guard: is('done'), target: 'calling' },
          { guard: is('overlap'), target: 'overlapping' },
          ...stops,
        ]),
        overlapping: {
          type: 'parallel',
          states: {
            model: {
              initial: 'opening',
              states: {
                opening: awaits('step.overlapping.model.opening', 'open', [
                  { guard: is('done'), target: 'open' },
                  { guard: is('api-error'), target: 'broken' },
                  { target: failed },
                ]),
                open: { type: 'final', entry: entered('step.overlapping.model.open') },
                broken: { type: 'final', entry: entered('step.overlapping.model.broken') },
              },
            },
            guards: {
              initial: 'judging',
              states: {
                judging: awaits('step.overlapping.guards.judging', 'judge', [{ guard: is('done'), target: 'passed' }, ...stops]),
                passed: { type: 'final', entry: entered('step.overlapping.guards.passed') },
              },
            },
          },
          // The gate: the response is read on, or its failure handled, only after both regions are done.
          onDone: [
            { guard: stateIn({ step: { overlapping: { model: 'broken' } } }), target: 'recovering' },
            { target: 'calling' },
          ],
        },
        calling: awaits('step.calling', 'call', [
          { guard: is('done'), target: 'reviewing' },
          { guard: is('api-error'), target: 'recovering' },
          ...stops,
        ]),
        recovering: awaits('step.recovering', 'recover', [
          { guard: 'mayRecover', target: 'requesting', actions: 'countRecovery' },
          { guard: 'mayFallBack', target: 'requesting', actions: 'nextModel' },
          ...stops,
        ]),
        reviewing: awaits('step.reviewing', 'review', [
          { guard: 'calledTools', target: 'tools', actions: 'recordToolCalls' },
          { guard: is('reviewed'), target: 'deciding', actions: 'recordToolCalls' },
          ...stops,
        ]),
        tools: awaits('step.tools', 'tools', [
          { guard: is('executed'), target: 'deciding', actions: 'recordStop' },
          { guard: is('suspended'), target: '#loop.suspended' },
          ...stops,
        ]),
        deciding: {
          entry: entered('step.deciding'),
          always: [{ guard: 'mayStepOn', target: 'preparing', actions: 'nextStep' }, { target: '#loop.finishing' }],
        },
        retrying: { entry: entered('step.retrying'), always: { target: 'preparing', actions: 'countRetry' } },
      },
    },
    finishing: awaits('finishing', 'finish', [{ guard: is('done'), target: 'persisting' }, ...stops]),
    persisting: awaits('persisting', 'persist', [{ guard: is('done'), target: 'success' }, { target: failed }]),
    suspended: { entry: entered('suspended'), on: { RESUME: 'step.tools' } },
    success: { type: 'final', entry: entered('success') },
    tripwire: { type: 'final', entry: entered('tripwire') },
    failed: { type: 'final', entry: entered('failed') },
    canceled: { type: 'final', entry: entered('canceled') },
  },
} as const;

export const getLoopMachine = once(() => loopSetup.createMachine(chart));
