import type { Finding } from '../../pipeline/verify/find-defects.js';
import type { Hold } from '../../pipeline/verify/check.js';
import { lanesOf, placeOfLane, toArray } from '../workflow/guards.js';
import type { AgentSetup } from './read-config.js';
import { findingsOf, type VerifyOptions } from '../workflow/verify.js';

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
  const { defaultOptions } = config as { defaultOptions?: unknown };
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
const holdOf = (setup: AgentSetup): Hold | undefined => {
  const { hold = 'none' } = setup.config as { hold?: Hold };
  return isInDefaults(setup, 'hold') ? undefined : hold;
};
