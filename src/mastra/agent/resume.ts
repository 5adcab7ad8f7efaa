import { MASTRA_RESOURCE_ID_KEY, MASTRA_THREAD_ID_KEY, type RequestContext } from '@mastra/core/request-context';
import { isDeepStrictEqual } from 'node:util';
import { InterlockError } from '../../errors.js';
import type { FoundOutcome, WaitingCall } from '../../loop/tool-call.js';
import { resumeRun, type Answered } from '../../loop/create-run.js';
import type { RunMode } from '../../loop/ports.js';
import { type Run, waitingCalls } from '../../loop/run.js';
import type { CallOptions } from '../call-options.js';
import type { InterlockConfig } from './config.js';
import type { MemoryTarget } from '../memory/memory.js';
import { isDelegated } from '../tools/delegation.js';
import { toolsOfCall, type LoopTarget } from '../tools/tools.js';
import { fieldsIn, isRecord } from '../../phase/plain-data.js';
import { runSegmentOf } from './run-segment.js';
import type { createIgnoredOptions } from './resolve-options.js';
import { threadOf, type SuspendedRuns } from './suspended-runs.js';
import { changesNothing, namesOf, readCallOptions } from '../options/option-table.js';

/** A call that resumes a run, with its options resolved. */
export interface ResumeOptions {
  readonly mode: RunMode;
  readonly runId: string;
  /** The waiting call to answer. Required if several calls wait. */
  readonly toolCallId: string | undefined;
  readonly resumeData: unknown;
  /** Repeated options, which must equal those at the start of the run. */
  readonly repeated: ResumeCall['repeated'];
  readonly options: CallOptions;
  readonly requestContext: RequestContext;
  /** The memory target of the resuming call. */
  readonly memory: MemoryTarget | undefined;
}

/**
 * Resumes a suspended run. Raises `agent/no-suspended-run`, and `agent/invalid-option` if the answer does not fit the waiting
 * call; the run then stays suspended.
 */
export const resume = async (resuming: ResumeOptions, suspended: SuspendedRuns, guards: InterlockConfig): Promise<Run> => {
  const found = await suspended.find(resuming.runId);
  const answered = answeredBy(found.run, resuming);
  const { recording } = found.run.options;
  const started = startOf(found.run);
  suspended.take(found);
  const mode = await nextMode(found.run, resuming, started);
  const segment: { run?: Run } = {}; // until it is set, chunks of the last run segment are buffered for it
  const next = resumeRun(
    found.run,
    {
      ...runSegmentOf({ ...resuming, agent: started.agent, guards, recorded: recording?.show }, () => segment.run),
      settings: mode?.settings ?? found.run.options.settings,
    },
    answered,
  );
  segment.run = next;
  if (mode) next.change({ baseSystem: mode.system });
  recording?.resume(next, answered);
  return next;
};

/** The mode of an `AgentController` in which a call is made. */
const modeOf = (context: RequestContext): unknown =>
  context.get<string, { readonly session?: { readonly modeId?: unknown } } | undefined>('controller')?.session?.modeId;

/**
 * The tools and the system messages of the steps after a change of mode. A tool of both modes is that of the start. The agent's
 * instructions replace those of the mode at the start. Undefined in the same mode.
 */
const nextMode = async (run: Run, { repeated, requestContext }: ResumeOptions, { agent, options, ...start }: Start) => {
  const { settings } = run.options;
  const before = start.requestContext;
  if (!repeated.toolsets || modeOf(before) === undefined || modeOf(before) === modeOf(requestContext)) return undefined;
  const [old, now] = [toolsOfCall({ toolsets: options.toolsets }), toolsOfCall({ toolsets: repeated.toolsets })];
  const offered = settings.tools ?? {};
  const kept = Object.entries(offered).filter(([name]) => name in now || !(name in old));
  const added = Object.entries(now).filter(([name]) => !(name in offered));
  const given = systemOf(options.instructions ?? (await agent.getInstructions({ requestContext: before })));
  const instructions = systemOf(await agent.getInstructions({ requestContext }));
  const others = run.state.baseSystem.filter((one) => !given.some((own) => isDeepStrictEqual(own, one)));
  return {
    settings: { ...settings, tools: Object.fromEntries([...kept, ...added]), activeTools: undefined },
    system: [...instructions, ...others],
  };
};

const systemOf = (instructions: unknown): Run['state']['baseSystem'] =>
  [instructions].flat().map((one) => (typeof one === 'string' ? { role: 'system', content: one } : one)) as never; // as in Mastra

/** The answer of a call to a suspended run. Raises `agent/invalid-option` if it does not fit the waiting call. */
export const answeredBy = (rested: Run, resuming: ResumeOptions): Answered => {
  checkConversation(rested, resuming);
  const waiting = choose(waitingCalls(rested), resuming);
  checkRepeated(rested, resuming.repeated, waiting);
  return { toolCallId: waiting.call.toolCallId, answer: answerOf(waiting, resuming.resumeData) };
};

const invalid = (path: string, detail: string): InterlockError => new InterlockError('agent/invalid-option', { path, detail });

/** Rejects an answer from another conversation. The request context and the caller's memory must both match. */
const checkConversation = (run: Run, { memory, requestContext }: Pick<ResumeOptions, 'memory' | 'requestContext'>): void => {
  const { threadId, resourceId } = threadOf(run);
  const { thread, resource } = memory ?? {};
  const threads = [requestContext.get(MASTRA_THREAD_ID_KEY), typeof thread === 'string' ? thread : thread?.id];
  const resources = [requestContext.get(MASTRA_RESOURCE_ID_KEY), resource];
  const isOther = (own: unknown) => (value: unknown) => value !== undefined && value !== '' && value !== own;
  if (threads.some(isOther(threadId))) throw invalid('memory.thread', 'the run belongs to another thread.');
  if (resources.some(isOther(resourceId))) throw invalid('memory.resource', 'the run belongs to another resource.');
};

const choose = (
  waiting: readonly WaitingCall[],
  { toolCallId, options, mode }: Pick<ResumeOptions, 'toolCallId' | 'options' | 'mode'>,
): WaitingCall => {
  const ids = waiting.map(({ call }) => call.toolCallId);
  const named = toolCallId ?? (isDelegated(options) ? passedOn(ids, mode) : ids.length === 1 ? ids[0] : undefined);
  const chosen =
    waiting.find(({ call }) => call.toolCallId === named) ?? waiting.find((one) => named !== undefined && innerId(one) === named);
  if (chosen) return chosen;
  const detail = `the run waits for ${ids.join(', ')}; name one of them.`;
  if (named === undefined) throw invalid('toolCallId', detail);
  const error = new InterlockError('agent/no-suspended-run', { path: named, detail });
  throw Object.assign(error, { id: 'AGENT_RESUME_TOOL_CALL_NOT_SUSPENDED' }); // Mastra's id of this error
};

/** The id of the call inside the waiting sub-agent. The sub-agent's chunks, forwarded by the supervisor, carry it. */
const innerId = (waiting: WaitingCall): string | undefined =>
  waiting.kind === 'data' ? waiting.suspension.approval?.toolCallId : undefined;

/** The ids of the calls that wait with an answered one. */
export const waitingWith = (run: Run, answered: string | undefined): readonly string[] =>
  answered === undefined
    ? []
    : waitingCalls(run)
        .filter((one) => one.call.toolCallId !== answered && innerId(one) !== answered)
        .map(({ call }) => call.toolCallId);

/**
 * The call that a supervisor means without naming it. If several calls of a sub-agent wait, Mastra's tool passes on only one of
 * them: the first for `generate`, the last for `stream`.
 */
const passedOn = (ids: readonly string[], mode: RunMode): string | undefined => (mode === 'generate' ? ids[0] : ids.at(-1));

const answerOf = (waiting: WaitingCall, resumeData: unknown): Answered['answer'] => {
  if (waiting.kind === 'data' && waiting.suspension.unknown && !isFoundOutcome(resumeData))
    throw invalid(
      'resumeData',
      "the outcome of the call is unknown, state it: { outcome: 'done', result } or { outcome: 'not-done' }.",
    );
  if (waiting.kind === 'data') return { kind: 'data', data: resumeData, suspension: waiting.suspension };
  const { approved, ...rest } = isRecord(resumeData) ? resumeData : {};
  if (approved === false) return { kind: 'declined', reason: reasonOf(rest) ?? 'Tool call was not approved by the user' };
  if (approved !== true)
    throw invalid('resumeData', 'the call waits for approval: { approved: true } or { approved: false, reason }.');
  return { kind: 'approved', ...(Object.keys(rest).length > 0 && { data: resumeData }) };
};

const isFoundOutcome = (outcome: unknown): outcome is FoundOutcome =>
  isRecord(outcome) && (outcome['outcome'] === 'not-done' || (outcome['outcome'] === 'done' && 'result' in outcome));

const reasonOf = ({ reason, declineContext }: Record<string, unknown>): string | undefined => {
  if (typeof reason === 'string' && reason.trim() !== '') return reason;
  return isRecord(declineContext) ? reasonOf({ reason: declineContext.reason }) : undefined;
};

/** Options that a resuming call may set. The run keeps its other options. */
const allowed = namesOf(({ onResume }) => onResume === 'allowed' || onResume === 'allowed-and-delegated');

/** Options that a supervisor repeats when it resumes an agent, unchanged. */
const repeatedToAgents = namesOf(({ onResume }) => onResume === 'delegated' || onResume === 'allowed-and-delegated');

/** Parsed options of a call that resumes a run. */
interface ResumeCall extends CallOptions {
  runId: string;
  toolCallId: string | undefined;
  /** Repeated options, which must equal those at the start of the run. */
  repeated: Readonly<Record<string, unknown>> & Pick<CallOptions, 'toolsets'>;
}

type Start = Pick<LoopTarget, 'agent' | 'options' | 'requestContext'>;

/** The starts of runs, by their ports, which the runs that resume one share. */
const starts = new WeakMap<object, Start>();

export const recordStart = ({ options: { ports } }: Run, start: Start): void => void starts.set(ports, start);

/** The call that started a run. */
export const startOf = ({ options: { ports, runId } }: Run): Start => {
  const start = starts.get(ports);
  if (!start) throw new InterlockError('agent/no-suspended-run', { path: runId });
  return start;
};

/** Tools that hosts make anew for each call. The run keeps those of its start. */
const madeAnew: ReadonlySet<string> = new Set(['toolsets', 'clientTools']);

/**
 * Rejects a repeated option that differs from the one at the start of the run. A tool that waits for data is not approved again,
 * which hosts state by `requireToolApproval: false`; other calls still wait for approval. Raises `agent/unsupported-option`.
 */
const checkRepeated = (run: Run, repeated: ResumeCall['repeated'], { kind }: WaitingCall): void => {
  const started = fieldsIn(startOf(run).options);
  const isKept = (name: string, value: unknown): boolean =>
    madeAnew.has(name) || (kind === 'data' && name === 'requireToolApproval' && value === false);
  const path = Object.keys(repeated).find(
    (name) => !isKept(name, repeated[name]) && !isDeepStrictEqual(repeated[name], started[name]),
  );
  if (path)
    throw new InterlockError('agent/unsupported-option', { path, detail: 'a resumed run keeps the options of its start.' });
};

/** Parses the options of a call that resumes a run. Raises for unsupported and invalid options, as for any call. */
export const readResumeOptions = (given: object = {}, ignored: ReturnType<typeof createIgnoredOptions>): ResumeCall => {
  const { toolCallId, ...all } = fieldsIn(given);
  const named = readCallOptions(all, ignored);
  const isRepeated = (name: string): boolean => isDelegated(given) && repeatedToAgents.has(name);
  const options = Object.fromEntries(Object.entries(named).filter(([name]) => !isRepeated(name)));
  const repeated: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(options)) {
    if (allowed.has(name)) continue;
    delete options[name];
    if (!changesNothing(name, value)) repeated[name] = value;
  }
  const { runId } = options;
  if (typeof runId !== 'string') throw invalid('runId', 'it must be a string.');
  if (toolCallId !== undefined && typeof toolCallId !== 'string') throw invalid('toolCallId', 'it must be a string.');
  return { ...options, runId, toolCallId, repeated };
};
