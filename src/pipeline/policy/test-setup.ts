import type { MessageList } from '@mastra/core/agent/message-list';
import type { Processor } from '@mastra/core/processors';
import { type GuardPolicy, readPolicy } from '../../guard/policy/guard-policy.js';
import type { Phase } from '../../phase/row.js';
import { conversation, createScope, payloads, withHook, type TestScope } from '../../phase/test-setup.js';
import { phases } from '../../phase/table.js';
import { compileGraph } from '../compile.js';
import type { Plan } from '../graph.js';
import type { Verdict } from '../../verdict.js';

/** A hook as these tests write it. */
export type Hook = (args: HookArgs) => unknown;

export interface HookArgs {
  readonly messageList?: MessageList;
  readonly messages?: { content: { parts: { text?: string }[] } }[];
  readonly part?: { payload: { text: string } };
  readonly prompt?: { content: { text: string }[] }[];
  readonly state: Record<string, unknown>;
  readonly abortSignal: AbortSignal;
  readonly retryCount: number;
  readonly writer?: { custom(chunk: object): Promise<void> };
  readonly requestContext: { set(key: string, value: unknown): void; get(key: string): unknown };
  abort(reason?: string, options?: object): never;
}

/** One processor with the same hook in each phase, or in one, under a policy, as a plan. */
export const planOf = (run: Hook, policy: GuardPolicy | undefined, { id = 'guard', ...own }: Partial<Processor> = {}): Plan => {
  const hooks = Object.fromEntries(Object.values(phases).map(({ hook }) => [hook, run]));
  const processor: Processor = { ...withHook(id, 'processInput', run), ...hooks, ...own };
  const node = { kind: 'guard', id, processor, ...(policy && { policy: readPolicy(policy, id) }) } as const;
  return compileGraph({ kind: 'sequence', id: 'p', nodes: [node] });
};

export interface GuardCalls {
  readonly verdict: Verdict<object>;
  readonly list: MessageList;
  readonly scope: TestScope;
}

/** Runs a plan over the usual payload of a phase. */
export const callGuard = async (
  plan: Plan,
  phase: Phase,
  { list = conversation(), scope = createScope() }: { list?: MessageList; scope?: TestScope } = {},
): Promise<GuardCalls> => ({ verdict: await plan.run<Phase>(phase, payloads[phase](list), scope), list, scope });

/** The result of a hook that does not object. */
export const same: Hook = ({ part }) => part;

/** A hook that returns on command and counts its calls. */
export const onCall = () => {
  const calls: { args: HookArgs; answer(value?: unknown): void; fail(error: unknown): void }[] = [];
  const hook: Hook = (args) =>
    new Promise((resolve, reject) => {
      calls.push({ args, answer: (value = args.part) => resolve(value), fail: reject });
    });
  return { hook, calls };
};

/** Lets all pending microtasks run. */
export const settle = async (): Promise<void> => {
  for (let turn = 0; turn < 30; turn += 1) await Promise.resolve();
};
