import { klona } from 'klona/full';
import type { RequestContext } from '@mastra/core/request-context';
import type { RequireToolApproval } from '@mastra/core/tools';
import type { LoopPorts } from '../../loop/ports.js';
import { findTool } from './find-tool.js';
import type { AnyTool } from './tools.js';

/** Where Mastra's agents leave the policy of a call for the agents that they call. */
const inheritedKey = '__mastra_requireToolApproval';

interface ApprovalOptions {
  /** The policy of the call. */
  readonly option: RequireToolApproval | undefined;
  readonly requestContext: RequestContext;
}

type Policy = (...args: readonly unknown[]) => unknown;

/**
 * Whether a person is to decide over a call, by Mastra's rule: a tool's own function has the last word; else its flag or the policy
 * of the call asks for it. A policy that fails asks for it, too. Calls that do not run here need nobody.
 */
export const createApprovalPolicy =
  ({ option, requestContext }: ApprovalOptions): LoopPorts['needsApproval'] =>
  async ({ call, settings }) => {
    const tool = findTool(settings, call.toolName)?.[1];
    if (typeof tool?.execute !== 'function' || call.args === undefined || call.args === null) return false;
    const given = option ?? requestContext.get<string, RequireToolApproval | undefined>(inheritedKey);
    const context = { requestContext: publicEntries(requestContext) };
    const args = klona(call.args); // what a policy does to them is not what runs
    const own = functionOf(tool);
    if (own) return asks(own, args, context);
    if (flagOf(tool)) return true;
    return typeof given === 'function' ? asks(given as Policy, { toolName: call.toolName, args, ...context }) : Boolean(given);
  };

/** Prepared tools keep their function apart from the flag; those of a guard come as their authors wrote them. */
const functionOf = ({ needsApprovalFn, requireApproval, needsApproval }: AnyTool): Policy | undefined =>
  [needsApprovalFn, requireApproval, needsApproval].find((one) => typeof one === 'function') as Policy | undefined;

const flagOf = ({ requireApproval, needsApproval }: AnyTool): boolean => Boolean(requireApproval) || Boolean(needsApproval);

const asks = async (policy: Policy, ...args: readonly unknown[]): Promise<boolean> => {
  try {
    return Boolean(await policy(...args));
  } catch {
    return true; // whoever cannot say that nobody needs to look has not said so
  }
};

const publicEntries = (requestContext: RequestContext): Record<string, unknown> =>
  Object.fromEntries([...requestContext.entries()].filter(([key]) => key !== inheritedKey));
