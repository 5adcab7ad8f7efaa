import type { RunEvent } from '../../../schemas/index.js';
import type { Engine } from '../../durable/journal.js';
import type { Effect } from '../../loop/tool-call.js';
import type { SavedTurn, Persistence } from '../../loop/persistence.js';
import { defaultMaxHeldChars } from '../../stream/gate/stream-gate.js';
import type { TraceRecorder } from '../../trace/trace-writer.js';
import type { DynamicGuards } from '../graph/to-graph.js';
import { aWindow } from '../../guard/policy/guard-policy.js';
import { both, inConfig, onCall, removes, type Loosens, type OptionRow } from './option-row.js';
import {
  aBoolean,
  aNumber,
  fieldsOf,
  functionOf,
  instanceWith,
  kind,
  needed,
  oneOf,
  recordOf,
  wholeNumberFrom,
  type OptionKind,
} from '../../option-kind.js';

/** Limits on an agent's durable runs in a process: concurrency and rate of starts. */
export interface RunQueueOptions {
  /** The maximum number of concurrent runs; at least 1. Default: only the engine's limit. */
  readonly concurrency?: number;
  /** At most `runs` start within any `perMs` milliseconds. Default: no limit. */
  readonly rateLimit?: { readonly runs: number; readonly perMs: number };
}

/** A run whose code has changed since it started. */
export interface CodeChange {
  readonly runId: string;
  /** Hashes of the code that started the run, and of the code that would continue it. */
  readonly from: string;
  readonly to: string;
  /** Descriptions of the changes, such as `input guards removed: limit`. */
  readonly changes: readonly string[];
}

/** Guards of one array. Entries of a list are checked at compilation, which raises `pipeline/invalid-step`. */
const guards = kind<DynamicGuards>(
  'a processor, a pipeline, a workflow, an array of these, or a function',
  (value) => typeof value === 'function' || (typeof value === 'object' && value !== null),
);
const lane = both(guards, { loosens: removes });

const holds = ['none', 'auto', 'step', 'run'] as const;

/** `auto` depends on the guards: of the other values, only `none` always holds less and only `run` always holds more. */
const holdsLess: Loosens = (value, own = 'auto') => value !== own && value !== 'run' && own !== 'none';

const savedTurn: OptionKind<SavedTurn> = oneOf('accepted', 'drop', 'user-only', 'placeholder');
const persistence = fieldsOf({ tripwire: savedTurn, failed: savedTurn, canceled: savedTurn, suspended: oneOf('keep', 'drop') });
const defaultPersistence = {
  tripwire: 'accepted',
  failed: 'accepted',
  canceled: 'accepted',
  suspended: 'keep',
} satisfies Persistence;

type Saved = Persistence[keyof Persistence];
/** The values that save no more than another one. */
const atMost: Readonly<Record<NonNullable<Saved>, readonly Saved[]>> = {
  keep: ['keep', 'drop'],
  accepted: ['accepted', 'drop'],
  'user-only': ['user-only', 'placeholder', 'drop'],
  placeholder: ['placeholder', 'drop'],
  drop: ['drop'],
};

const savesMore: Loosens = (value, own) => {
  const now: Required<Persistence> = { ...defaultPersistence, ...(own as Persistence | undefined) }; // both are already checked
  return Object.entries(value as Persistence).some(
    ([status, turn]) => turn !== undefined && !atMost[now[status as keyof Persistence]].includes(turn),
  );
};

const atLeastOne = wholeNumberFrom(1);
const runQueue: OptionKind<RunQueueOptions> = fieldsOf({
  concurrency: atLeastOne,
  rateLimit: fieldsOf({ runs: needed(atLeastOne), perMs: needed(atLeastOne) }),
});

/**
 * Interlock's own options, and those of Mastra that it widens. Their types are inferred from here; the comment of a row is the
 * comment of the option.
 */
export const ownOptions = {
  /**
   * Guards before the model: an array of processors, pipelines and workflows, a single pipeline or workflow, or a function. A
   * call's guards replace the agent's; to remove them, a call passes a function, `() => []`.
   */
  inputProcessors: lane,
  /** Guards after the model, in the forms of `inputProcessors`. */
  outputProcessors: lane,
  /** Guards for failed model calls, in the forms of `inputProcessors`. */
  errorProcessors: lane,
  /**
   * Maximum retries in one run, across all phases. Default: 0, which turns a retry into a tripwire; 3 with error processors, as
   * in Mastra 1.71.
   */
  maxProcessorRetries: both(wholeNumberFrom(0), { default: 0 }),
  /**
   * The content that waits for its guards. `auto`: content is sent as soon as no guard can reject or edit it any more; a guard of
   * whole steps or answers that does not check the stream holds the step or the answer. `none`: content that the stream guards
   * passed is sent at once, as in Mastra; if a later guard rejects or edits it, it is retracted and the accepted content is sent
   * again. `step`: a step is sent once its guards have accepted it, including its tools. `run`: nothing is sent before the whole
   * answer is accepted. A call may hold more than its agent, not less. Default: `auto`.
   */
  hold: both(oneOf(...holds), { default: 'auto', loosens: holdsLess }),
  /**
   * The window of stream guards without their own: how much of the stream such a guard checks at a time. `delta`: each chunk, as in
   * Mastra. Default: `sentence`, at most 400 characters.
   */
  window: inConfig(aWindow, { default: 'sentence' }),
  /**
   * Maximum characters of an answer that stream guards may buffer at one position of the pipeline; at least 1. A run that needs
   * more fails with `release/hold-exceeded`. Default: 1,000,000.
   */
  maxHeldChars: both(wholeNumberFrom(1), { default: defaultMaxHeldChars }),
  /**
   * Lists each guard's edits in `changes` of the run's `guard` events. They then contain content that guards removed: protect
   * them from readers without permission. Costs a copy and a comparison of the payload for each guard call. Default: `false`.
   */
  recordEdits: both(aBoolean, { default: false }),
  /**
   * Includes details of the guards in copies of results and streams, such as a server's responses: `runEvents`, `bypasses` and
   * `wasted` of a result, and the phase and path of a tripwire. The application's own code and callbacks can always read them.
   * Default: `false`.
   */
  serveGuardDetails: inConfig(aBoolean, { default: false }),
  /**
   * Passes the whole error of a failed run to callers, logs and spans. By default its message is cut where it quotes the prompt,
   * and JSON, copies and logs of it have only fields such as `code`, `statusCode` and `isRetryable`; code in the process can read
   * the other fields. Error processors always get the whole error. Default: `false`.
   */
  serveErrorDetails: inConfig(aBoolean, { default: false }),
  /**
   * Behavior when the last reader of a run's stream cancels, such as a server whose client has disconnected. `finish`: the run
   * continues to its end, as in Mastra. `stop`: the run ends as `canceled`, its model call is aborted and no tool starts; a run
   * whose result is awaited continues. Default: `finish`.
   */
  onReaderCancel: both(oneOf('stop', 'finish'), { default: 'finish', onResume: 'allowed', isLocal: true }),
  /**
   * Makes a tripwire reject: `generate`, and `getFullOutput()` and the other promises of a stream, reject with the error
   * `agent/tripwire`, whose `cause` is the tripwire. The chunks of a stream are unchanged. A supervisor gets `agent/refused`.
   * Default: `false`.
   */
  throwOnTripwire: both(aBoolean, { default: false, onResume: 'allowed', isLocal: true }),
  /**
   * Records runs. Called once for each run with the header of its trace; returns a function for the lines as they are written, or
   * undefined to skip the run. A resumed run continues its trace. A trace contains text that was never sent: protect it like
   * the conversation itself, and show `redactTrace(trace)`. Its errors do not reach the run. Default: nothing is recorded, at no
   * cost.
   */
  record: both(functionOf<TraceRecorder>(), { isLocal: true }),
  /**
   * The part of a turn without an accepted answer that memory stores, by status of the run. Rejected text is never stored. A call
   * overrides each status, but only to store less. Default: accepted steps with their tool calls, and the turn of a suspended run.
   */
  persistence: both(persistence, { default: defaultPersistence, mergeDepth: 1, loosens: savesMore }),
  /**
   * The engine for durable runs, which survive their process: after a crash a run continues, and finished tools do not run again.
   * Runs then accept only data; set options with functions on the agent. Default: none.
   */
  durability: inConfig(instanceWith<Engine>('host', 'an engine of durable runs')),
  /**
   * Limits on concurrent durable runs of this agent in a process, and on the rate of starts. Other runs wait, highest `priority`
   * first. Needs `durability`. Default: only the engine's limit.
   */
  runQueue: inConfig(runQueue),
  /**
   * Milliseconds that a durable run may take from its call to its end, including waits for its turn, a process or an approval. Then
   * it ends as `canceled`, with the error `run/deadline` in its `run-finish` event. Needs `durability`. Default: none.
   */
  deadlineMs: both(wholeNumberFrom(1)),
  /** The priority of a durable run in the queue: any number, higher first. Needs `durability`. Default: 0. */
  priority: onCall(aNumber, { default: 0 }),
  /**
   * Side effects of tools, by name: `none`, `idempotent` or `once`; see `Effect`. `once` needs an engine that guarantees it,
   * otherwise `durable/once-not-supported` is raised. Default: `idempotent`.
   */
  effects: inConfig(recordOf<Effect>(oneOf('none', 'idempotent', 'once'))),
  /**
   * Called when a stored run was started by another statechart or other guards than the agent has now. Returns whether the run
   * may continue with the current code. Default: the run waits for the code that started it.
   */
  acceptChangedCode: inConfig(functionOf<(change: CodeChange) => boolean | Promise<boolean>>()),
  /**
   * Called with every event of a run as it happens, and with the id of the agent, also in a process that recovers the run. The
   * agent's and the call's are both called. Its errors do not reach the run.
   */
  onRunEvent: both(functionOf<(event: RunEvent, source: { readonly agentId?: string }) => void>(), {
    onResume: 'allowed',
    isLocal: true,
  }),
} as const satisfies Readonly<Record<string, OptionRow>>;
