import type { Finding } from '../../pipeline/verify/finding.js';
import type { Hold } from '../../pipeline/verify/subject.js';
import { placeOfLane, toArray, type DynamicGuards, type Lane } from '../workflow/guards.js';
import type { AgentSetup } from './read-config.js';
import { findingsOf, type VerifyOptions } from '../workflow/verify.js';

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
  const known = { maxProcessorRetries: retryBudgetOf(setup), hold: holdOf(setup) };
  return findingsOf({ id: agentId, roots, isPartial, ...known }, options);
};

/** Whether defaults may say what an option is, for one method or for each request. */
const isInDefaults = ({ defaults, config }: AgentSetup, option: string): boolean => {
  const { defaultOptions } = config as { defaultOptions?: unknown };
  const layers = [defaultOptions, defaults.generate, defaults.stream];
  return layers.some((layer) => typeof layer === 'function' || (typeof layer === 'object' && layer !== null && option in layer));
};

/** Retries that a run is granted where its call says nothing of them; undefined where that is not known before. */
const retryBudgetOf = (setup: AgentSetup): number | undefined => {
  const { maxProcessorRetries, errorProcessors } = setup.guards;
  if (isInDefaults(setup, 'maxProcessorRetries')) return undefined;
  if (maxProcessorRetries !== undefined) return maxProcessorRetries;
  return errorProcessors === undefined ? 0 : undefined; // with error guards retries are granted unasked
};

/** What is withheld where the call says nothing of it; undefined where that is not known before. */
const holdOf = (setup: AgentSetup): Hold | undefined => {
  const { hold = 'none' } = setup.config as { hold?: Hold };
  return isInDefaults(setup, 'hold') ? undefined : hold;
};
