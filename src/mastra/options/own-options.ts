import type { z } from 'zod';
import type { RunEvent } from '../../../schemas/index.js';
import type { Engine } from '../../durable/journal.js';
import type { Effect } from '../../loop/effect.js';
import type { KeptTurn, Persistence } from '../../loop/persistence.js';
import { defaultMaxHeldChars } from '../../stream/gate/stream-gate.js';
import type { TraceRecorder } from '../../trace/trace-writer.js';
import type { DynamicGuards } from '../workflow/guards.js';
import type { RunQueueOptions } from './run-queue-options.js';
import { both, inConfig, onCall, ranksBelow, removes, type Loosens, type OptionRow } from './option-row.js';
import {
  aBoolean,
  aNumber,
  fieldsOf,
  functionOf,
  instanceWith,
  kind,
  oneOf,
  recordOf,
  wholeNumberFrom,
} from './option-schemas.js';

/** A run whose code has changed since it started. */
export interface CodeChange {
  readonly runId: string;
  /** Hashes of the code that started the run, and of the code that would continue it. */
  readonly from: string;
  readonly to: string;
  /** What changed, for people, such as `input guards removed: limit`. */
  readonly changes: readonly string[];
}

/** Guards of one lane; what is in a list is looked at where it is compiled, and refused as `pipeline/invalid-step`. */
const guards = kind<DynamicGuards>(
  'a processor, a pipeline, a workflow, a list of them or a function',
  (value) => typeof value === 'function' || (typeof value === 'object' && value !== null),
);
const lane = both(guards, { loosens: removes });

const holds = ['none', 'step', 'run'] as const;

const keptTurn: z.ZodType<KeptTurn> = oneOf('drop', 'user-only', 'placeholder');
const persistence = fieldsOf({ tripwire: keptTurn, failed: keptTurn, canceled: keptTurn, suspended: oneOf('keep', 'drop') });
const keptFromMost = ['keep', 'user-only', 'placeholder', 'drop'] satisfies Persistence[keyof Persistence][];
const keptByDefault = { tripwire: 'drop', failed: 'drop', canceled: 'drop', suspended: 'keep' } satisfies Persistence;

const keepsMore: Loosens = (said, own) => {
  const now: Required<Persistence> = { ...keptByDefault, ...(own as Persistence | undefined) }; // both were checked by then
  return Object.entries(said as Persistence).some(([status, kept = 'drop']) =>
    ranksBelow(keptFromMost, kept, now[status as keyof Persistence]),
  );
};

const atLeastOne = wholeNumberFrom(1);
const runQueue: z.ZodType<RunQueueOptions> = fieldsOf({
  concurrency: atLeastOne,
  rateLimit: fieldsOf({ runs: atLeastOne, perMs: atLeastOne }).required(),
});

/**
 * Interlock's own options, and those of Mastra's that it widens. Their types are inferred from here; the comment of a row is the
 * comment of the option.
 */
export const ownOptions = {
  /**
   * Guards before the model: an array of processors, pipelines and workflows, one pipeline or workflow alone, or a function.
   * Those of a call replace the agent's; a call says that there are none by a function, `() => []`.
   */
  inputProcessors: lane,
  /** Guards after the model; the same forms. */
  outputProcessors: lane,
  /** What happens when a model call fails; the same forms. */
  errorProcessors: lane,
  /**
   * Retries that guards may be granted in one run, from whatever phase. Default 0: a retry is then a tripwire; 3 with error
   * processors, as in Mastra 1.71.
   */
  maxProcessorRetries: both(wholeNumberFrom(0), { default: 0 }),
  /**
   * What is shown only once it was accepted. `none`: what the stream's guards cleared leaves at once; what a later guard rejects
   * is withdrawn. `step`: a step leaves once its guards have accepted it, its tools included. `run`: nothing leaves before the
   * whole answer was accepted. What is rejected then never leaves. A call may withhold more than its agent, not less. Default
   * `none`.
   */
  hold: both(oneOf(...holds), { default: 'none', loosens: (said, own) => ranksBelow(holds, said, own ?? 'none') }),
  /**
   * The most characters of an answer that guards of the stream may hold at one place of the pipeline, at least 1; a run that
   * needs more fails with `release/hold-exceeded`. Default 1,000,000.
   */
  maxHeldChars: both(wholeNumberFrom(1), { default: defaultMaxHeldChars }),
  /**
   * Whether the `guard` events of a run list each guard's edits in `changes`. They then contain content that guards removed:
   * protect them from readers without permission. Costs a copy and a comparison of the payload for each guard call. Default
   * `false`.
   */
  recordEdits: both(aBoolean, { default: false }),
  /**
   * Whether what an agent's results and streams are copied to, such as a server's responses, describes its guards: `runEvents`,
   * `bypasses` and `wasted` of a result, and the phase and path of a tripwire. The application's own code and callbacks read them
   * either way. Default `false`.
   */
  serveGuardDetails: inConfig(aBoolean, { default: false }),
  /**
   * Whether the error of a failed run reaches callers, logs and spans whole. By default its message is cut where it quotes the
   * prompt, and JSON, copies and logs of it have only fields such as `code`, `statusCode` and `isRetryable`; code in the process
   * can read the other fields. Error processors always get the whole error. Default `false`.
   */
  serveErrorDetails: inConfig(aBoolean, { default: false }),
  /**
   * What a run does when the last reader of its stream cancels it, as a server does whose client has disconnected. `finish`: it
   * goes on to its end, as in Mastra. `stop`: it ends as `canceled`, its model call is aborted and no tool starts; a run whose
   * result is awaited goes on. Default `finish`.
   */
  onReaderCancel: both(oneOf('stop', 'finish'), { default: 'finish', onResume: 'allowed', isLocal: true }),
  /**
   * Whether a tripwire rejects: `generate`, and `getFullOutput()` and the other promises of a stream, reject with the error
   * `agent/tripwire`, whose `cause` is the tripwire. The chunks of a stream stay as they are. A supervisor gets `agent/refused`.
   * Default `false`.
   */
  throwOnTripwire: both(aBoolean, { default: false, onResume: 'allowed', isLocal: true }),
  /**
   * Records runs: asked once for each run, with the header of its trace, and gives what takes the lines as they happen, or
   * nothing where this run is not to be recorded. A run that is resumed goes on in its trace. A trace holds words that were never
   * shown: keep it like the conversation itself, and show `redactTrace(trace)`. What it throws does not reach the run. Default:
   * nothing is recorded, and costs nothing.
   */
  record: both(functionOf<TraceRecorder>(), { isLocal: true }),
  /**
   * What memory keeps of a turn whose answer was not accepted, by how the run ended; what was rejected is never kept. A call
   * overrides it status by status, by what keeps less. Default: nothing.
   */
  persistence: both(persistence, { default: keptByDefault, mergeDepth: 1, loosens: keepsMore }),
  /**
   * The engine that keeps the agent's runs, so that they outlive their process: one that is killed goes on, and no tool that has
   * finished runs again. Runs then take data alone: options with functions in them belong into the agent. Default: none.
   */
  durability: inConfig(instanceWith<Engine>('host', 'an engine of durable runs')),
  /**
   * How many durable runs of this agent go on at the same time in a process, and how often one may start. Runs above that wait,
   * the highest `priority` first. Needs `durability`. Default: no limit but that of the engine.
   */
  runQueue: inConfig(runQueue),
  /**
   * Milliseconds that a durable run may take from its call to its end, with all that it waits for: its turn, a process, a person.
   * Then it ends as `canceled`, with the error `run/deadline` in its `run-finish` event. Needs `durability`. Default: none.
   */
  deadlineMs: both(wholeNumberFrom(1)),
  /** A durable run with a higher priority gets its turn sooner; any number. Needs `durability`. Default 0. */
  priority: onCall(aNumber, { default: 0 }),
  /**
   * What tools do outside the run, by their names: `none`, `idempotent` or `once`; see `Effect`. `once` needs an engine that can
   * promise it, or is refused as `durable/effect-not-promised`. Default: `idempotent`.
   */
  effects: inConfig(recordOf<Effect>(oneOf('none', 'idempotent', 'once'))),
  /**
   * Called when a stored run was started by another statechart or other guards than the agent has now. Returns whether the run
   * may continue with the current code. Default: it may not, and waits for the code that started it.
   */
  acceptChangedCode: inConfig(functionOf<(change: CodeChange) => boolean | Promise<boolean>>()),
  /** Called with every event of a run, as it happens, the agent's and the call's. What it throws does not reach the run. */
  onRunEvent: both(functionOf<(event: RunEvent) => void>(), { onResume: 'allowed', isLocal: true }),
} as const satisfies Readonly<Record<string, OptionRow>>;
