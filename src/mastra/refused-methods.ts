import type { Agent } from '@mastra/core/agent';
import { InterlockError } from '../errors.js';

const network =
  'a network routes between agents in a loop of its own; give the agents to a supervisor as "agents" and call generate or stream.';
const threads =
  "Mastra's runtime of threads does not know its runs; call resumeStream, approveToolCall or declineToolCall with the run's id.";
const idling = 'nothing here runs in the background; call resumeStream.';
const legacy = 'models of specification v1 run in a loop of their own; use a v2, v3 or v4 model with generate or stream.';

type Method = { [Name in keyof Agent]-?: Agent[Name] extends (...args: never[]) => unknown ? Name : never }[keyof Agent];

/** Methods of Mastra's agent that would run a loop other than ours, and why. */
export const refusedMethods = {
  network,
  resumeNetwork: network,
  approveNetworkToolCall: network,
  declineNetworkToolCall: network,
  resumeStreamUntilIdle: idling,
  sendStreamResume: threads,
  sendToolApproval: threads,
  generateLegacy: legacy,
  streamLegacy: legacy,
} as const satisfies Partial<Record<Method, string>>;

/**
 * Stands in an agent's prototype for each method that would leave the loop: it rejects with `agent/unsupported-method`.
 */
export const refuseMethods = (prototype: object): void => {
  for (const [name, detail] of Object.entries(refusedMethods)) {
    const value = (): Promise<never> => Promise.reject(new InterlockError('agent/unsupported-method', { path: name, detail }));
    Object.defineProperty(prototype, name, { value, configurable: true, writable: true });
  }
};
