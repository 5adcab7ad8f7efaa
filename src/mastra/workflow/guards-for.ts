import type { ErrorProcessor, InputProcessor, OutputProcessor, Processor } from '@mastra/core/processors';
import type { Plan } from '../../pipeline/compile.js';
import { isSame } from '../../pipeline/plain-data.js';
import type { Phase, PhaseData, PhaseRow } from '../../phase/row.js';
import type { ProcessorSlot, RunScope } from '../../phase/scope.js';
import { phaseNames, phaseRow } from '../../phase/table.js';
import { systemTimer } from '../../phase/timer.js';
import type { Lane } from './guards.js';
import { createHost } from './host.js';
import { compile, type Compilable } from './pipeline.js';
import { payloadOf } from './step.js';
import type { Unavailable, Verdict } from '../../verdict.js';
import { outageTrip } from '../../guard/policy/on-unavailable.js';
import { handOnSetAside } from '../../loop/set-aside.js';

/** What a stock Mastra agent takes for one pipeline: spread it into its configuration. */
export interface LaneGuards {
  inputProcessors: InputProcessor[];
  outputProcessors: OutputProcessor[];
  errorProcessors: ErrorProcessor[];
}

/**
 * Gives a stock Mastra agent one pipeline's guards, compiled, in the arrays where their hooks run: one processor for each lane in
 * which the pipeline has any. The agent calls hooks that it would never call in a workflow, and calls them per chunk without
 * starting a run.
 *
 * What follows from the loop stays the loop's: a stock agent still runs a step's tools after a guard tripped on the step, and grants
 * retries in one hook alone; docs/guide/hosts.md has the whole list. A guard of the stream that fails trips, since a stock agent would
 * pass what it failed on. Use {@link InterlockAgent} for these promises.
 *
 * @example
 * new Agent({ id: 'support', name: 'Support', instructions, model, ...guardsFor(moderation) });
 */
export const guardsFor = (source: Compilable): LaneGuards => {
  const plan = compile(source);
  const slots = new WeakMap<object, Map<string, ProcessorSlot>>();
  const lane = <P extends Processor>(name: Lane): P[] => {
    const own = phaseNames.map((phase) => phaseRow(phase)).filter((row) => row.lane === name && plan.has(row.phase));
    if (own.length === 0) return [];
    const hooks = own.map((row) => [row.hook, (args: HookArgs) => runHook({ plan, row, slots }, args)]);
    return [{ id: plan.id, ...Object.fromEntries(hooks) } as P]; // it has a hook of its lane
  };
  return { inputProcessors: lane('input'), outputProcessors: lane('output'), errorProcessors: lane('error') };
};

/** Arguments of any hook: the fields of its phase's payload, and what every hook is handed. */
export type HookArgs = Record<string, unknown> & { state?: object };

interface Site {
  readonly plan: Plan;
  readonly row: PhaseRow;
  /** By the state that the agent keeps for this processor through a run. */
  readonly slots: WeakMap<object, Map<string, ProcessorSlot>>;
}

/** Runs a plan as a hook of a stock agent's: its arguments are the payload, its answer has the form of the phase. */
export const runHook = async ({ plan, row, slots }: Site, args: HookArgs): Promise<unknown> => {
  const { abort: _abort, ...fields } = args;
  const data = { ...fields, phase: row.phase } as unknown as PhaseData; // a hook's arguments have the names of the payload's fields
  const state = (args.state ??= {}) as Record<string, unknown>; // what a processor keeps is its own affair
  const own = slots.get(state) ?? new Map<string, ProcessorSlot>();
  slots.set(state, own);
  const verdict = await plan.run<Phase>(row.phase, data, scopeOf(args, own));
  handOnSetAside({ slots: own }, state);
  return answerOf(row, data, payloadOf(failsOpen(row, verdict) ? outageTrip(verdict) : verdict, data));
};

/** A stock agent lets a chunk pass on which a hook failed; a tripwire it heeds. */
const failsOpen = (row: PhaseRow, verdict: Verdict<unknown>): verdict is Unavailable =>
  row.cadence === 'chunk' && verdict.kind === 'unavailable';

const scopeOf = (args: HookArgs, own: Map<string, ProcessorSlot>): RunScope => {
  const given = args as unknown as RunScope & { runId?: string }; // what every hook is handed has the scope's names
  const { runId, agent, requestContext, tracingContext, writer, abortSignal, retryCount } = given;
  return {
    runId,
    agent,
    requestContext,
    tracingContext,
    writer,
    abortSignal,
    retryCount,
    host: createHost(),
    slot: (id) => slotIn(own, id),
    now: () => performance.now(),
    reportGuard: () => undefined,
    reportConflict: () => undefined,
    reportStale: () => undefined,
    setTimer: systemTimer,
    openShadow: () => () => undefined,
  };
};

const slotIn = (slots: Map<string, ProcessorSlot>, id: string): ProcessorSlot => {
  const slot = slots.get(id) ?? { state: {}, streamParts: [] };
  slots.set(id, slot);
  return slot;
};

/** Fields that a hook does not return, because the list says them. */
const inList = new Set(['messages', 'messageList', 'systemMessages']);

/** What the pipeline made of a payload, in the form in which a hook of this phase says it. */
const answerOf = (row: PhaseRow, given: PhaseData, made: PhaseData): unknown => {
  if ('part' in made) return made.part;
  if ('decision' in made) return { retry: made.decision === 'retry' };
  const before = given as Record<string, unknown>; // compared field by field
  const changed = Object.entries(made).filter(([name, value]) => !inList.has(name) && !isSame(value, before[name]));
  const isInput = row.cadence === 'step' && row.lane === 'input';
  if (!row.carries || isInput) return changed.length > 0 ? Object.fromEntries(changed) : undefined;
  return before.messageList;
};
