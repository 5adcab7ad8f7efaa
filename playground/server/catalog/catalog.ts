import { createRequire } from 'node:module';
import type { Agent } from '@mastra/core/agent';
import { type Finding, phases, type Phase } from '../../../src/index.js';
import { phaseNames } from '../../../src/phase/table.js';
import { locationOf } from '../../../src/pipeline/verify/check.js';
import { findingsOf } from '../../../src/mastra/workflow/verify.js';
import type { AgentInfo, Catalog, PipelineInfo, PhaseInfo } from '../../protocol/catalog.js';
import { phasesIn, shapeOf } from './graph-shape.js';
import { isInterlock, type Known, type KnownAgent, type KnownPipeline } from './known.js';
import { describeMachine } from './machine.js';

/** Example inputs for an agent, with their effects. */
export type Examples = Readonly<Record<string, AgentInfo['examples']>>;

/** The part of a catalog about the library itself. */
export type Library = Pick<Catalog, 'version' | 'phases' | 'machine'>;

export const describeLibrary = (): Library => ({
  version: packageVersion(),
  phases: describePhases(),
  machine: describeMachine(),
});

/** The part of a catalog about the registered agents and pipelines. */
export const describeKnown = async (known: Known, examples: Examples): Promise<Omit<Catalog, keyof Library>> => ({
  agents: await Promise.all(known.agents.map((agent) => describeAgent(agent, examples[agent.id] ?? []))),
  pipelines: known.pipelines.map((pipeline) => describePipeline(pipeline, known.agents)),
});

const describeAgent = async (
  { id, name, kind, agent, lanes }: KnownAgent,
  examples: AgentInfo['examples'],
): Promise<AgentInfo> => ({
  id,
  name,
  kind,
  model: await modelName(agent),
  pipelines: Object.fromEntries([...lanes].map(([lane, graph]) => [lane, graph.id])),
  examples: examples.length > 0 ? examples : examplesIn(agent.getDescription()),
  tools: await toolsOf(agent),
  ...(kind === 'mastra' && { note: stockDescription }),
});

/** The data that Mastra's own agent's stream lacks. */
const stockDescription =
  'This agent runs in Mastra’s own loop. Its runs show emitted content and the outcome, but no states, attempts or buffered text. Verdicts and edits are shown for guards from guardsFor().';

/** The quoted inputs of a description, e.g. `Finds books, such as "a novel about the sea".` */
const examplesIn = (description: string): AgentInfo['examples'] =>
  [...description.matchAll(/["“]([^"”]{3,200})["”]/g)].map(([, text = '']) => ({
    text,
    shows: 'from the description of the agent',
  }));

/** The record that an agent lists; nothing if that depends on a request. */
const listed = async (list: () => unknown): Promise<[name: string, item: unknown][]> => {
  try {
    return Object.entries((await list()) ?? {});
  } catch {
    return [];
  }
};

/** The tools of an agent, its workflows, which run as tools, and those of its sub-agents at any depth, with the way to them. */
const toolsOf = async (agent: Agent, above: readonly Agent[] = []): Promise<AgentInfo['tools']> => {
  const way = [...above.slice(1), ...(above.length > 0 ? [agent] : [])].map(({ name }) => `${name} › `).join('');
  const tools = await listed(() => agent.listTools());
  const workflows = await listed(() => agent.listWorkflows());
  const agents = (await listed(() => agent.listAgents())).map(([, one]) => one as Agent); // as Mastra lists them
  const isKnown = (one: Agent): boolean => 'listTools' in one && !above.includes(one) && one !== agent;
  const inside = await Promise.all(agents.filter(isKnown).map((one) => toolsOf(one, [...above, agent])));
  return [
    ...tools.map(([name, tool]) => ({ name: way + name, approval: approvalOf(tool) })),
    ...workflows.map(([name]) => ({ name: `${way}workflow-${name}`, approval: 'never' as const })),
    ...inside.flat(),
  ];
};

const approvalOf = (tool: unknown): AgentInfo['tools'][number]['approval'] => {
  const { requireApproval, needsApproval = false } = tool as { requireApproval?: unknown; needsApproval?: unknown }; // Mastra's, the AI SDK's
  const needs = requireApproval ?? needsApproval;
  return needs === true ? 'always' : needs === false ? 'never' : 'depends';
};

const modelName = async (agent: KnownAgent['agent']): Promise<string> => {
  try {
    const { provider, modelId } = await agent.getModel();
    return `${provider}/${modelId}`;
  } catch {
    return 'chosen per request';
  }
};

const describePipeline = ({ id, graph, lanes, usedBy }: KnownPipeline, agents: readonly KnownAgent[]): PipelineInfo => {
  const shape = shapeOf(graph, id);
  const alone = (lanes.length > 0 ? lanes : [undefined]).flatMap((lane) =>
    findingsOf({ id, roots: [locationOf(graph, { lane })] }, {}),
  );
  const inAgents = agents.filter((agent) => usedBy.includes(agent.id)).flatMap(findingsOfAgent);
  const own = inAgents.filter(({ path }) => path === id || path.startsWith(`${id}/`));
  return { id, name: id, phases: phasesIn(shape), usedBy, graph: shape, findings: distinct([...own, ...alone]) };
};

const findingsOfAgent = ({ agent }: KnownAgent): readonly Finding[] => (isInterlock(agent) ? agent.findings() : []);

const distinct = (findings: readonly Finding[]): Finding[] =>
  [...new Map(findings.toReversed().map((finding) => [`${finding.code} ${finding.path}`, finding])).values()].toReversed();

const packageVersion = (): string => {
  const { version } = createRequire(import.meta.url)('mastra-interlock/package.json') as { version: string };
  return version;
};

const describePhases = (): PhaseInfo[] => phaseNames.map(describePhase);

const describePhase = (phase: Phase): PhaseInfo => {
  const { hook, title, cadence, lane, retryLeadsTo, loopState } = phases[phase];
  return { phase, hook, title, cadence, lane, retryLeadsTo, loopState };
};
