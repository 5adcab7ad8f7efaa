import { fieldsIn } from '../phase/plain-data.js';
import { anySignal } from '../phase/awaitable.js';
import { wrapLanguageModel } from 'ai';
import { callGuarded, type GuardedCall, type PartSink } from './guarded-call.js';
import { guardCallStep } from './guard-step.js';
import { instanceOf, type ModelInstance } from './host.js';
import { judgedInput } from './judge.js';
import { finishFor, guardsOutput, isCleanRecord, type ModelCall } from './model-port.js';
import type { GuardOptions } from './guard-options.js';
import { checkTools, start, runsOf } from './adapters.js';
import { isSharedRun, type Guards, type Run } from './run.js';
import { isStopError } from './stop-errors.js';
import type { CallableModel, GenerateResult, PartOf, Prompt, StreamPart, StreamResult } from './spec.js';
import { createGathering } from './wire.js';

/**
 * Puts guards around a language model, for every function of the AI SDK that takes one. Honours each hook except `processToolResult`, in
 * `doGenerate` and `doStream`; `processOutputResult` for responses without tool calls. A blocked response is not emitted, and the
 * provider's call is aborted.
 *
 * With a pipeline every call of the model is a run of its own; pass a shared run to the steps of one run, see `createGuardedRun`. A model
 * id is resolved by the AI SDK's default provider.
 *
 * Raises `ai-sdk/hook-not-called`, `ai-sdk/invalid-option` and `pipeline/…` here; calls reject with a TripwireError or a
 * GuardUnavailableError, streams carry it as their last part. A call with tools raises `ai-sdk/hook-not-called` for
 * `processToolResult`, which only `guardTools` calls.
 *
 * @example
 * const { text } = await generateText({ model: withGuards(openai('gpt-5'), moderation), prompt: 'Hello' });
 */
export const withGuards = (model: ModelInstance | string, guards: Guards, options?: GuardOptions): CallableModel => {
  const nextRun = runsOf(guards, 'withGuards', options);
  const guarded = wrapLanguageModel({
    model: instanceOf(model),
    middleware: {
      specificationVersion: 'v4',
      wrapGenerate: ({ model: inner, params }) => {
        const run = nextRun();
        return generate(run, { model: inner, params, mode: 'generate', signal: run.signalWith(params.abortSignal) });
      },
      wrapStream: ({ model: inner, params }) => {
        const run = nextRun();
        return stream(run, { model: inner, params, mode: 'stream', signal: run.signalWith(params.abortSignal) });
      },
    },
  });
  if (isSharedRun(guards)) guards.models.add(guarded);
  return guarded;
};

/** Without `toPrepareStep` the step number is inferred: each call that follows a response is the next step. */
const startCall = async (run: Run, call: ModelCall, sink: PartSink): Promise<GuardedCall> => {
  await start(run);
  if (call.params.tools?.length) checkTools(run);
  run.state.trace?.closeStep();
  const { holdsResult, isAnswered, stepNumber } = run.state;
  run.change({
    holdsResult: holdsResult || call.mode === 'generate', // it is emitted as a whole
    stepNumber: isAnswered && !run.adapters.has('toPrepareStep') ? stepNumber + 1 : stepNumber,
    isAnswered: false,
  });
  await run.state.trace?.begin(call.params.prompt);
  const prompt = (await judgedInput(run, call.params.prompt)) as Prompt; // made of a prompt
  if (!run.adapters.has('toPrepareStep')) run.state.trace?.enter('step.preparing');
  const guarded = callGuarded(run, await guardCallStep(run, { ...call, params: { ...call.params, prompt } }), sink);
  if (endsItself(run))
    guarded.over.then(
      () => (run.owner === 'application' && run.state.judgeLast ? undefined : run.state.trace?.endCalls()),
      (error: unknown) => run.state.trace?.endCalls({ error }),
    );
  return guarded;
};

/** Whether the trace of a run ends with its last answer: it may have no other end. */
const endsItself = ({ owner, adapters }: Run): boolean =>
  owner === 'model' || (owner === 'application' && !adapters.has('toStreamTransform'));

const generate = async (run: Run, call: ModelCall): Promise<GenerateResult> => {
  const parts: StreamPart[] = [];
  const guarded = await startCall(run, call, { send: (part) => void parts.push(part), drain: () => undefined });
  await guarded.over;
  const gathering = createGathering();
  let warnings: GenerateResult['warnings'] = [];
  let metadata: object = {};
  let finish: PartOf<'finish'> | undefined;
  for (const part of parts) {
    if (part.type === 'error') throw part.error;
    if (part.type === 'stream-start') ({ warnings } = part);
    else if (part.type === 'response-metadata') metadata = withoutType(part);
    else if (part.type === 'finish') finish = part;
    else gathering.add(part);
  }
  const { finishReason, usage, providerMetadata } = finish ?? finishFor('other'); // every response has one; otherwise there is an error part
  const { request, response } = await reportOf(run, guarded);
  const { content } = gathering;
  const all = [...timeoutWarnings(run), ...warnings];
  return { content, finishReason, usage, providerMetadata, warnings: all, request, response: { ...response, ...metadata } };
};

/** The AI SDK's warnings about timeouts that the run has taken from its settings, once in a run. */
const timeoutWarnings = (run: Run): GenerateResult['warnings'] => {
  const { chunkTimeouts = {} } = run.state;
  run.change({ chunkTimeouts: undefined });
  const details = (name: string) => `The ${name} timeout is only supported by streaming functions.`;
  return (['firstChunkMs', 'chunkMs'] as const)
    .filter((name) => chunkTimeouts[name] !== undefined)
    .map((name) => ({ type: 'unsupported', feature: `timeout.${name}`, details: details(name) }));
};

const withoutType = ({ type: _type, ...rest }: PartOf<'response-metadata'>): object => rest;

/** Metadata of the call. The provider's raw body is omitted after an edit, because it contains the text that guards removed. */
const reportOf = async (run: Run, { reply, isUnedited }: GuardedCall): Promise<Pick<GenerateResult, 'request' | 'response'>> => {
  const { body, ...rest } = fieldsIn(reply.response);
  const isWhole = body === undefined || !guardsOutput(run) || (isUnedited() && (await isCleanRecord(run, body)));
  const response = isWhole ? reply.response : rest;
  return { request: reply.request, response } as Pick<GenerateResult, 'request' | 'response'>; // the provider's own
};

const stream = async (run: Run, call: ModelCall): Promise<StreamResult> => {
  const reading = new AbortController();
  const { parts, sink, close, fail } = openStream((reason) => reading.abort(reason));
  const guarded = await startCall(run, { ...call, signal: anySignal([call.signal, reading.signal]) }, sink);
  guarded.over.then(close, fail);
  if (!(await guarded.opened)) await guarded.over; // rejects with the reason
  const { request, response } = await reportOf(run, guarded);
  return { stream: parts, request, response };
};

/** A stream of emitted parts; their writer waits for the reader. */
const openStream = (onCancel: (reason: unknown) => void) => {
  let controller: ReadableStreamDefaultController<StreamPart> | undefined; // undefined after the end
  let isDraining = false;
  let space: PromiseWithResolvers<void> | undefined;
  const freeWriter = (): void => {
    space?.resolve();
    space = undefined;
  };
  const parts = new ReadableStream<StreamPart>(
    {
      start: (own) => void (controller = own),
      pull: freeWriter,
      cancel: (reason) => {
        controller = undefined;
        freeWriter();
        onCancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
  const sink: PartSink = {
    send: (part) => {
      controller?.enqueue(part);
      const isRead = !controller || Number(controller.desiredSize) >= 0;
      return isRead || isDraining ? undefined : (space ??= Promise.withResolvers()).promise;
    },
    drain: () => {
      isDraining = true;
      freeWriter();
    },
  };
  const close = (): void => {
    controller?.close();
    controller = undefined;
  };
  /** The error that guards end the run with is the last part; another one is that of the provider's stream. */
  const fail = (error: unknown): void => {
    if (!isStopError(error)) controller?.error(error);
    else {
      void sink.send({ type: 'error', error });
      close();
    }
  };
  return { parts, sink, close, fail };
};
