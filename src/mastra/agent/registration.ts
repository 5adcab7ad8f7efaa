import type { Mastra } from '@mastra/core/mastra';
import type { RequestContext } from '@mastra/core/request-context';
import type { AnyWorkflow } from '@mastra/core/workflows';
import { InterlockError } from '../../errors.js';
import { processorsOf } from '../../pipeline/graph.js';
import type { AgentSetup } from './read-config.js';
import {
  laneId,
  registerProcessors,
  resolveGuards,
  toArray,
  placeOfLane,
  adopt,
  type AgentGuards,
  type Lane,
} from '../workflow/guards.js';
import { toGraph, isWorkflow, type DynamicGuards, type GraphSource, type PipelineStep } from '../graph/to-graph.js';
import type { Finding, FindingCode } from '../../pipeline/verify/checks.js';
import type { Subject } from '../../pipeline/verify/check.js';
import { findingsOf, type VerifyOptions } from '../workflow/verify.js';
import { toWorkflow } from '../workflow/to-workflow.js';
import { fieldsIn } from '../../phase/plain-data.js';

/** True if an agent has guards, or a function that may return guards for each request. */
export const hasGuards = (guards: AgentGuards): boolean =>
  lanesOf(guards).some(([, guardList]) => typeof guardList === 'function' || toArray(guardList).length > 0);

/** The workflows of an agent's guards, unique by id: each whole array, and each pipeline in it. */
export const workflowsOf = async (
  agentId: string,
  guards: AgentGuards,
  requestContext: RequestContext,
): Promise<AnyWorkflow[]> => {
  const byLane = await Promise.all(
    lanesOf(guards).map(async ([lane, guardList]) =>
      laneWorkflows(await resolveGuards(guardList, requestContext), laneId(agentId, lane)),
    ),
  );
  return [...new Map(byLane.flat().map((workflow) => [workflow.id, workflow])).values()];
};

/** Passes a Mastra instance to the processors of guards that are not a function. */
const registerOnProcessors = (mastra: Mastra, guards: AgentGuards): void => {
  for (const [, guardList] of lanesOf(guards)) {
    if (guardList === undefined || typeof guardList === 'function') continue;
    registerProcessors(mastra, processorsOf(toGraph(toArray(guardList), 'guards')));
  }
};

/** Registers an agent's guards with its Mastra instance, if it has one, and logs once which of its judges are costly or pass what they cannot judge. */
export const registerGuards = (mastra: Mastra | undefined, agentId: string, setup: AgentSetup): void => {
  if (!mastra) return;
  setup.ignored.log(mastra.getLogger());
  registerOnProcessors(mastra, setup.guards);
  const known = warned.get(mastra) ?? new Set();
  if (known.has(agentId)) return;
  warned.set(mastra, known.add(agentId));
  const judges = findingsOfAgent(agentId, setup, {}).filter(({ code }) => ofJudges.has(code));
  if (judges.length === 0) return;
  const list = judges.map(({ code, path, message }) => `[${code}] at ${path}: ${message}`);
  mastra.getLogger()?.warn(`Agent "${agentId}" has guards to look at:\n${list.join('\n')}`);
};

const ofJudges: ReadonlySet<string> = new Set<FindingCode>(['guard/judges-each-chunk', 'guard/passes-on-failure']);

/** Agents by the Mastra instance that logged their judges: copies of an agent are registered too. */
const warned = new WeakMap<Mastra, Set<string>>();

/**
 * Registers pipelines and workflows that no agent uses as workflows of type `processor`: Mastra's Studio lists and runs them. An
 * agent's own are registered with the agent.
 *
 * Raises `pipeline/invalid-step` for other values, and `pipeline/…` for a pipeline that cannot work.
 *
 * @example
 * registerProcessorWorkflows(mastra, moderation, quality);
 * const run = await mastra.getWorkflow('moderation').createRun();
 */
export const registerProcessorWorkflows = (mastra: Mastra, ...guards: readonly (GraphSource | AnyWorkflow)[]): void => {
  for (const [index, guard] of guards.entries()) {
    const [workflow] = toArray(guard);
    if (!isWorkflow(workflow))
      throw new InterlockError('pipeline/invalid-step', {
        path: `guards.${index}`,
        detail: 'each argument is a pipeline or a workflow, as in registerProcessorWorkflows(mastra, moderation).',
      });
    registerProcessors(mastra, processorsOf(toGraph(workflow)));
    mastra.addWorkflow(workflow, workflow.id);
    mastra.addProcessor(workflow); // as Mastra registers an agent's; Studio lists only these
  }
};

/** Findings about an agent's guards, except those that a function returns for each request. */
export const findingsOfAgent = (agentId: string, setup: AgentSetup, options: VerifyOptions): readonly Finding[] => {
  const lanes = lanesOf(setup.guards);
  const roots = lanes.flatMap(([lane, guards]) => {
    const steps = typeof guards === 'function' ? [] : toArray(guards);
    return steps.length > 0 ? [placeOfLane(steps, lane, agentId)] : [];
  });
  const isPartial = lanes.some(([, guards]) => typeof guards === 'function');
  const known = { maxProcessorRetries: retryBudgetOf(setup), hold: holdOf(setup) };
  return findingsOf({ id: agentId, roots, isPartial, ...known }, options);
};

/** True if defaults may set an option, for one method or for each request. */
const isInDefaults = ({ defaults, config }: AgentSetup, option: string): boolean => {
  const { defaultOptions } = fieldsIn(config);
  const layers = [defaultOptions, defaults.generate, defaults.stream];
  return layers.some((layer) => typeof layer === 'function' || (typeof layer === 'object' && layer !== null && option in layer));
};

/** The default retry budget of a run. Undefined if it depends on the request. */
const retryBudgetOf = (setup: AgentSetup): number | undefined => {
  const { maxProcessorRetries, errorProcessors } = setup.guards;
  if (isInDefaults(setup, 'maxProcessorRetries')) return undefined;
  if (maxProcessorRetries !== undefined) return maxProcessorRetries;
  return errorProcessors === undefined ? 0 : undefined; // with error guards, retries are allowed by default
};

/** The default `hold` of a run. Undefined if it depends on the request. */
const holdOf = (setup: AgentSetup): Subject['hold'] => {
  const { hold = 'auto' } = setup.guards;
  return isInDefaults(setup, 'hold') ? undefined : hold;
};

const lanes = ['input', 'output', 'error'] as const satisfies readonly Lane[];

/** The guards of an agent by array. */
const lanesOf = (guards: AgentGuards): readonly (readonly [Lane, DynamicGuards | undefined])[] =>
  lanes.map((lane) => [lane, guards[`${lane}Processors`]] as const);

/** The workflows of an array for the registration of its agent: the whole array, and each pipeline in it. */
const laneWorkflows = (steps: readonly PipelineStep[], id: string): AnyWorkflow[] => {
  const own = steps.filter(isWorkflow).map(adopt);
  if (steps.length === 0 || (steps.length === 1 && own.length === 1)) return own;
  return [toWorkflow(toGraph(steps, id)), ...own];
};
