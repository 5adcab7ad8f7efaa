import type { Plan } from '../pipeline/graph.js';
import { holdOf } from '../pipeline/hold.js';
import { dropRequests, dropWords } from './drop-requests.js';
import type { Part } from '../plain/stored-message.js';
import type { Run } from './run.js';
import { isStopError } from './stop-errors.js';
import { eachStream, wrapField, type StreamedResult } from './watch-readers.js';
import { safely } from '../phase/awaitable.js';
import { fieldsIn } from '../phase/plain-data.js';

/** Callbacks that report accepted steps and the end to the application. */
const callbacks = ['onStepEnd', 'onStepFinish', 'onEnd', 'onFinish'] as const;

type Callback = (event: unknown) => unknown;

/** Whether content waits for a guard of the result, which may remove text from earlier steps, or reject all of them. */
export const waitsForResult = ({ graph }: Plan): boolean => holdOf(graph) === 'run';

/** The application's callbacks, which are not called before the result was accepted: they wait for the same guards as content does. */
export const holdCallbacks = (plan: Plan) => {
  const calls: (() => unknown)[] = [];
  const onChunk: Callback[] = [];
  return {
    /** Settings with delayed callbacks. */
    hold: <Owner extends object>(owner: Owner): Owner => {
      if (!waitsForResult(plan)) return owner;
      const own = fieldsIn(owner);
      const delayed = callbacks.flatMap((name) => {
        const call = own[name];
        return isCallback(call) ? [[name, (event: unknown) => void calls.push(() => call(event))] as const] : [];
      });
      if (isCallback(own['onChunk'])) onChunk.push(own['onChunk']);
      const { onAbort } = own;
      return {
        ...owner,
        ...Object.fromEntries(delayed),
        ...('onChunk' in own && { onChunk: undefined }),
        ...(isCallback(onAbort) && { onAbort: (event: object) => onAbort({ ...event, steps: [] }) }), // none was accepted
      };
    },
    /** Calls them in order, once the result was accepted; those for parts first, with the emitted ones. */
    notify: async (parts: readonly object[] = []): Promise<void> => {
      for (const chunk of parts) for (const call of onChunk) await safely(call, { chunk });
      for (const call of calls.splice(0)) await safely(call);
    },
  };
};

const isCallback = (value: unknown): value is Callback => typeof value === 'function';

/**
 * Buffers the streams of a result until the run is over. Then its response is emitted as guards of the result left it, or only the end of
 * the run. Callbacks are called when it is emitted; values read from the steps of a run that was not accepted reject.
 */
export const holdResult = <Result extends StreamedResult>(
  result: Result,
  run: Run,
  { notify }: ReturnType<typeof holdCallbacks>,
): Result => {
  if (!run.state.holdsResult) return result;
  let notified: Promise<void> | undefined;
  const onParts = async (parts: readonly Part[]): Promise<void> => {
    if (!run.state.failure) await (notified ??= notify(parts));
  };
  eachStream(result, (name, stream) => {
    if (name !== 'stream') return stream.pipeThrough(bufferUntilEnd((values) => asAcceptedValues(values, { run, result, name })));
    return (stream as ReadableStream<Part>).pipeThrough(bufferUntilEnd((parts) => asAccepted(parts, run), onParts));
  });
  wrapField(result, 'steps', async (steps) => {
    const all = await (steps as Promise<unknown>);
    if (run.state.failure) throw run.state.failure.error;
    dropRequests(run);
    return all;
  });
  return result;
};

const bufferUntilEnd = <Value>(
  release: (values: readonly Value[]) => readonly Value[] | Promise<readonly Value[]>,
  onRelease?: (values: readonly Value[]) => Promise<void>,
): TransformStream<Value, Value> => {
  const buffered: Value[] = [];
  let early = 0;
  return new TransformStream<Value, Value>({
    transform: (value, controller) => {
      if (buffered.push(value) > 1 || !onRelease || !isStart(value)) return;
      early = 1;
      controller.enqueue(value);
    },
    flush: async (controller) => {
      const values = await release(buffered.splice(0));
      for (const value of values.slice(early)) controller.enqueue(value);
      await onRelease?.(values);
    },
  });
};

/** Whether a part is the start, which contains nothing of the response. */
const isStart = (value: unknown): boolean => fieldsIn(value)['type'] === 'start';

/** The parts to emit of a run that was not accepted. */
const ends: ReadonlySet<string> = new Set(['start', 'error', 'abort', 'finish']);

const asAccepted = (parts: readonly Part[], run: Run): readonly Part[] => {
  if (run.state.failure) return parts.filter(({ type, error }) => ends.has(type) || isStopError(error));
  dropRequests(run);
  return run.editedSteps.size === 0 ? parts : withEdits(parts, run);
};

interface ValuesOf {
  readonly run: Run;
  readonly result: StreamedResult;
  readonly name: string;
}

/** Values parsed from the text of each step. If guards edited steps, only those of the response are kept. */
const asAcceptedValues = async <Value>(values: readonly Value[], { run, result, name }: ValuesOf): Promise<readonly Value[]> => {
  if (run.state.failure) return [];
  if (run.editedSteps.size === 0) return values;
  try {
    const output = await result.output;
    return (name === 'elementStream' ? output : [output]) as Value[]; // an output with elements is a list of them
  } catch {
    return []; // the response is no such output
  }
};

/** Parts with the content of edited steps recreated. */
const withEdits = (parts: readonly Part[], { editedSteps, state: { steps } }: Run): Part[] => {
  let index = -1;
  return parts.flatMap((part): Part[] => {
    if (part.type === 'start-step') {
      index += 1;
      dropWords(part['request'] ?? {});
      return editedSteps.has(steps[index]) ? [part, ...(steps[index]?.content ?? []).flatMap(partsOf)] : [part];
    }
    if (!editedSteps.has(steps[index]) || part.type === 'finish') return [part];
    if (part.type !== 'finish-step') return [];
    const { body: _body, ...response } = fieldsIn(part['response']);
    return [{ ...part, response, providerMetadata: steps[index]?.providerMetadata }];
  });
};

/** A piece of a recorded step as stream parts. */
const partsOf = (piece: Part, at: number): Part[] => {
  const { type, text, providerMetadata } = piece;
  if (type !== 'text' && type !== 'reasoning') return [piece];
  const own = { id: `edited-${at}`, ...(providerMetadata !== undefined && { providerMetadata }) };
  return [
    { type: `${type}-start`, ...own },
    { type: `${type}-delta`, ...own, text },
    { type: `${type}-end`, ...own },
  ];
};
