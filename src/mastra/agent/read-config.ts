import type { Agent } from '@mastra/core/agent';
import type { RequestContext } from '@mastra/core/request-context';
import { checkIntegration } from '../../integration.js';
import type { InterlockConfig } from './config.js';
import { checkLane, compileLane, laneId, resolveGuards, toArray, type Lane } from '../workflow/guards.js';
import type { DynamicGuards } from '../graph/to-graph.js';
import { readConfigOptions, checkOptionsObject, appliedOf, ownOptionsOf, type IgnoredFault } from '../options/option-table.js';
import { ownOptions } from '../options/own-options.js';
import { compileErrorLane } from './chains.js';
import { hooksForMastra } from '../tools/run-tool.js';
import { InterlockError, isInterlockError } from '../../errors.js';
import { createIgnoredOptions } from './resolve-options.js';

/** A parsed configuration: the options of the loop, and the configuration of Mastra's agent. */
export type AgentSetup = ReturnType<typeof readConfig>;

/** Parses a configuration. Raises `agent/…` for invalid options, `pipeline/…` for invalid guards. */
export const readConfig = (agentConfig: object, createAgent: (config: object) => Agent) => {
  checkIntegration('@mastra/core');
  checkOptionsObject(agentConfig, 'config');
  const agentId = agentIdOf(agentConfig);
  const ignored = createIgnoredOptions(agentId);
  const reportIgnored = (faults: readonly IgnoredFault[]) => {
    ignored.reportIgnored(faults);
    collectIgnored(agentId, faults);
  };
  const checked = () => readConfigOptions(agentConfig, { agentId, reportIgnored });
  const config = collected(agentId, checked, appliedOf(agentConfig));
  const own = ownOptionsOf(config);
  const fixed = (steps: DynamicGuards | undefined, lane: Lane) =>
    collected(agentId, () => fixedGuards(steps, lane, agentId), undefined);
  const guards: InterlockConfig = {
    ...own,
    inputProcessors: fixed(own.inputProcessors, 'input'),
    outputProcessors: fixed(own.outputProcessors, 'output'),
    errorProcessors: fixed(own.errorProcessors, 'error'),
    signals: config.signals,
  };
  collected(agentId, () => checkErrorLane(guards, agentId), undefined);
  const { defaultGenerateOptions, defaultStreamOptions, hooks, ...others } = config;
  const forMastra = Object.entries(others).filter(([name]) => !Object.hasOwn(ownOptions, name));
  return {
    /** The original configuration. */
    config,
    guards,
    hooks,
    defaults: { generate: defaultGenerateOptions, stream: defaultStreamOptions },
    /** Retries of each model call. Undefined if not configured. */
    maxModelRetries: config.maxRetries,
    /** Builds another agent of the same class. */
    createAgent,
    /** Options that were ignored, in the configuration and in calls. Copies of the agent share it. */
    ignored,
    mastraConfig: {
      ...Object.fromEntries<unknown>(forMastra),
      hooks: hooksForMastra(hooks),
      maxProcessorRetries: guards.maxProcessorRetries,
      inputProcessors: asMastraTakes(guards.inputProcessors),
      outputProcessors: asMastraTakes(guards.outputProcessors),
      errorProcessors: asMastraTakes(guards.errorProcessors),
    },
  };
};

/** The id; default: the name, as in Mastra. */
const agentIdOf = ({ id, name }: { id?: unknown; name?: unknown }): string =>
  [id, name].find((one) => typeof one === 'string') ?? 'agent';

/** Guards that are not a function are compiled at construction, so that invalid ones are rejected then. */
const fixedGuards = (guards: DynamicGuards | undefined, lane: Lane, agentId: string): DynamicGuards | undefined => {
  if (guards === undefined || typeof guards === 'function') return guards;
  const steps = toArray(guards);
  checkLane(steps, lane, agentId);
  compileLane(steps, laneId(agentId, lane));
  return steps;
};

/** Compiles the guards for failed calls, which come from all arrays. Those of a function are compiled for each request. */
const checkErrorLane = (guards: InterlockConfig, agentId: string): void => {
  const fixed = (steps: DynamicGuards | undefined) => (typeof steps === 'function' ? [] : toArray(steps));
  const others = [...fixed(guards.inputProcessors), ...fixed(guards.outputProcessors)];
  compileErrorLane({ own: fixed(guards.errorProcessors), others }, laneId(agentId, 'error'));
};

/** Guards in the forms that Mastra accepts: an array, or a function that returns one. */
const asMastraTakes = (guards: DynamicGuards | undefined): unknown =>
  typeof guards === 'function'
    ? ({ requestContext }: { requestContext: RequestContext }) => resolveGuards(guards, requestContext)
    : guards;

/** A configuration error of an agent. */
export interface Rejection {
  readonly agentId: string;
  readonly error: InterlockError;
  /** Set if the option is ignored, so that the agent works. */
  readonly isIgnored?: true;
}

/** Shared by all copies of this package in a process: a command and the application that it loads may have one each. */
const place = Symbol.for('mastra-interlock.refusals');

const collecting = globalThis as { [place]?: Rejection[] };

/**
 * Collects the configuration errors of agents that `build` creates, which are then built without the faulty parts. A check of an
 * application so lists the errors of all agents. Do not run such agents.
 */
export const collectRejections = async <T>(build: () => Promise<T>): Promise<{ built: T; rejections: readonly Rejection[] }> => {
  const rejections: Rejection[] = (collecting[place] = []);
  try {
    return { built: await build(), rejections };
  } finally {
    delete collecting[place];
  }
};

/** Ignored options are collected like errors. */
const collectIgnored = (agentId: string, faults: readonly IgnoredFault[]): void => {
  for (const { code, path, detail } of faults)
    collecting[place]?.push({ agentId, error: new InterlockError(code, { path, detail }), isIgnored: true });
};

/** Runs a check of an agent's configuration. While refusals are collected, an error is recorded and `instead` is returned. */
const collected = <T>(agentId: string, check: () => T, instead: T): T => {
  const rejections = collecting[place];
  if (!rejections) return check();
  try {
    return check();
  } catch (error) {
    if (!isInterlockError(error)) throw error;
    rejections.push({ agentId, error });
    return instead;
  }
};
