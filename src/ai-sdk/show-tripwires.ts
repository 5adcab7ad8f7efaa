import type { UIMessage, UIMessageChunk, UIMessageStreamOptions } from 'ai';
import { isStopError, TripwireError, type StopError } from './stop-errors.js';
import { tripwireChunk, withStops } from './stop-parts.js';

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
    return withStops(chunks, {
      stopOf: (chunk) => (chunk.type === 'error' ? stops.get(chunk.errorText) : undefined),
      itemOf: (chunk) => chunk,
      errorOf: (stop) => ({ type: 'error', errorText: onError(stop) }),
      finish: sendFinish ? [{ type: 'finish', finishReason: 'other' }] : [],
    });
  };
  return Object.assign(result, { toUIMessageStream });
};

const withTripwire = (event: FinishEvent, tripwire: TripwireError): FinishEvent => {
  const { responseMessage, messages } = event;
  const ended: UIMessage = { ...responseMessage, parts: [...responseMessage.parts, tripwireChunk(tripwire)] };
  return {
    ...event,
    responseMessage: ended,
    messages: messages.map((message) => (message === responseMessage ? ended : message)),
  };
};
