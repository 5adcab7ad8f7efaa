import type { Agent } from '@mastra/core/agent';
import type { Run } from '../../loop/run.js';
import type { CallOptions } from '../call-options.js';
import { startRun, type StartOptions } from './start-run.js';
import type { InterlockConfig } from './config.js';
import type { AgentSetup } from './read-config.js';
import type { InterlockStream } from './result-types.js';
import { resolveOptions } from './resolve-options.js';

/** A run that branches off a recorded one. */
interface Forking extends Required<Pick<StartOptions, 'messages' | 'answering'>> {
  readonly options: CallOptions;
  /** Replaces the agent's guards. Default: the agent's. */
  readonly guards?: Pick<InterlockConfig, 'inputProcessors' | 'outputProcessors' | 'errorProcessors'> | undefined;
}

/** The parts of an agent that a fork needs. */
export interface Insides {
  readonly setup: AgentSetup;
  /** A run as `stream` returns it. */
  readonly streamed: (run: Run, options: CallOptions) => Promise<object>;
}

/** Starts the run and returns its stream. The run is not durable. */
export const forkedRun = async (agent: Agent, { setup, streamed }: Insides, forking: Forking): Promise<InterlockStream> => {
  const { defaults } = setup;
  const { messages, answering } = forking;
  const guards: InterlockConfig = { ...setup.guards, durability: undefined, ...forking.guards };
  const { options, requestContext } = await resolveOptions({ agent, mode: 'stream', defaults, given: forking.options, guards });
  const call = { agent, mode: 'stream' as const, messages, options, requestContext };
  const run = await startRun({ ...setup, ...call, guards, answering });
  return (await streamed(run, options)) as InterlockStream; // the type that its callers get
};
