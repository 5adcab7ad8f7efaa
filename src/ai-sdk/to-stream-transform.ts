import type { GeneratedFile, StreamTextTransform, TextStreamPart, ToolSet } from 'ai';
import { isPromise, type Awaitable, attempted } from '../phase/awaitable.js';
import { createTurns } from '../guard/in-steps.js';
import { alike, commonCodecs, createChunkCodec, partOfChunk, type FieldCodec } from './chunks.js';
import type { GuardOptions } from './guard-options.js';
import { start, runsOf } from './adapters.js';
import type { Guards, Run } from './run.js';
import { isStopError, type StopError } from './stop-errors.js';
import { openLane } from './lane.js';
import type { Chunk } from './spec.js';
import { createWire, type Wire } from './wire.js';

type Part = TextStreamPart<ToolSet>;
type Controller = TransformStreamDefaultController<Part>;

/** Recreates the file from the guards' version. */
const file: Omit<FieldCodec, 'chunk'> = {
  toPayload: ({ file: made, ...rest }) => {
    const { mediaType: mimeType, base64 } = made as GeneratedFile; // of the part's type
    return { ...rest, mimeType, base64 };
  },
  toFields: ({ mimeType: mediaType, base64, ...rest }) => {
    const uint8Array = Uint8Array.from(atob(String(base64)), (char) => char.charCodeAt(0));
    return { ...rest, file: { mediaType, base64, uint8Array } };
  },
};

/** The parts of `streamText`, which contain the text of a model's stream and the results of tools. */
const textCodec = createChunkCodec<Part>(
  {
    ...commonCodecs,
    ...alike('text-delta', 'reasoning-delta'),
    'tool-call': { chunk: 'tool-call', names: { input: 'args' } },
    'tool-result': { chunk: 'tool-result', names: { input: 'args', output: 'result' } },
    'tool-error': { chunk: 'tool-error', names: { input: 'args' } },
    file: { chunk: 'file', ...file },
    'reasoning-file': { chunk: 'reasoning-file', ...file },
    'finish-step': {
      chunk: 'finish',
      toPayload: ({ finishReason, providerMetadata }) => ({ stepResult: { reason: finishReason }, providerMetadata }),
      toFields: ({ providerMetadata }) => ({ providerMetadata }),
    },
  },
  new Set(['start', 'start-step', 'finish', 'abort', 'error', 'ping', 'steering-message']),
);

/**
 * A pipeline's `processOutputStream` hooks as a transform of `streamText`, for models that cannot be wrapped. It also ends a guarded
 * stream: when guards ended the run, in whichever adapter, the stream ends with an `error` part and nothing follows.
 *
 * It gets a model's output after the AI SDK has removed the tool calls, so that it cannot stop a tool: {@link guardTools} with the same
 * run does. If the run's model is guarded, the text was already judged, and the transform only ends the stream. If a run stops at a
 * response that calls tools, its result is judged here.
 *
 * Raises `ai-sdk/hook-not-called`, `ai-sdk/invalid-option`, `pipeline/…`.
 *
 * @example
 * streamText({ model, prompt, experimental_transform: toStreamTransform(redaction) });
 */
export const toStreamTransform = (guards: Guards, options?: GuardOptions): StreamTextTransform<ToolSet> => {
  const nextRun = runsOf(guards, 'toStreamTransform', options);
  return ({ stopStream }) => {
    const run = nextRun();
    const isJudged = run.adapters.has('withGuards');
    const steps = judgedSteps(run);
    const judge = async (part: Part, out: Out): Promise<void> => {
      await start(run); // throws the error that ended the run
      if (part.type === 'finish') await run.state.judgeLast?.();
      if (isJudged) return out.send([part]);
      if (part.type === 'raw') return undefined; // it contains text that guards may remove
      return steps(part, out);
    };
    return guardedTransform(run, stopStream, (part, out) =>
      isJudged && !endsResponse(part) ? out.send([part]) : judge(part, out),
    );
  };
};

/** Whether a part follows a response: the guards of its tools may end the run while its parts are still on their way. */
const endsResponse = (part: Part): boolean => ends.has(part.type) || (part.type === 'tool-error' && isStopError(part.error));

const ends: ReadonlySet<string> = new Set(['finish-step', 'finish', 'error', 'abort']);

interface Out {
  send(parts: readonly Part[]): void;
  /** Ends the stream with the error. */
  fail(error: unknown): void;
}
/** Sends the guards' version of a part, and later the parts that guards clear before the next one comes. */
type Pass = (part: Part, out: Out) => Awaitable<void>;

/** Each step has its own track. Its finish part is always emitted, with the metadata that guards left in it. */
const judgedSteps = (run: Run): Pass => {
  let lane: ReturnType<typeof openLane> | undefined; // opened when the run starts
  const originals = new WeakMap<Chunk, Part>();
  const partsOf = (chunks: readonly Chunk[]): Part[] => chunks.flatMap((chunk) => partOfChunk(chunk, originals, textCodec) ?? []);
  let pushes = 0;
  const takeTurn = createTurns();
  /** Sends the parts that guards clear before the next part comes; that part then takes along the later ones. */
  const sendWhileSilent = async ({ send }: Out): Promise<void> => {
    const [own, count] = [lane, pushes];
    const isSilent = () => own === lane && count === pushes;
    while (own && isSilent()) {
      await own.nextCleared();
      if (isSilent()) send(partsOf(await own.takeCleared()));
    }
  };
  return async (part, out) => {
    pushes += 1;
    const pending = takeTurn();
    if (pending) await pending;
    const own = (lane ??= openLane(run));
    const chunk = textCodec.toChunk(part, run.id);
    if (chunk) originals.set(chunk, part);
    const parts = chunk ? partsOf(await own.push(chunk)) : [part];
    if (part.type !== 'finish-step') {
      out.send(parts);
      return void sendWhileSilent(out).catch(out.fail);
    }
    const judged = [...parts, ...partsOf(await own.end())];
    own.close();
    lane = undefined;
    const finish = judged.find((one) => one.type === 'finish-step');
    return out.send([...judged.filter((one) => one !== finish), { ...part, providerMetadata: finish?.providerMetadata }]);
  };
};

const guardedTransform = (run: Run, stopStream: () => void, pass: Pass): TransformStream<Part, Part> => {
  const wire = createWire();
  let hasEnded = false;
  let hasStep = false;
  const ended = new Set<string>(); // calls whose outcome was sent
  /** A guard may still judge words of an answer that was cut off. */
  const close = (): void => {
    hasEnded = true;
    run.state.trace?.end(run.state.failure);
  };
  /**
   * Before its first step the AI SDK runs approved tools, and adds the step's stream, or its own error, to a stream that must be open
   * then. It finds no other tool to run, so that it ends soon; if it requests the model nevertheless, the request is aborted.
   */
  const stopSource = (): void => {
    if (hasStep) attempted(stopStream); // the AI SDK may have closed the stream already, before this error was read from it
  };
  const end = (controller: Controller, error: StopError): void => {
    if (hasEnded) return;
    hasEnded = true;
    run.change({ failure: { error } });
    // Without an outcome of a call, a page would send its approval again, and the tool would run again.
    for (const { args: input, ...call } of run.state.approvedCalls?.values() ?? [])
      if (run.state.holdsResult || !ended.has(call.toolCallId))
        controller.enqueue({ type: 'tool-error', ...call, input, error, dynamic: true });
    controller.enqueue({ type: 'error', error });
    stopSource();
  };
  return new TransformStream<Part, Part>({
    transform: (part, controller) => {
      hasStep ||= part.type === 'start-step';
      if (part.type === 'tool-result') ended.add(part.toolCallId);
      if (hasEnded) return part.type === 'start-step' ? stopSource() : undefined;
      if (part.type === 'error' && isStopError(part.error)) return end(controller, part.error);
      if (part.type === 'error' || part.type === 'abort')
        run.change({ failure: { error: 'error' in part ? part.error : run.signal.reason } });
      const fail = (error: unknown): void => (isStopError(error) ? end(controller, error) : controller.error(error));
      const send = (parts: readonly Part[]): void => {
        if (!hasEnded) for (const open of parts) sendPart(controller, wire, open);
      };
      const passing = pass(part, { send, fail }); // a promise for a part that has to wait
      return isPromise(passing) ? passing.catch(fail) : undefined;
    },
    flush: close,
    cancel: close,
  });
};

/** Closes all open text parts between two steps. */
const sendPart = (controller: Controller, wire: Wire, part: Part): void => {
  if (part.type === 'finish-step') for (const open of wire.end()) controller.enqueue(open);
  for (const open of wire.send(part)) controller.enqueue(open);
};
