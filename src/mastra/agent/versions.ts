import type { Agent } from '@mastra/core/agent';
import * as mastraContext from '@mastra/core/request-context';
import type { RequestContext, VersionOverrides, VersionSelector } from '@mastra/core/request-context';

const storedVersions = new WeakSet<object>();

/** Marks a copy of an agent with a stored version's instructions and tools, so that no other version replaces it. */
export const markStoredVersion = (copy: object): void => void storedVersions.add(copy);

/**
 * The agent that answers a call. If a stored version is selected, it is a copy with that version's instructions and tools, and
 * the same guards. The call's selection replaces the request context's, which replaces that of the Mastra instance. The result is
 * written to the request context, for sub-agents and for an engine that continues the run. As in Mastra's agent, a selection that
 * cannot be resolved is logged, and the agent from code answers.
 */
export const versionFor = async (
  agent: Agent,
  selected: VersionOverrides | undefined,
  requestContext: RequestContext,
): Promise<Agent> => {
  const mastra = agent.getMastraInstance();
  const inContext = mastraContext.mergeVersionOverrides(mastra?.getVersionOverrides(), selectionIn(requestContext));
  const versions = mastraContext.mergeVersionOverrides(inContext, selected);
  const version = storedVersions.has(agent) ? agent : await resolved(agent, selectorOf(agent, versions));
  const versionId = version.toRawConfig()?.resolvedVersionId;
  const ownVersion = typeof versionId === 'string' ? { agents: { [agent.id]: { versionId } } } : undefined;
  const versionOverrides = mastraContext.mergeVersionOverrides(versions, ownVersion);
  if (versionOverrides) requestContext.set(mastraContext.MASTRA_VERSIONS_KEY, versionOverrides);
  return version;
};

/** The agent of a continued durable run: the version at the run's start. Rejects if it cannot be resolved. */
export const pinnedVersionFor = async (agent: Agent, requestContext: RequestContext): Promise<Agent> => {
  const selector = selectionIn(requestContext)?.agents?.[agent.id];
  const mastra = agent.getMastraInstance();
  if (!mastra || !selector || !('versionId' in selector) || storedVersions.has(agent)) return agent;
  return mastra.resolveVersionedAgent(agent, selector);
};

const selectionIn = (requestContext: RequestContext): VersionOverrides | undefined =>
  requestContext.get(mastraContext.MASTRA_VERSIONS_KEY) as VersionOverrides | undefined; // Mastra's own key

const selectorOf = ({ id }: Agent, { agents, defaultStatus }: VersionOverrides = {}): VersionSelector | undefined =>
  agents?.[id] ?? (defaultStatus && { status: defaultStatus });

const resolved = async (agent: Agent, selector: VersionSelector | undefined): Promise<Agent> => {
  const mastra = agent.getMastraInstance();
  if (!mastra || !selector) return agent;
  try {
    return await mastra.resolveVersionedAgent(agent, selector);
  } catch (error) {
    mastra.getLogger().warn('A stored version could not be resolved; the agent of the code answers', {
      agentId: agent.id,
      selector,
      error,
    });
    return agent;
  }
};
