import { jsonSchema, type ModelMessage, type Tool } from 'ai';
import { InterlockError } from '../errors.js';
import { isPlain, isSame, computed, fieldsIn } from '../phase/plain-data.js';
import { type ToolCall, invalidArguments } from '../loop/tool-call.js';
import { honours, start } from './adapters.js';
import { approvedCalls, judgeApproved } from './approved-calls.js';
import { parseArguments } from './chunks.js';
import { judgeCalls } from './judge-calls.js';
import { readSchema } from './make-part.js';
import { judgesLater } from './model-port.js';
import type { Run } from './run.js';
import { rulingOf, setJudged } from './run-state.js';
import type { CallOptions, PartOf } from './spec.js';
import { approvalError } from './stop-errors.js';

/** One call of a tool. */
export interface Call extends ToolCall {
  readonly messages: readonly ModelMessage[];
}

/** The runs of the tools' calls. */
export interface Runs {
  next(): Run;
  /** The one run of all calls, if adapters share one. Otherwise each function of a tool has its call judged on its own. */
  readonly shared: Run | undefined;
}

/** A tool's functions that the AI SDK calls before `execute`. */
type RuledFields = Pick<Tool, 'onInputStart' | 'onInputDelta' | 'onInputAvailable' | 'needsApproval' | 'inputSchema'>;

interface Options {
  readonly toolCallId: string;
  readonly messages: readonly ModelMessage[];
  readonly abortSignal?: AbortSignal;
}

type Listener = (options: object) => unknown;

/** The options of a call's listeners so far, in a step. */
interface Started {
  readonly start?: Options;
  readonly delta?: Options;
}

/**
 * A tool's functions that the AI SDK calls before `execute`: they wait until guards allowed the call, and are not called for other
 * calls. A rejected call passes the schema as guards left it, so that the model gets their reason and no error about its arguments.
 */
export const ruledFields = (toolName: string, tool: Tool, { next, shared }: Runs): Partial<RuledFields> => {
  const run = shared ?? next();
  const judgesCalls = run.plan.has('outputStream');
  if (!shared && !judgesCalls) return {};
  return {
    ...((shared ?? tool.needsApproval) && { needsApproval: approvalOf(toolName, tool, next) }),
    ...(mayRejectCalls(run) && listenersOf(toolName, tool, next)),
    ...(shared && tool.type !== 'provider' && { inputSchema: judgesCalls ? schemaOf(toolName, tool, shared) : readSchema(tool) }),
  };
};

const mayRejectCalls = ({ plan }: Run): boolean => plan.has('outputStream') || plan.has('llmResponse') || plan.has('outputStep');

/** A call needs approval if a guard of the model's response requires it, or the tool itself does. */
const approvalOf =
  (toolName: string, tool: Tool, next: Runs['next']): NonNullable<Tool['needsApproval']> =>
  async (input, options) => {
    const run = next();
    const { toolCallId, messages } = options;
    if (rulingOf(run, toolCallId)?.kind === 'approval') return true;
    const { needsApproval = false } = tool;
    if (typeof needsApproval !== 'function') return needsApproval;
    const allowed = await allow(run, { toolName, toolCallId, args: input, messages });
    return allowed ? needsApproval.call(tool, allowed.args as never, options as never) : false; // typed by the tool
  };

/** The listeners for a call's arguments: called once guards allowed the call, with the arguments that they left. */
const listenersOf = (toolName: string, tool: Tool, next: Runs['next']): Partial<RuledFields> => {
  const { onInputStart, onInputDelta, onInputAvailable } = tool as { [name in keyof RuledFields]?: Listener }; // each of its tool's types
  if (!onInputStart && !onInputDelta && !onInputAvailable) return {};
  const steps = new WeakMap<Options['messages'], Map<string, Started>>(); // several runs may use the tool at the same time
  const startedOf = ({ messages, toolCallId }: Options): Started =>
    computed(
      computed(steps, messages, () => new Map<string, Started>()),
      toolCallId,
      () => ({}),
    );
  return {
    onInputStart: (options) => void Object.assign(startedOf(options), { start: options }),
    onInputDelta: (options) => void Object.assign(startedOf(options), { delta: options }),
    onInputAvailable: async ({ input, ...options }: { input: unknown } & Options) => {
      const run = next();
      const { toolCallId, messages } = options;
      const allowed =
        rulingOf(run, toolCallId)?.kind !== 'approval' && (await allow(run, { toolName, toolCallId, args: input, messages }));
      if (!allowed) return;
      const { args } = allowed;
      const call = (listener: Listener | undefined, own: Options | undefined, event: object) =>
        own && listener?.call(tool, { ...own, ...event, abortSignal: run.signalWith(own.abortSignal) });
      const { start: started, delta: streamed } = startedOf(options);
      await call(onInputStart, started, {});
      await call(onInputDelta, streamed, { inputTextDelta: JSON.stringify(args) });
      await call(onInputAvailable, options, { input: args });
    },
  };
};

/** The arguments of an allowed call; undefined for a rejected call, and after the end of the run: then `execute` reports the reason. */
const allow = async (run: Run, call: Call): Promise<{ readonly args: unknown } | undefined> => {
  try {
    await start(run);
    const judged = judgeArguments(run, call);
    setJudged(run, call.toolCallId, { judging: { args: call.args, judged } });
    return { args: await judged };
  } catch {
    return undefined;
  }
};

/** The tool's schema; it lets pass the arguments of rejected calls, see {@link exemptFromSchema}. */
const schemaOf = (toolName: string, tool: Tool, { exempted }: Run): Tool['inputSchema'] => {
  const own = () => readSchema(tool);
  const tokens = new Set<string>();
  exempted.set(toolName, tokens);
  return jsonSchema(() => own().jsonSchema, {
    validate: (value) => {
      const [[token, args] = []] = Object.entries(fieldsIn(value));
      if (token !== undefined && tokens.delete(token)) return { success: true, value: args };
      return own().validate?.(value) ?? { success: true, value };
    },
  });
};

/** Puts the arguments of a rejected call under a key that its tool's guarded schema recognizes once, and no model can know. */
export const exemptFromSchema = (run: Run, part: PartOf<'tool-call'>, tools: CallOptions['tools']): PartOf<'tool-call'> => {
  const { toolName, toolCallId, input } = part;
  const tokens = tools?.some(({ name }) => name === toolName) && run.exempted.get(toolName); // the AI SDK shows calls of other tools unread
  if (!tokens || rulingOf(run, toolCallId)?.kind !== 'rejected') return part;
  const token = crypto.randomUUID();
  tokens.add(token);
  return { ...part, input: JSON.stringify({ [token]: parseArguments(input) }) };
};

/**
 * Returns arguments that the model's guards have judged. Judges those of other calls here, once, such as calls that a person approved.
 */
export const judgeArguments = async (run: Run, call: Call): Promise<unknown> => {
  throwIfRejected(run, call.toolCallId);
  if (!needsJudge(run, call)) return call.args;
  if (isChanged(run, call) && judgesLater(run))
    throw invalidArguments(call.toolName, 'they were changed after its guards had judged them.');
  const judging = run.calls.get(call.toolCallId)?.judging;
  if (judging) setJudged(run, call.toolCallId, { judging: undefined });
  return judging && isSame(judging.args, call.args) ? judging.judged : judgeCall(run, call); // ids may occur again in later steps
};

const judgeCall = async (run: Run, { messages, ...call }: Call): Promise<unknown> => {
  const { toolName, toolCallId, args } = call;
  const approved = approvedCalls(messages);
  const isApproved = approved.has(toolCallId);
  const calls = await (isApproved ? judgeApproved(run, messages, { call, approved }) : judgeCalls(run, messages, [call]));
  const judged = calls.get(toolCallId);
  if (judged?.ruling?.kind === 'rejected') setJudged(run, toolCallId, { ruling: judged.ruling });
  if (judged?.ruling?.kind === 'approval' && !isApproved) throw run.end(approvalError(run));
  throwIfRejected(run, toolCallId);
  if (judged?.call.toolName !== toolName)
    throw new InterlockError('tool/unknown', { path: toolName, detail: 'a guard removed the call' });
  return isSame(judged.call.args, args) ? args : judged.call.args;
};

/**
 * Whether a call's arguments must be judged: it was approved in an earlier run, no guarded model made it, they are others, or a guard's
 * approval request was skipped by the application.
 */
export const needsJudge = (run: Run, call: Pick<Call, 'toolCallId' | 'messages'> & Partial<Call>): boolean => {
  const { plan, calls } = run;
  const { toolCallId, messages } = call;
  const isOwn = calls.get(toolCallId)?.isOwn === true && rulingOf(run, toolCallId)?.kind !== 'approval' && !isChanged(run, call);
  if (plan.has('outputStream') && !isOwn) return true;
  return (
    (plan.has('outputStream') || honours(run, 'input') || honours(run, 'outputStep')) && approvedCalls(messages).has(toolCallId)
  );
};

/** Whether the application's settings have changed the arguments that guards judged, in a call without `guardSettings`. */
const isChanged = ({ calls }: Run, { toolCallId, args }: Pick<Call, 'toolCallId'> & Partial<Call>): boolean => {
  const own = calls.get(toolCallId);
  return own?.isOwn === true && args !== undefined && isPlain(args) && !isSame(own.args, args);
};

/** The model gets the guard's message as the tool's error. */
const throwIfRejected = (run: Run, toolCallId: string): void => {
  const ruling = rulingOf(run, toolCallId);
  if (ruling?.kind === 'rejected') throw new Error(String(ruling.message));
};
