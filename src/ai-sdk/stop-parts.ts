import type { UIMessageChunk } from 'ai';
import { TripwireError, type StopError } from './stop-errors.js';

/** The two streams in which a stop is shown: the AI SDK's UI messages, and the parts that it makes them of. */
interface Stops<Item> {
  /** The stop that an item reports. */
  readonly stopOf: (item: Item) => StopError | undefined;
  /** A chunk of a UI message as an item. */
  readonly itemOf: (chunk: UIMessageChunk) => Item;
  readonly errorOf: (stop: StopError) => Item;
  /** The end of a message. */
  readonly finish: readonly Item[];
}

/**
 * A stream in which a tripwire is a `data-tripwire` part instead of an error, and the content of a step or run that was not accepted is
 * retracted. A reader's cancel reaches the source at once, which a pipe would delay.
 */
export const withStops = <Item extends { readonly type: string }>(
  source: ReadableStream<Item>,
  stops: Stops<Item>,
): ReadableStream<Item> => {
  const reader = source.getReader();
  const convert = createConverter(stops);
  return new ReadableStream<Item>(
    {
      pull: async (controller) => {
        const { done, value } = await reader.read();
        if (done) return controller.close();
        for (const item of convert(value)) controller.enqueue(item);
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
};

const createConverter = <Item extends { readonly type: string }>({ stopOf, itemOf, errorOf, finish }: Stops<Item>) => {
  let hasSteps = false;
  let isInStep = false;
  return (item: Item): Item[] => {
    const stop = stopOf(item);
    hasSteps ||= item.type === 'start-step';
    if (item.type === 'start-step' || item.type === 'finish-step') isInStep = item.type === 'start-step';
    if (!stop) return [item];
    const isOfRun = stop.phase === 'outputResult';
    const retraction = itemOf({ type: 'data-interlock-retract', data: { scope: isOfRun ? 'run' : 'step' } });
    const retractions = (isOfRun ? hasSteps : isInStep) ? [retraction] : [];
    if (!TripwireError.isInstance(stop)) return [...retractions, errorOf(stop)];
    return [...retractions, itemOf(tripwireChunk(stop)), ...finish];
  };
};

/** As Mastra's routes send it. */
export const tripwireChunk = ({ reason, retry, metadata, processorId }: TripwireError) => ({
  type: 'data-tripwire' as const,
  data: { reason, retry, metadata, processorId },
});
