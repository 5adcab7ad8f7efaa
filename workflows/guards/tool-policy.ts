import type { MastraDBMessage } from '@mastra/core/agent/message-list';
import type { Processor, ProcessOutputStepArgs, ProcessOutputStreamArgs } from '@mastra/core/processors';
import { createPace, paced } from '../../src/guard/in-steps.js';
import {
  aBoolean,
  aFunction,
  either,
  fieldsOf,
  listOf,
  aName,
  needed,
  oneOf,
  recordOf,
  wholeNumberFrom,
} from '../../src/option-kind.js';
import { rejectToolCall, requireApproval, type ToolCallChunk } from '../../src/stream/tool-rulings.js';
import { faultOfArguments, type ArgumentRule } from '../tool-policy/argument-rules.js';
import { callsIn, readingTaint, repetitionOf, type RunCall } from '../tool-policy/run-calls.js';
import {
  guardForm,
  traitsOf,
  unchanged,
  type GuardOptions,
  type GuardProcessor,
  block,
  report,
  type Detection,
} from './guard-options.js';
import { heedsRulings } from './place-hooks.js';

export type { ArgumentRule } from '../tool-policy/argument-rules.js';

/** The decision about a call: it runs, it needs approval, or it is rejected. */
type ToolDecision = 'allow' | 'ask' | 'deny';

/** The arguments of a tool of Mastra or the AI SDK. */
type InputOf<Tool> = Tool extends { execute?: (input: infer Input, ...rest: never[]) => unknown } ? Input : unknown;

/** Names of arguments, and paths that begin with one: `url`, `filter.path`, `items.*.id`. */
type ArgumentPath<Input> = unknown extends Input
  ? string
  : Input extends object
    ? (keyof Input & string) | `${keyof Input & string}.${string}`
    : string;

/** The rules for one tool. */
export interface ToolRule<Tool = unknown, Names extends string = string> {
  /** Default `'allow'`. */
  readonly decision?: ToolDecision;
  /**
   * Rules for restricted arguments, by path. An argument that is absent has nothing to check; one in which the path leads nowhere, such
   * as text in place of an object, is denied.
   */
  readonly args?: Partial<Record<ArgumentPath<InputOf<Tool>>, ArgumentRule>>;
  /** The decision for a call with an argument that has no rule. Default `'allow'`. */
  readonly unlisted?: 'allow' | 'deny';
  /** The maximum number of calls of the tool in a run. Default: no limit. */
  readonly maxCalls?: number;
  /** The maximum number of its calls with equal arguments in a run. Default: that of the policy. */
  readonly maxRepeats?: number;
  /** The maximum number of its failures in a row in a run. Default: that of the policy. */
  readonly maxFailures?: number;
  /** The maximum length of the arguments, as JSON. Default 65,536 characters. */
  readonly maxChars?: number;
  /** Tools after which this one must not be called in the same run, such as a sending tool after one that reads secrets. Default: none. */
  readonly notAfter?: readonly Names[];
  /** Tools that must all have returned a result earlier in the same run, such as a lookup before a payment. Default: none. */
  readonly onlyAfter?: readonly Names[];
  /** Whether its results come from outside, such as a web page or a mail. Default false. */
  readonly untrusted?: boolean;
  /** The decision for a call whose arguments repeat an untrusted result of the run. Default `'allow'`. */
  readonly tainted?: ToolDecision;
}

export interface ToolPolicyOptions<Tools = Record<string, unknown>> extends GuardOptions {
  /** The tools that may be called, by name. */
  readonly tools: { readonly [Name in keyof Tools]?: ToolDecision | ToolRule<Tools[Name], keyof Tools & string> };
  /** The decision for every other tool. Default `'deny'`. */
  readonly others?: ToolDecision;
  /** The maximum number of calls of all tools in a run. Default: no limit. */
  readonly maxCalls?: number;
  /** For each tool, the maximum number of calls with equal arguments in a run. Default: no limit. */
  readonly maxRepeats?: number;
  /** For each tool, the maximum number of failures in a row in a run; then it is rejected. Default: no limit. */
  readonly maxFailures?: number;
  /** The maximum number of rejected calls in a run, each with a reason for the model; one more stops the run. Default: no limit. */
  readonly maxRejections?: number;
  /** `reject` gives the model the reason, and the run continues; `block` stops the run. Default `'reject'`. */
  readonly strategy?: 'reject' | 'block';
}

/** Metadata of the tripwire and of `onViolation`; never an argument. */
export interface ToolPolicyMetadata {
  readonly toolName: string;
  readonly decision: 'ask' | 'deny';
  readonly why: string;
}

const decision = oneOf('allow', 'ask', 'deny');
const ruleKind = fieldsOf({
  decision,
  args: recordOf(aFunction),
  unlisted: oneOf('allow', 'deny'),
  maxCalls: wholeNumberFrom(0),
  maxRepeats: wholeNumberFrom(1),
  maxFailures: wholeNumberFrom(1),
  maxChars: wholeNumberFrom(1),
  notAfter: listOf(aName),
  onlyAfter: listOf(aName),
  untrusted: aBoolean,
  tainted: decision,
} satisfies Record<keyof ToolRule, object>);

const form = guardForm<ToolPolicyOptions>(['tool-policy', 'Tool policy'], {
  tools: needed(recordOf(either(decision, ruleKind))),
  others: decision,
  maxCalls: wholeNumberFrom(0),
  maxRepeats: wholeNumberFrom(1),
  maxFailures: wholeNumberFrom(1),
  maxRejections: wholeNumberFrom(0),
  strategy: oneOf('reject', 'block'),
});

interface Call {
  readonly toolCallId: string;
  readonly toolName: string;
  readonly args?: unknown;
}

/** Stored in the processor's state: calls of the step under way, and those that the stream hook already decided. */
interface PolicyState {
  step: Call[];
  ruled: string[];
  /** The number of rejected calls of the run. */
  rejected: number;
}

/**
 * A guard (id `tool-policy`) for tool calls: it allows only named tools, with arguments that pass their rules, in the allowed number
 * and order. Pass the type of the tools to have names and argument paths checked: `toolPolicy<typeof tools>({ … })`.
 *
 * In an `InterlockAgent` and in `guardedToolLoop` a rejected call does not run, and a call that needs approval suspends
 * the run. Mastra's own agent cannot reject one call: there both stop the run.
 *
 * @example
 * toolPolicy<typeof tools>({
 *   tools: {
 *     search: { untrusted: true },
 *     fetch: { args: { url: urlRule({ hosts: ['example.com'] }) } },
 *     send: { decision: 'ask', tainted: 'deny' },
 *   },
 * });
 */
export const toolPolicy = <Tools = Record<string, unknown>>(
  options: ToolPolicyOptions<Tools>,
): GuardProcessor<'processOutputStream' | 'processOutputStep'> => {
  form.check(options);
  const { strategy = 'reject', maxRejections = Infinity } = options;
  const guard = form.open<ToolPolicyMetadata>(options, `Rules for ${Object.keys(options.tools).join(', ') || 'no tool'}.`);
  const judge = judgeCall(options);
  return Object.assign(guard, { traits: { ...traitsOf.redact } }, {
    processOutputStream: async (args) => {
      const { part } = args;
      const policyState = stateOf(args.state);
      if (part.type === 'step-start') Object.assign(policyState, { step: [], ruled: [] });
      if (part.type !== 'tool-call') return part;
      const { toolCallId, toolName, args: given } = part.payload;
      const detection = await judge(part.payload, before(args, policyState, toolCallId));
      policyState.step.push({ toolCallId, toolName, args: given });
      if (!detection) return part;
      const isDenied = detection.metadata.decision === 'deny';
      const mustStop = isDenied && (strategy === 'block' || policyState.rejected >= maxRejections);
      if (!heedsRulings(args) || mustStop) return block(detection, args);
      await report(guard, detection);
      policyState.ruled.push(toolCallId);
      if (isDenied) policyState.rejected += 1;
      return ruling(part, detection);
    },
    processOutputStep: async (args) => {
      const policyState = stateOf(args.state);
      for (const [at, call] of (args.toolCalls ?? []).entries()) {
        if (heedsRulings(args) && policyState.ruled.includes(call.toolCallId)) continue;
        const calls = before(args, { step: args.toolCalls?.slice(0, at) ?? [] }, call.toolCallId);
        const detection = await judge(call, { ...calls, made: withoutStep(calls.made, args.toolCalls?.slice(at) ?? []) });
        if (detection) return block(detection, args);
      }
      return unchanged;
    },
  } satisfies Partial<Processor<string, ToolPolicyMetadata>>);
};

const ruling = (part: ToolCallChunk, { reason, metadata }: Detection<ToolPolicyMetadata>) =>
  metadata.decision === 'ask' ? requireApproval(part) : rejectToolCall(part, reason);

const stateKey = 'toolPolicy';

const stateOf = (state: Record<string, unknown>): PolicyState =>
  (state[stateKey] ??= { step: [], ruled: [], rejected: 0 }) as PolicyState; // only this file writes it

/** The run's state before a call. */
interface Before {
  readonly made: readonly RunCall[];
  readonly messages: readonly MastraDBMessage[];
}

const before = (
  args: Partial<Pick<ProcessOutputStepArgs, 'messages'>> & Pick<ProcessOutputStreamArgs, 'messageList'>,
  { step }: Pick<PolicyState, 'step'>,
  toolCallId: string,
): Before => {
  const messages = args.messages ?? args.messageList?.get.all.db() ?? [];
  const made = new Map<string, RunCall>();
  for (const call of [...callsIn(messages), ...step]) made.set(call.toolCallId, { ...call, ...made.get(call.toolCallId) });
  made.delete(toolCallId);
  return { messages, made: [...made.values()] };
};

const withoutStep = (made: readonly RunCall[], later: readonly Call[]): RunCall[] =>
  made.filter(({ toolCallId }) => !later.some((call) => call.toolCallId === toolCallId));

type JudgeCall = (call: Call, before: Before) => Promise<Detection<ToolPolicyMetadata> | undefined>;

const judgeCall =
  (options: ToolPolicyOptions): JudgeCall =>
  async (call, calls) => {
    const { toolName } = call;
    const found = await decide(options, call, calls);
    if (found.decision === 'allow') return undefined;
    const outcome = found.decision === 'ask' ? 'needs an approval' : 'is not allowed';
    const metadata = { toolName, decision: found.decision, why: found.why };
    return { reason: `The call of ${toolName} ${outcome}: ${found.why}.`, metadata };
  };

interface Decision {
  readonly decision: ToolDecision;
  readonly why: string;
}

const denied = (why: string): Decision => ({ decision: 'deny', why });

/** The rule for a tool, and the reason of its decision. */
const ruleFor = (toolName: string, tools: ToolPolicyOptions['tools'], others: ToolDecision): { rule: ToolRule; why: string } => {
  const named = Object.hasOwn(tools, toolName) ? tools[toolName] : undefined;
  if (named === undefined) return { rule: { decision: others, maxChars: Infinity }, why: 'it is not on the list' };
  const rule = typeof named === 'string' ? { decision: named } : named;
  return { rule, why: rule.decision === 'deny' ? 'it is on the deny list' : 'the policy says so' };
};

const decide = async (options: ToolPolicyOptions, call: Call, { made, messages }: Before): Promise<Decision> => {
  const { tools, others = 'deny', maxCalls = Infinity, maxRepeats, maxFailures } = options;
  const { toolName, args = {} } = call;
  if (made.length >= maxCalls) return denied(`the run may make ${maxCalls} calls`);
  const { rule, why } = ruleFor(toolName, tools, others);
  if (rule.decision === 'deny') return denied(why);
  const fault = await faultOf({ maxRepeats, maxFailures, ...rule }, { toolName, args, made });
  if (fault !== undefined) return denied(fault);
  const { decision: own = 'allow', tainted = 'allow' } = rule;
  const results = made.filter((earlier) => isUntrusted(tools[earlier.toolName])).map(({ result }) => result);
  if (tainted !== 'allow' && own !== tainted && (await paced(readingTaint(args, results, messages), createPace())))
    return { decision: tainted, why: 'its arguments come from an untrusted result' };
  return { decision: own, why };
};

const isUntrusted = (rule: ToolDecision | ToolRule | undefined): boolean => typeof rule === 'object' && rule.untrusted === true;

const faultOf = async (
  rule: ToolRule,
  { toolName, args, made }: { toolName: string; args: unknown; made: readonly RunCall[] },
): Promise<string | undefined> => {
  const { args: rules = {}, unlisted = 'allow', maxCalls = Infinity, maxChars = 65_536, notAfter = [], onlyAfter = [] } = rule;
  const earlier = made.map((call) => call.toolName);
  if (earlier.filter((name) => name === toolName).length >= maxCalls) return `a run may call it ${maxCalls} times`;
  const repetition = repetitionOf({ toolName, args }, made, rule);
  if (repetition !== undefined) return repetition;
  const first = earlier.find((name) => notAfter.includes(name));
  if (first !== undefined) return `it must not be called after ${first}`;
  const missing = onlyAfter.find((name) => !made.some((call) => call.toolName === name && call.result !== undefined));
  if (missing !== undefined) return `it must be called after ${missing}`;
  if ((JSON.stringify(args)?.length ?? 0) > maxChars) return `its arguments have more than ${maxChars} characters`;
  return faultOfArguments(args, rules as Readonly<Record<string, ArgumentRule>>, unlisted); // an undefined rule is no rule
};
