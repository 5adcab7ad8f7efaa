import type { StreamTextTransform, TextStreamPart, ToolSet } from 'ai';
import { createChunkCodec } from './chunks.js';
import { begin, runsOf, type GuardOptions, type Guards, type Run } from './run.js';
import { isStopError, type StopError } from './stop-errors.js';
import { createStreamLane } from './stream-lane.js';
import { createWire, type Wire } from './wire.js';

type Part = TextStreamPart<ToolSet>;
type Controller = TransformStreamDefaultController<Part>;

/** The parts of `streamText`, which have the words of a model's stream and the results of tools among them. */
const textCodec = createChunkCodec<Part>(
  {
    'text-start': { chunk: 'text-start' },
    'text-delta': { chunk: 'text-delta' },
    'text-end': { chunk: 'text-end' },
    'reasoning-start': { chunk: 'reasoning-start' },
    'reasoning-delta': { chunk: 'reasoning-delta' },
    'reasoning-end': { chunk: 'reasoning-end' },
    'tool-input-start': { chunk: 'tool-call-input-streaming-start', names: { id: 'toolCallId' } },
    'tool-input-delta': { chunk: 'tool-call-delta', names: { id: 'toolCallId', delta: 'argsTextDelta' } },
    'tool-input-end': { chunk: 'tool-call-input-streaming-end', names: { id: 'toolCallId' } },
    'tool-call': { chunk: 'tool-call', names: { input: 'args' } },
    'tool-result': { chunk: 'tool-result', names: { input: 'args', output: 'result' } },
    'tool-error': { chunk: 'tool-error', names: { input: 'args' } },
    source: { chunk: 'source' },
    file: { chunk: 'file' },
    'finish-step': { chunk: 'finish', toPayload: ({ finishReason }) => ({ stepResult: { reason: finishReason } }) },
  },
  new Set(['start', 'start-step', 'finish', 'abort', 'error', 'ping', 'steering-message']),
);

/**
 * A pipeline's `processOutputStream` hooks as a transform of `streamText`, for models that cannot be wrapped; and the end of a
 * guarded stream: when guards ended the run, in whichever adapter, the stream ends with an `error` part and nothing follows.
 *
 * It sees what a model says after the AI SDK took the tool calls out of it, so that it cannot keep a tool from running:
 * {@link guardTools} with the same run does. In a run whose model is guarded the words have been judged, and it only ends the
 * stream; a run that stops at an answer that asks for tools has its result judged here.
 *
 * Raises `ai-sdk/unhonoured-hook`, `ai-sdk/invalid-option`, `pipeline/…`.
 *
 * @example
 * streamText({ model, prompt, experimental_transform: toStreamTransform(redaction) });
 */
export const toStreamTransform = (guards: Guards, options?: GuardOptions): StreamTextTransform<ToolSet> => {
  const nextRun = runsOf(guards, 'toStreamTransform', options);
  return ({ stopStream }) => {
    const run = nextRun();
    const isJudged = run.adapters.has('withGuards');
    const pass = judgedSteps(run);
    return guardedTransform(run, stopStream, async (part) => {
      begin(run);
      if (part.type === 'finish') await run.judgeLast?.();
      if (isJudged) return [part];
      if (part.type === 'raw') return []; // it holds words that guards may take out
      return pass(part);
    });
  };
};

/** Each step has a lane of its own; how it finished is told, whatever guards make of that. */
const judgedSteps = (run: Run): ((part: Part) => Promise<readonly Part[]>) => {
  const open = () => createStreamLane<Part>(run, { codec: textCodec, mayRetry: () => false });
  let lane = open();
  return async (part) => {
    const { parts } = await lane.push(part);
    if (part.type !== 'finish-step') return parts;
    const last = await lane.end();
    lane.close();
    lane = open();
    return [...[...parts, ...last.parts].filter(({ type }) => type !== 'finish-step'), part];
  };
};

const guardedTransform = (
  run: Run,
  stopStream: () => void,
  pass: (part: Part) => Promise<readonly Part[]>,
): TransformStream<Part, Part> => {
  const wire = createWire();
  let hasEnded = false;
  const end = (controller: Controller, error: StopError): void => {
    hasEnded = true;
    controller.enqueue({ type: 'error', error });
    try {
      stopStream();
    } catch {
      // The AI SDK had closed the stream already, before this error was read from it.
    }
  };
  return new TransformStream<Part, Part>({
    transform: async (part, controller) => {
      if (hasEnded) return;
      try {
        run.throwIfStopped();
        if (part.type === 'error' && isStopError(part.error)) return end(controller, part.error);
        for (const left of await pass(part)) sendPart(controller, wire, left);
      } catch (error) {
        if (!isStopError(error)) throw error;
        end(controller, error);
      }
    },
  });
};

/** Between the words of two steps nothing stays open. */
const sendPart = (controller: Controller, wire: Wire, part: Part): void => {
  if (part.type === 'finish-step') for (const left of wire.end()) controller.enqueue(left as Part); // ends are the same in both streams
  for (const left of wire.send(part as never)) controller.enqueue(left as Part); // the wire reads types and ids alone
};
