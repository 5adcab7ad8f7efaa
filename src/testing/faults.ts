import type { Processor } from '@mastra/core/processors';
import type { HookName } from '../phase/row.js';
import { rejectOnAbort, wait } from './scripted-model.js';

type HookArgs<H extends HookName> = Parameters<NonNullable<Processor[H]>>[0];
type HookResult<H extends HookName> = ReturnType<NonNullable<Processor[H]>>;

/** A processor with exactly one hook. */
export type FaultProcessor<H extends HookName> = Processor & Required<Pick<Processor, H>>;

interface FaultOptions {
  /** The processor's id. Default: the fault and its hook, e.g. `throwing-processInput`. */
  readonly id?: string;
}

interface HangingOptions extends FaultOptions {
  /** Keeps hanging after the abort signal. A hook without a signal hangs in any case. Default false. */
  readonly ignoreAbort?: boolean;
}

interface TrippingOptions extends FaultOptions {
  /** Requests another attempt. Default false. */
  readonly retry?: boolean;
  readonly metadata?: unknown;
  /** The number of calls that trip, over the processor's lifetime; later calls pass. Default: all. */
  readonly times?: number;
}

/** The result of each hook that changes nothing. */
const unchanged: { readonly [H in HookName]: (args: HookArgs<H>) => Awaited<HookResult<H>> } = {
  processInput: ({ messageList }) => messageList,
  processInputStep: () => undefined,
  processLLMRequest: () => undefined,
  processAPIError: () => undefined,
  processOutputStream: ({ part }) => part,
  processLLMResponse: () => undefined,
  processOutputStep: ({ messageList }) => messageList,
  processToolResult: () => undefined,
  processOutputResult: ({ messageList }) => messageList,
};

const withHook = <H extends HookName>(
  hook: H,
  id: string,
  run: (args: HookArgs<H>) => Promise<Awaited<HookResult<H>>>,
): FaultProcessor<H> => {
  const processor: object = { id, [hook]: run };
  return processor as FaultProcessor<H>; // TypeScript widens a computed key; the hook's type is checked by `run`
};

/** A faulty guard: its hook throws. */
export const throwing = <H extends HookName>(
  hook: H,
  error: unknown = new Error(`${hook} was scripted to throw.`),
  { id = `throwing-${hook}` }: FaultOptions = {},
): FaultProcessor<H> =>
  withHook(hook, id, async () => {
    throw error;
  });

/** A guard that never answers, until it is aborted. */
export const hanging = <H extends HookName>(
  hook: H,
  { id = `hanging-${hook}`, ignoreAbort = false }: HangingOptions = {},
): FaultProcessor<H> => withHook(hook, id, ({ abortSignal }) => rejectOnAbort(ignoreAbort ? undefined : abortSignal));

/** A guard that blocks, or requests a retry; after `times` calls it passes. */
export const tripping = <H extends HookName>(
  hook: H,
  reason: string,
  { id = `tripping-${hook}`, retry, metadata, times = Infinity }: TrippingOptions = {},
): FaultProcessor<H> => {
  let remaining = times;
  return withHook(hook, id, async (args): Promise<Awaited<HookResult<H>>> => {
    if (remaining <= 0) return unchanged[hook](args);
    remaining -= 1;
    return args.abort(reason, { ...(retry !== undefined && { retry }), ...(metadata !== undefined && { metadata }) });
  });
};

/** The same processor with a delay of `ms` milliseconds before each hook; an abort ends the wait. */
export const delayed = <P extends Processor>(processor: P, ms: number): P =>
  // A proxy, because a processor may be an instance of a class, with its hooks on the prototype and private fields.
  new Proxy(processor, {
    get: (target, key) => {
      const value: unknown = Reflect.get(target, key);
      if (typeof value !== 'function') return value;
      if (typeof key !== 'string' || !key.startsWith('process')) return value.bind(target) as unknown;
      return async (args: HookArgs<HookName>): Promise<unknown> => {
        await wait(ms, args.abortSignal);
        return Reflect.apply(value, target, [args]);
      };
    },
  });
