import type { Agent } from '@mastra/core/agent';
import { InterlockError } from '../../errors.js';

const network =
  'a network saves messages before guards judge them, and calls tools without tool guards. Mastra has deprecated it: pass its agents to a supervisor as "agents".';
const legacy =
  'models of specification v1 run in a separate loop, which calls no guard for a tool or between steps; use a v2, v3 or v4 model with generate or stream.';

type Method = { [Name in keyof Agent]-?: Agent[Name] extends (...args: never[]) => unknown ? Name : never }[keyof Agent];

/** Methods of Mastra's agent that would run another loop, with the reason for the rejection. An agent without guards has them. */
const otherLoops = {
  network,
  resumeNetwork: network,
  approveNetworkToolCall: network,
  declineNetworkToolCall: network,
  generateLegacy: legacy,
  streamLegacy: legacy,
} as const satisfies Partial<Record<Method, string>>;

const ofEngine = "it is for runs of Mastra's own durable agent; with an engine,";

/** Methods that no agent has. */
const absent = {
  resumeStreamUntilIdle: 'no run continues in the background; call resumeStream.',
  observe: `${ofEngine} call attach.`,
  prepare: `${ofEngine} call stream.`,
  recover: `${ofEngine} runs continue by themselves; call retry for a lost one.`,
  recoverActiveRuns: `${ofEngine} runs continue by themselves.`,
  listActiveRuns: `${ofEngine} call listRuns.`,
} as const satisfies Partial<Record<Method, string>>;

export const unsupportedMethods = { ...otherLoops, ...absent };

const durableWrapper =
  "it runs the loop of Mastra's durable agent, which ignores verdicts of this agent's guards; remove the wrapper and set `durability` to an engine.";

/**
 * Replaces each unsupported method of a prototype: it rejects with `agent/unsupported-method`. Mastra's durable agents read `__model` of
 * the agent that they wrap, and nothing else does, so that reading it throws.
 */
export const rejectMethods = (prototype: object, isGuarded: (agent: object) => boolean): void => {
  for (const [name, detail] of Object.entries(unsupportedMethods)) {
    const stock = Reflect.get(prototype, name) as (...args: unknown[]) => unknown; // the method of the base class
    const value = function (this: object, ...args: unknown[]): unknown {
      if (name in otherLoops && !isGuarded(this)) return stock.apply(this, args);
      const error = new InterlockError('agent/unsupported-method', { path: name, detail });
      return Promise.reject(error);
    };
    Object.defineProperty(prototype, name, { value, configurable: true, writable: true });
  }
  const get = function (this: object): undefined {
    if (!isGuarded(this)) return undefined;
    throw new InterlockError('agent/unsupported-method', { path: 'createDurableAgent', detail: durableWrapper });
  };
  Object.defineProperty(prototype, '__model', { get, configurable: true });
};
