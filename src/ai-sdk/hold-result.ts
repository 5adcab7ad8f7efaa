import type { Plan } from '../pipeline/compile.js';
import { withoutWords } from './late-edits.js';
import { eachStream, type StreamedResult } from './watch-readers.js';
import type { Run } from './run.js';

/** Callbacks that tell the application of accepted steps and of the end. */
const callbacks = ['onStepEnd', 'onStepFinish', 'onEnd', 'onFinish'] as const;

/** The application's callbacks, which get nothing before the result was accepted. */
interface HeldCallbacks {
  /** Settings whose callbacks wait. */
  hold<Owner extends object>(owner: Owner): Owner;
  /** Calls them in their order, once the result was accepted. */
  tell(): Promise<void>;
  /** Tells a part that leaves. */
  tellPart(part: object): Promise<void>;
}

type Callback = (event: unknown) => unknown;

/** A guard of the result may take words out of earlier steps, or reject all of them: until it has judged them, callbacks get none of them. */
export const holdCallbacks = (plan: Plan): HeldCallbacks => {
  const calls: (() => unknown)[] = [];
  const onChunk: Callback[] = [];
  return {
    hold: (owner) => {
      if (!plan.has('outputResult')) return owner;
      const own = owner as Readonly<Record<string, unknown>>; // read by name
      const held = callbacks.flatMap((name) =>
        isCallback(own[name]) ? [[name, (event: unknown) => void calls.push(() => (own[name] as Callback)(event))] as const] : [],
      );
      if (isCallback(own['onChunk'])) onChunk.push(own['onChunk']);
      const { onAbort } = own;
      return {
        ...owner,
        ...Object.fromEntries(held),
        ...('onChunk' in own && { onChunk: undefined }),
        ...(isCallback(onAbort) && { onAbort: (event: object) => onAbort({ ...event, steps: [] }) }), // none was accepted
      };
    },
    tell: async () => {
      for (const call of calls.splice(0)) await quietly(call);
    },
    tellPart: async (part) => {
      for (const call of onChunk) await quietly(() => call({ chunk: part }));
    },
  };
};

const isCallback = (value: unknown): value is Callback => typeof value === 'function';

/** As in the AI SDK, what callbacks throw does not reach the run. */
const quietly = async (call: () => unknown): Promise<void> => {
  try {
    await call();
  } catch {
    // See above.
  }
};

interface Part {
  readonly type: string;
  readonly request?: unknown;
  readonly response?: { readonly body?: unknown };
  readonly providerMetadata?: unknown;
  readonly error?: unknown;
}

/**
 * Holds the streams of a result until the run is over: then its answer leaves as guards of the result left it, or nothing but how the run
 * ended. Callbacks get it as it leaves.
 */
export const holdResult = <Result extends StreamedResult>(
  result: Result,
  run: Run,
  { tell, tellPart }: HeldCallbacks,
): Result => {
  if (!run.holdsResult) return result;
  let told: Promise<void> | undefined;
  const onPart = (parts: readonly Part[]): Promise<void> =>
    (told ??= (async () => {
      for (const part of parts) await tellPart(part);
      await tell();
    })());
  eachStream(result, (name, given) => {
    const isWhole = name === 'stream';
    return (given as ReadableStream<Part>).pipeThrough(
      heldUntilEnd((parts) => (isWhole ? asAccepted(parts, run) : asAcceptedValues(parts, run)), isWhole ? onPart : undefined),
    );
  });
  return result;
};

type Held<Value> = (values: readonly Value[]) => { readonly values: readonly Value[]; readonly isAccepted: boolean };

const heldUntilEnd = <Value>(
  release: Held<Value>,
  onRelease: ((values: readonly Value[]) => Promise<void>) | undefined,
): TransformStream<Value, Value> => {
  const held: Value[] = [];
  let early = 0;
  return new TransformStream<Value, Value>({
    transform: (value, controller) => {
      if (held.push(value) > 1 || !isStart(value)) return;
      early = 1;
      controller.enqueue(value);
    },
    flush: async (controller) => {
      const { values, isAccepted } = release(held.splice(0));
      for (const value of values.slice(early)) controller.enqueue(value);
      if (isAccepted) await onRelease?.(values);
    },
  });
};

/** It says nothing of the answer. */
const isStart = (value: unknown): boolean => (value as Partial<Part> | undefined)?.type === 'start';

/** What leaves of a run that was not accepted. */
const ends: ReadonlySet<string> = new Set(['start', 'error', 'abort', 'finish']);

const asAccepted = (parts: readonly Part[], run: Run): ReturnType<Held<Part>> => {
  const isAccepted = !run.error && !parts.some(({ type }) => type === 'error' || type === 'abort');
  if (!isAccepted) return { isAccepted, values: parts.filter(({ type }) => ends.has(type)) };
  return { isAccepted, values: run.editedSteps.size === 0 ? parts : withEdits(parts, run) };
};

/** Values that are read off the text of steps: the last one is that of the last step. */
const asAcceptedValues = <Value>(values: readonly Value[], run: Run): ReturnType<Held<Value>> => {
  if (run.error) return { isAccepted: false, values: [] };
  return { isAccepted: true, values: run.editedSteps.size === 0 ? values : values.slice(-1) };
};

/** Parts with the content of edited steps made anew. */
const withEdits = (parts: readonly Part[], { editedSteps, steps }: Run): Part[] => {
  let index = -1;
  return parts.flatMap((part): Part[] => {
    if (part.type === 'start-step') {
      index += 1;
      const start = { ...part, request: withoutWords(part.request) };
      return editedSteps.has(index) ? [start, ...partsOf(steps[index])] : [start];
    }
    if (!editedSteps.has(index) || part.type === 'finish') return [part];
    if (part.type !== 'finish-step') return [];
    const { body: _body, ...response } = part.response ?? {};
    return [{ ...part, response, providerMetadata: (steps[index] as Recorded).providerMetadata }];
  });
};

interface Recorded {
  readonly content: readonly (Part & { readonly text?: string })[];
  readonly providerMetadata?: unknown;
}

/** What a recorded step says, as a stream says it. */
const partsOf = (step: unknown): Part[] =>
  (step as Recorded).content.flatMap((piece, at): Part[] => {
    const { type, text, providerMetadata } = piece;
    if (type !== 'text' && type !== 'reasoning') return [piece];
    const own = { id: `edited-${at}`, ...(providerMetadata !== undefined && { providerMetadata }) };
    return [{ type: `${type}-start`, ...own }, { type: `${type}-delta`, ...own, text } as Part, { type: `${type}-end`, ...own }];
  });
