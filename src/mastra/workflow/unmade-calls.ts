import { isRecord } from '../../phase/plain-data.js';
import type { ToolCall } from '../../loop/tool-call.js';
import { makeArguments } from '../tool-arguments.js';

/** The arguments of a hook of Mastra's own agent that concern tool calls. */
interface HookArgs {
  readonly messageList?: object;
  readonly tools?: unknown;
  readonly part?: { readonly type?: unknown; readonly payload?: unknown } | null;
  readonly toolCalls?: readonly ToolCall[];
  abort?: (reason?: string) => never;
}

type Hook = (args: HookArgs) => unknown;
type Hooks = Readonly<Record<string, Hook>>;

/** The tools of the current step, by the conversation of its run. */
const toolsOf = new WeakMap<object, Readonly<Record<string, { readonly id?: unknown }>>>();

/**
 * Hooks for Mastra's own agent, which validates a call after its guards: they get the arguments that its validation will make, and with them
 * every field that the model wrote. A call with an unsafe key stops the run.
 */
export const withMadeCalls = (hooks: Hooks): Hooks => {
  const { processInputStep, processOutputStream, processOutputStep } = hooks;
  if (!processOutputStream && !processOutputStep) return hooks;
  return {
    ...hooks,
    processInputStep: async (args) => {
      const result = await processInputStep?.(args);
      const { tools = args.tools } = Object(result) as { tools?: unknown };
      if (args.messageList) toolsOf.set(args.messageList, Object(tools) as Record<string, { id?: unknown }>); // Mastra's prepared tools
      return result;
    },
    ...(processOutputStream && { processOutputStream: inStream(processOutputStream) }),
    ...(processOutputStep && {
      processOutputStep: (args) =>
        processOutputStep({ ...args, ...(args.toolCalls && { toolCalls: args.toolCalls.map((call) => made(call, args)) }) }),
    }),
  };
};

const inStream =
  (hook: Hook): Hook =>
  async (args) => {
    const { part } = args;
    const call = part?.payload as ToolCall | undefined; // of a tool call
    if (part?.type !== 'tool-call' || !call || call.providerExecuted) return hook(args);
    const own = { ...part, payload: made(call, args) };
    const result = await hook({ ...args, part: own });
    return result === own ? part : result;
  };

/** A call as Mastra's agent will make it. */
const made = (call: ToolCall, { messageList, abort }: HookArgs): ToolCall => {
  const tools = (messageList && toolsOf.get(messageList)) ?? {};
  const ready = tools[call.toolName] ?? Object.values(tools).find(({ id }) => id === call.toolName);
  const { args, refusal } = makeArguments(call.args, call.toolName, ready && { name: call.toolName, ready, authored: undefined });
  if (refusal) abort?.(refusal.message);
  return { ...call, args: withBoth(call.args, args) };
};

/** The made value with the fields that only the written one has: Mastra does not validate every kind of schema. */
const withBoth = (written: unknown, value: unknown): unknown => {
  if (Array.isArray(written) && Array.isArray(value))
    return value.map((entry, at) => (at < written.length ? withBoth(written[at], entry) : entry));
  if (!isRecord(written) || !isRecord(value)) return value;
  const both = Object.entries(value).map(
    ([name, field]) => [name, name in written ? withBoth(written[name], field) : field] as const,
  );
  return { ...written, ...Object.fromEntries(both) };
};
