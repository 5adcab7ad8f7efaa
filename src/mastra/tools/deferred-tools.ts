import { makeCoreTool } from '@mastra/core/utils';
import type { LoopTarget } from './loop-target.js';
import { rehearsalOf } from '../memory/memory-updates.js';

type CoreTool = ReturnType<typeof makeCoreTool>;
type AuthoredTool = Parameters<typeof makeCoreTool>[0];

/** In place of those of a call's tools that are its memory's: the same, whose writes wait for the answer to be accepted. */
export const deferredTools = (target: LoopTarget, prepared: Readonly<Record<string, CoreTool>>): Record<string, CoreTool> => {
  const { conversation, options } = target;
  const authored = (conversation?.memory.listTools(options.memory?.options) ?? {}) as Record<string, AuthoredTool>; // its own type of options is wider
  const sets = Object.values((options.toolsets ?? {}) as Record<string, object>);
  const others: object = Object.assign({}, ...sets, options.clientTools); // they stand in the place of memory's own
  const deferred: Record<string, CoreTool> = {};
  for (const [name, tool] of Object.entries(authored)) {
    const real = prepared[name];
    if (!conversation || !real || Object.hasOwn(others, name)) continue;
    deferred[name] = conversation.updates.defer(name, { real, rehearsed: rehearsed(target, name, tool) });
  }
  return deferred;
};

const rehearsed = (
  { agent, conversation, requestContext, runId, options }: LoopTarget,
  name: string,
  tool: AuthoredTool,
): CoreTool =>
  makeCoreTool(tool, {
    name,
    runId,
    agentId: agent.id,
    agentName: agent.name,
    mastra: agent.getMastraInstance(),
    memory: conversation && rehearsalOf(conversation.memory),
    threadId: conversation?.threadId,
    resourceId: conversation?.resourceId,
    requestContext,
    tracingContext: options.tracingContext,
  });
