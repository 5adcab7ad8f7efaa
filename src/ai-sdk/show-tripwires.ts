import { fieldsIn, inheriting } from '../phase/plain-data.js';
import type { TextStreamPart, ToolSet, UIMessageChunk } from 'ai';
import { keepsChat, keptMark } from '../loop/judge.js';
import { once } from '../phase/memo.js';
import type { WrittenData } from './events.js';
import { isStopError, TripwireError, type StopError } from './stop-errors.js';
import { wrapField } from './watch-readers.js';

/** The parts of a run that its UI messages need. */
interface ShownRun {
  readonly data: readonly WrittenData[];
  readonly state: { readonly steps: readonly unknown[] };
}

type Part = TextStreamPart<ToolSet>;
type Finish = Extract<Part, { type: 'finish' }>;

/** The fields that `createAgentUIStream` passes to an agent's `stream`, whether or not they have a value. */
const fields = ['prompt', 'options', 'abortSignal', 'timeout', 'experimental_sandbox', 'experimental_transform', 'onStepEnd'];

/**
 * Whether `createAgentUIStream`, `createAgentUIStreamResponse` or `pipeAgentUIStreamToResponse` made a call. They make UI messages of the
 * result's stream themselves, and read nothing else of the result.
 */
export const isUICall = (call: object): boolean => fields.every((name) => Object.hasOwn(call, name));

/**
 * In the UI messages of a result, a tripwire is a `data-tripwire` part instead of an error, and what left of a step or run that was not
 * accepted is retracted, as over Mastra's routes. The `data` that guards wrote leaves with the part that follows it.
 */
export const showTripwires = <Result extends object>(result: Result, run: ShownRun): Result => {
  const { toUIMessageStream: own } = fieldsIn(result); // the other methods for UI messages use it; it reads the stream of its object
  if (typeof own !== 'function') return result;
  const withStream = {
    get stream(): unknown {
      return Reflect.get(result, 'stream');
    },
  };
  const shown = withStopParts(inheriting(result, withStream), run);
  return Object.assign(result, { toUIMessageStream: (options?: object): unknown => own.call(shown, options) });
};

/** A result whose stream has the parts of a stop instead of its error. A reader's cancel reaches the source at once, which a pipe would delay. */
export const withStopParts = <Result extends object>(result: Result, run: ShownRun): Result => {
  wrapField(result, 'stream', (stream) => {
    const reader = (stream as ReadableStream<Part>).getReader();
    const convert = createConverter(run);
    const pull = async (controller: ReadableStreamDefaultController<object>): Promise<void> => {
      await testPipes();
      const { done, value } = await reader.read();
      if (done) return controller.close();
      for (const part of convert(value)) controller.enqueue(part);
    };
    return new ReadableStream<object>({ pull, cancel: (reason) => reader.cancel(reason) }, { highWaterMark: 0 });
  });
  return result;
};

const createConverter = (run: ShownRun) => {
  const { data } = run;
  let shown = 0;
  let hasSteps = false;
  let isInStep = false;
  return (part: Part): object[] => {
    hasSteps ||= part.type === 'start-step';
    if (part.type === 'start-step' || part.type === 'finish-step') isInStep = part.type === 'start-step';
    if (part.type !== 'error' || !isStopError(part.error)) {
      if (part.type === 'start') return [part];
      const written = data.slice(shown).map(asPassedOn);
      shown = data.length;
      return [...written, part];
    }
    const { error } = part;
    const isOfRun = error.phase === 'outputResult';
    const retraction = asPassedOn({ type: 'data-interlock-retract', data: { scope: isOfRun ? 'run' : 'step' } });
    const sent = { hasSteps: run.state.steps.length > 0, isUnseen: !hasSteps };
    const isKept = TripwireError.isInstance(error) && keepsChat(error, sent);
    const mark = isKept ? [asPassedOn({ type: keptMark, data: {} })] : [];
    return [...((isOfRun ? hasSteps : isInStep) ? [retraction] : mark), ...endOf(error)];
  };
};

const endOf = (error: StopError): object[] => {
  if (!TripwireError.isInstance(error)) return [{ type: 'error', error }];
  const { reason, retry, metadata, processorId } = error;
  const tripwire = asPassedOn({ type: 'data-tripwire', data: { reason, retry, metadata, processorId } }); // as Mastra's routes send it
  return [tripwire, asPassedOn({ type: 'start-step' }), finish]; // a page sends a message again whose last step has only outputs of tools
};

/** The number of reads of a part's type after which the AI SDK has passed it on. Infinite if these reads end with the turn. */
let readsBefore = Infinity;

/** Tests whether a pipe calls the next reader in the same turn, as in Node 22. The AI SDK has read the type eight times by then. */
const testPipes = once(async (): Promise<void> => {
  const calls: string[] = [];
  const first = new TransformStream<number, number>({
    transform: (value, controller) => {
      controller.enqueue(value);
      calls.push('first');
    },
  });
  const next = new TransformStream<number>({ transform: () => void calls.push('next') });
  const one = new ReadableStream<number>({
    start: (controller) => {
      controller.enqueue(1);
      controller.close();
    },
  });
  await one.pipeThrough(first).pipeThrough(next).pipeTo(new WritableStream());
  if (calls[0] === 'next') readsBefore = 8;
});

/**
 * A chunk of a UI message as a part. The AI SDK converts each part to a new chunk of a known type, except `abort` parts, which it passes
 * on: so this is an `abort` part in the turn in which it is converted, and the chunk for later readers.
 */
const asPassedOn = (chunk: UIMessageChunk): object => {
  const part = { ...chunk };
  let reads = 0;
  const field = { enumerable: true, configurable: true } as const;
  const become = () => Object.defineProperty(part, 'type', { ...field, value: chunk.type, writable: true });
  const get = () => {
    queueMicrotask(become);
    return (reads += 1) > readsBefore ? chunk.type : 'abort';
  };
  return Object.defineProperty(part, 'type', { ...field, get });
};

/** Nothing is known of the usage. */
const finish: Finish = {
  type: 'finish',
  finishReason: 'other',
  rawFinishReason: undefined,
  totalUsage: {
    inputTokens: undefined,
    inputTokenDetails: { noCacheTokens: undefined, cacheReadTokens: undefined, cacheWriteTokens: undefined },
    outputTokens: undefined,
    outputTokenDetails: { textTokens: undefined, reasoningTokens: undefined },
    totalTokens: undefined,
  },
};
