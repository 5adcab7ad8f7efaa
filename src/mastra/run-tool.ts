import type { RequestContext } from '@mastra/core/request-context';
import { makeCoreTool } from '@mastra/core/utils';
import { InterlockError } from '../errors.js';
import type { ToolOutcome, ToolRequest } from '../loop/ports.js';
import { offeredTools } from './provider-tools.js';

type CoreTool = ReturnType<typeof makeCoreTool>;

export interface ToolRunContext {
  readonly runId: string;
  readonly agentName: string;
  readonly requestContext: RequestContext;
  readonly tracingContext: unknown;
  /** The tools that the agent prepared for this call; others were put in by a hook and are prepared when they run. */
  readonly prepared: Readonly<Record<string, unknown>>;
  /** What the caller's messages are, in the AI SDK's form, as tools expect them. */
  readonly messages: () => unknown[];
}

/** Runs one tool call of a step. Whatever goes wrong inside the tool is an outcome, told to the model. */
export const runTool = async (
  { call, abortSignal, write, settings }: ToolRequest,
  context: ToolRunContext,
): Promise<ToolOutcome> => {
  const offered = new Map(offeredTools(settings));
  const tool = offered.get(call.toolName);
  if (!tool) return { kind: 'error', error: unknownTool(call.toolName, [...offered.keys()]) };
  if (call.args === undefined) return { kind: 'error', error: new Error('The arguments of this call are not valid JSON.') };
  const ready = context.prepared[call.toolName] === tool ? (tool as CoreTool) : prepare(call.toolName, tool, context);
  if (!ready.execute) return { kind: 'client' };
  try {
    const result: unknown = await ready.execute(call.args, {
      toolCallId: call.toolCallId,
      messages: context.messages() as never, // the host's own messages, in the form its tools take
      abortSignal,
      requestContext: context.requestContext,
      tracingContext: context.tracingContext as never, // carried through
      outputWriter: (chunk: unknown) => write(chunk as never),
    });
    return { kind: 'result', result: serializable(result) };
  } catch (error) {
    return { kind: 'error', error };
  }
};

const unknownTool = (name: string, offered: readonly string[]): InterlockError =>
  new InterlockError('tool/unknown', {
    path: name,
    detail: offered.length > 0 ? `this step offers ${offered.join(', ')}.` : 'this step offers no tools.',
  });

const prepare = (name: string, tool: unknown, { runId, agentName, requestContext }: ToolRunContext): CoreTool =>
  makeCoreTool(tool as Parameters<typeof makeCoreTool>[0], { name, runId, agentName, requestContext });

/** What cannot be sent on is sent as text, as far as it goes; `undefined` becomes `null`, so that a result is there. */
const serializable = (value: unknown): unknown => {
  if (value === undefined) return null;
  try {
    JSON.stringify(value);
    return value;
  } catch {
    return String(value);
  }
};
