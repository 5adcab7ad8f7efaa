import type { UIMessage, UIMessageChunk, UIMessageStreamOptions } from 'ai';
import { isStopError, TripwireError, type StopError } from './stop-errors.js';

type Options = UIMessageStreamOptions<UIMessage>;
type Finish = NonNullable<Options['onFinish']>;
type FinishEvent = Parameters<Finish>[0];

/** The method of the AI SDK's results that its other methods for UI messages use. */
interface UIResult {
  toUIMessageStream?(options?: Options): ReadableStream<UIMessageChunk>;
}

/**
 * In the UI messages of a result, a tripwire is a `data-tripwire` part instead of an error, and what left of a step or run that was not
 * accepted is retracted, as over Mastra's routes. The AI SDK makes them of the stream's parts, which have no such types.
 */
export const showTripwires = <Result extends object>(result: Result): Result => {
  const { toUIMessageStream: own } = result as UIResult;
  if (!own) return result;
  const toUIMessageStream = (options: Options = {}): ReadableStream<UIMessageChunk> => {
    const { onError = () => 'An error occurred.', onEnd, onFinish, sendFinish = true } = options;
    const stops = new Map<string, StopError>(); // by the texts of their errors
    let tripwire: TripwireError | undefined;
    const textOf = (error: unknown): string => {
      if (error instanceof Error && stops.has(error.message)) return error.message;
      if (!isStopError(error)) return onError(error);
      if (TripwireError.isInstance(error)) tripwire = error;
      const text = crypto.randomUUID();
      stops.set(text, error);
      return text;
    };
    /** An application may store the message: it contains the tripwire, too. */
    const finishing = (callback: Finish | undefined) =>
      callback && ((event: FinishEvent) => callback(tripwire ? withTripwire(event, tripwire) : event));
    const chunks = own.call(result, {
      redactToolErrors: options.onError !== undefined, // its default
      ...options,
      onError: textOf,
      ...(onEnd && { onEnd: finishing(onEnd) }),
      ...(onFinish && { onFinish: finishing(onFinish) }),
    });
    const stopOf = (chunk: UIMessageChunk) => (chunk.type === 'error' ? stops.get(chunk.errorText) : undefined);
    return withStops(chunks, { stopOf, onError, sendFinish });
  };
  return Object.assign(result, { toUIMessageStream });
};

interface StopOptions {
  readonly stopOf: (chunk: UIMessageChunk) => StopError | undefined;
  readonly onError: (error: unknown) => string;
  readonly sendFinish: boolean;
}

/** The chunks with the parts of a stop. A reader's cancel reaches their source at once, which a pipe would delay. */
const withStops = (chunks: ReadableStream<UIMessageChunk>, options: StopOptions): ReadableStream<UIMessageChunk> => {
  const reader = chunks.getReader();
  const convert = createConverter(options);
  return new ReadableStream<UIMessageChunk>(
    {
      pull: async (controller) => {
        const { done, value } = await reader.read();
        if (done) return controller.close();
        for (const chunk of convert(value)) controller.enqueue(chunk);
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
};

const createConverter = ({ stopOf, onError, sendFinish }: StopOptions) => {
  let hasSteps = false;
  let isInStep = false;
  return (chunk: UIMessageChunk): UIMessageChunk[] => {
    const stop = stopOf(chunk);
    hasSteps ||= chunk.type === 'start-step';
    if (chunk.type === 'start-step' || chunk.type === 'finish-step') isInStep = chunk.type === 'start-step';
    if (!stop) return [chunk];
    const isOfRun = stop.phase === 'outputResult';
    const retraction: UIMessageChunk = { type: 'data-interlock-retract', data: { scope: isOfRun ? 'run' : 'step' } };
    const retractions = (isOfRun ? hasSteps : isInStep) ? [retraction] : [];
    if (!TripwireError.isInstance(stop)) return [...retractions, { type: 'error', errorText: onError(stop) }];
    return [...retractions, partOf(stop), ...(sendFinish ? [{ type: 'finish', finishReason: 'other' } as const] : [])];
  };
};

/** As Mastra's routes send it. */
const partOf = ({ reason, retry, metadata, processorId }: TripwireError) => ({
  type: 'data-tripwire' as const,
  data: { reason, retry, metadata, processorId },
});

const withTripwire = (event: FinishEvent, tripwire: TripwireError): FinishEvent => {
  const { responseMessage, messages } = event;
  const ended: UIMessage = { ...responseMessage, parts: [...responseMessage.parts, partOf(tripwire)] };
  return {
    ...event,
    responseMessage: ended,
    messages: messages.map((message) => (message === responseMessage ? ended : message)),
  };
};
