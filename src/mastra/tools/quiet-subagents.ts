import { RequestContext } from '@mastra/core/request-context';

/** An event of a sub-agent for the session of an `AgentController`. */
interface SubagentEvent {
  readonly type: string;
  readonly toolCallId: string;
  readonly forked?: boolean;
}

interface Controller {
  readonly emitEvent?: (event: SubagentEvent) => void;
}

const noContent = { subToolArgs: {}, subToolResult: undefined, result: '' };

/**
 * The request context for the tool `subagent` of an `AgentController`, whose sub-agents have no guards: its session gets their
 * events without content, then the judged result. A fork of the agent has the agent's guards. Undefined outside of a session.
 */
export const withQuietSubagents = (requestContext: RequestContext): RequestContext | undefined => {
  const controller = requestContext.get<string, Controller | undefined>('controller');
  const emit = controller?.emitEvent;
  if (!emit) return undefined;
  const forks = new Set<string>();
  const emitEvent = (event: SubagentEvent): void => {
    const { type, toolCallId, forked } = event;
    if (forked) forks.add(toolCallId);
    if (forks.has(toolCallId) || !/^subagent_(text|tool|end)/.test(type)) return emit(event);
    if (type !== 'subagent_text_delta') emit({ ...event, ...noContent });
  };
  const quiet = new RequestContext();
  for (const [key, value] of requestContext.entries()) quiet.set(key, value);
  quiet.set('controller', { ...controller, emitEvent });
  return quiet;
};
