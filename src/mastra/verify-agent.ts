import type { Finding } from '../pipeline/verify/finding.js';
import type { Subject } from '../pipeline/verify/subject.js';
import type { DynamicGuards, Lane } from './guards.js';
import { placeOfLane, toArray } from './guards.js';
import type { AgentSetup } from './read-config.js';
import { findingsOf, type VerifyOptions } from './verify.js';

/** What is wrong with an agent's guards, those aside that a function gives for each request. */
export const findingsOfAgent = (agentId: string, setup: AgentSetup, options: VerifyOptions): readonly Finding[] => {
  const { inputProcessors, outputProcessors, errorProcessors } = setup.guards;
  const lanes: [Lane, DynamicGuards | undefined][] = [
    ['input', inputProcessors],
    ['output', outputProcessors],
    ['error', errorProcessors],
  ];
  const roots = lanes.flatMap(([lane, guards]) => {
    const steps = typeof guards === 'function' ? [] : toArray(guards);
    return steps.length > 0 ? [placeOfLane(steps, lane, agentId)] : [];
  });
  const isPartial = lanes.some(([, guards]) => typeof guards === 'function');
  const maxProcessorRetries = retryBudgetOf(setup);
  return findingsOf({ id: agentId, roots, isPartial, maxProcessorRetries, hold: 'none' } satisfies Subject, options);
};

/** Retries that a run is granted where its call says nothing of them; undefined where that is not known before. */
const retryBudgetOf = ({ guards, defaults, config }: AgentSetup): number | undefined => {
  const { defaultOptions } = config as { defaultOptions?: unknown };
  const given = [defaultOptions, defaults.generate, defaults.stream].filter((layer) => layer !== undefined);
  if (given.some((layer) => typeof layer === 'function' || 'maxProcessorRetries' in (layer as object))) return undefined;
  if (guards.maxProcessorRetries !== undefined) return guards.maxProcessorRetries;
  const hasErrorGuards = guards.errorProcessors !== undefined; // with them Mastra grants retries unasked
  return hasErrorGuards ? undefined : 0;
};
