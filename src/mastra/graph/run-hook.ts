import { outageTrip } from '../../pipeline/policy/layers.js';
import { passOnReprocessed } from '../../loop/judge.js';
import type { Host } from '../../phase/host.js';
import type { Phase, PhaseData, PhaseRow, ProcessorSlot } from '../../phase/row.js';
import { phaseNames, phaseRow } from '../../phase/table.js';
import { whenReady, type Awaitable } from '../../phase/awaitable.js';
import { current, type MessageCarrier } from '../../phase/settle-messages.js';
import { createRunScope, type RunScope } from '../../phase/scope.js';
import type { Plan } from '../../pipeline/graph.js';
import { fieldsIn, isSame, computed } from '../../phase/plain-data.js';
import type { Unavailable, Verdict } from '../../verdict.js';
import { guardReports, type GuardedRunFacts } from '../../trace/observers.js';
import { recordResult, payloadOf } from './thrown-stops.js';

/** The arguments that all hooks get, with the names of the scope; the others are fields of the phase's payload. */
export interface HookArgs extends Partial<Omit<RunScope, 'retryCount'>> {
  state?: Record<string, unknown>;
  readonly abort?: unknown;
  readonly retryCount?: number;
}

interface HookCallSite {
  readonly plan: Plan;
  readonly row: PhaseRow;
  /** Slots by the state that the agent keeps for this processor during a run. */
  readonly slots: WeakMap<object, Map<string, ProcessorSlot>>;
  readonly host: Host;
}

/** The hooks of a processor that runs a plan, by their names. Hosts call them. */
export const hooksOf = (plan: Plan, hostOf: () => Awaitable<Host>): Record<string, (args: HookArgs) => Awaitable<unknown>> => {
  const slots: HookCallSite['slots'] = new WeakMap();
  const rows = phaseNames.map((phase) => phaseRow(phase)).filter(({ phase }) => plan.has(phase));
  return Object.fromEntries(
    rows.map((row) => [row.hook, (args) => whenReady(hostOf(), (host) => runHook({ plan, row, slots, host }, args))]),
  );
};

/** Runs a plan as a hook of Mastra's own agent: its arguments are the payload, and its result has the form of the phase. */
const runHook = async ({ plan, row, slots, host }: HookCallSite, args: HookArgs): Promise<unknown> => {
  const { abort: _abort, ...fields } = args;
  const data = { ...fields, phase: row.phase } as unknown as PhaseData; // a hook's arguments are named like the payload's fields
  const state = (args.state ??= {}); // its content belongs to the processor
  const own = computed(slots, state, () => new Map<string, ProcessorSlot>());
  recordResult(data, host);
  const observed = guardReports(own, () => factsOf(plan, args));
  observed?.ask(data);
  const { runId, agent, requestContext, tracingContext, writer, abortSignal, retryCount = 0 } = args;
  const common = { runId, agent, requestContext, tracingContext, writer, abortSignal, retryCount: () => retryCount };
  const scope = createRunScope({ ...common, host, slots: own, reports: observed?.reports });
  const verdict = await plan.run<Phase>(row.phase, data, scope);
  passOnReprocessed({ slots: own }, state);
  return answerOf({ row, host }, data, payloadOf(failsOpen(row, verdict) ? outageTrip(verdict) : verdict, data, host));
};

/** Mastra's own agent passes a chunk whose hook failed, but respects a tripwire. */
const failsOpen = (row: PhaseRow, verdict: Verdict<unknown>): verdict is Unavailable =>
  row.cadence === 'chunk' && verdict.kind === 'unavailable';

/** The facts of a run. Mastra's own agent may not pass its run id to processors. */
const factsOf = ({ id }: Plan, { runId, agent }: HookArgs): GuardedRunFacts => ({
  runId: runId ?? crypto.randomUUID(),
  agentId: agent?.id,
  host: 'mastra',
  pipelineId: id,
});

/** Fields that a hook does not return, because the list contains them. */
const inList = new Set(['messages', 'messageList', 'systemMessages']);

/**
 * The pipeline's result for a payload, in the return form of this phase's hook. Mastra hands the next processor the messages that it gets
 * here: of a step and of a response those that the guards accepted, otherwise all of the list.
 */
const answerOf = ({ row, host }: Pick<HookCallSite, 'row' | 'host'>, original: PhaseData, made: PhaseData): unknown => {
  if ('part' in made) return made.part;
  if ('decision' in made) return { retry: made.decision === 'retry' };
  const before = fieldsIn(original);
  const changed = Object.entries(made).filter(([name, value]) => !inList.has(name) && !isSame(value, before[name]));
  const given: MessageCarrier = original;
  const { messages, messageList } = current(given, host, row.carries);
  const isInput = row.cadence === 'step' && row.lane === 'input';
  if (isInput && messages !== given.messages) changed.push(['messages', messages]);
  if (!row.carries || isInput) return changed.length > 0 ? Object.fromEntries(changed) : undefined;
  return row.carries.scope === 'response' ? messages : messageList;
};
