import { partOf, type TraceWriter } from '../trace/trace-writer.js';
import { createPartIds, idsOf, partIdOf } from './part-ids.js';
import { isChunk } from './emit.js';
import type { Chunk, LoopPorts, ModelRequest, ModelResponse, ToolRequest } from './ports.js';
import type { ToolOutcome } from './tool-call.js';
import type { Run } from './run.js';
import { fieldsIn } from '../phase/plain-data.js';

/** The run whose ports are recorded. */
interface RecordedRun {
  readonly runId: string;
  readonly writer: TraceWriter;
  /** The run, which has started when its model is called. */
  readonly runOf: () => Run | undefined;
  /** Called once a provider has started to respond. */
  readonly onOpened: () => void;
  /** Called before the outcome of a tool is recorded. */
  readonly onToolEnd: (outcome: ToolOutcome) => Promise<void>;
}

/** Ports that record all their input. Everything that a run gets from outside comes through them. */
export const recordPorts = (ports: LoopPorts, recorded: RecordedRun): LoopPorts => {
  const { writer } = recorded;
  let calls = 0;
  return {
    ...ports,
    callModel: async (request) => {
      const call = calls;
      calls += 1;
      writePrompt(writer, call, request);
      try {
        const response = await ports.callModel(request);
        writeOpened(writer, call, response);
        recorded.onOpened();
        return { ...response, parts: partsOf(response.parts, { ...recorded, ports, call, request }) };
      } catch (error) {
        if (!request.abortSignal.aborted) writeEnded(writer, call, { error }); // an aborted call fails only because of the abort
        throw error;
      }
    },
    toChunk: (chunk) => chunk as Chunk, // already converted, see partsOf
    runTool: async (request) => {
      const write: ToolRequest['write'] = (chunk) => {
        const { toolCallId } = request.call;
        writer.write({ kind: 'wrote', ...writer.place, toolCallId, part: partOf(chunk, undefined), chunk: writer.plain(chunk) });
        return request.write(chunk);
      };
      try {
        const outcome = await ports.runTool({ ...request, write });
        await recorded.onToolEnd(outcome);
        writeTool(writer, request, outcome);
        return outcome;
      } catch (error) {
        writeTool(writer, request, { kind: 'thrown', error });
        throw error;
      }
    },
    needsApproval: async (request) => {
      const isNeeded = await ports.needsApproval(request);
      writer.write({ kind: 'approval', ...writer.place, toolCallId: request.call.toolCallId, isNeeded });
      return isNeeded;
    },
    shouldStop: async (...ended) => {
      const holds = await ports.shouldStop(...ended);
      writer.write({ kind: 'stop-condition', ...writer.place, holds });
      return holds;
    },
    ...(ports.afterStep && { afterStep: recordAfterStep(ports.afterStep, writer) }),
  };
};

const recordAfterStep =
  (callHook: NonNullable<LoopPorts['afterStep']>, writer: TraceWriter): LoopPorts['afterStep'] =>
  async (ended) => {
    const ruling = await callHook(ended);
    const { shouldContinue: goesOn, feedback, chunks } = ruling;
    writer.write({
      kind: 'after-step',
      ...writer.place,
      goesOn,
      ...(feedback !== undefined && { feedback }),
      ...(chunks && { chunks: chunks.map((chunk) => writer.plain(chunk)) }),
    });
    return ruling;
  };

/** The fields of the request besides the prompt; tools by name. */
export const requestFacts = ({
  prompt,
  tools,
  toolChoice,
  activeTools,
  providerOptions,
  modelSettings,
}: ModelRequest): object => ({
  prompt,
  tools: Object.keys(tools ?? {}).toSorted(),
  toolChoice,
  activeTools,
  providerOptions,
  modelSettings: withoutHeaders(modelSettings),
});

/** Settings of a model without headers, which may contain keys. */
export const withoutHeaders = (settings: unknown): object | undefined => {
  if (typeof settings !== 'object' || settings === null) return undefined;
  const { headers: _headers, ...rest } = fieldsIn(settings);
  return rest;
};

const writePrompt = (writer: TraceWriter, call: number, request: ModelRequest): void => {
  const { modelId, provider } = request.entry.model;
  const adds: unknown[] = [];
  const sent = writer.refer(writer.freeze(requestFacts(request)), adds);
  writer.write({ kind: 'prompt', ...writer.place, call, modelId, provider, adds, request: sent });
};

/** Records the provider's response metadata, without headers and the raw request. */
const writeOpened = (writer: TraceWriter, call: number, { response, warnings }: ModelResponse): void => {
  const { headers: _headers, body: _body, ...facts } = fieldsIn(response);
  writer.write({
    kind: 'opened',
    ...writer.place,
    call,
    response: writer.plain(facts),
    ...(warnings && warnings.length > 0 && { warnings: [...writer.plain(warnings)] }),
  });
};

const writeEnded = (writer: TraceWriter, call: number, failed?: { readonly error: unknown }): void =>
  writer.write({
    kind: 'ended',
    ...writer.place,
    call,
    isFailed: failed !== undefined,
    ...(failed && { error: writer.plain(failed.error) }),
  });

interface OpenCall extends RecordedRun {
  readonly request: ModelRequest;
  readonly ports: LoopPorts;
  readonly call: number;
}

/** The provider's stream as chunks, each recorded as it comes; pulled on demand, like the provider's own. A canceled one has no recorded end. */
const partsOf = (parts: ModelResponse['parts'], incoming: OpenCall): ReadableStream<unknown> => {
  const { ports, writer, call, runId, request } = incoming;
  const reader = parts.getReader();
  const recordChunk = recordIncoming(incoming);
  let isCanceled = false;
  const next = async (): Promise<Chunk | undefined> => {
    for (;;) {
      const { done, value } = await reader.read();
      const chunk = done ? undefined : ports.toChunk(value, runId);
      if (done || chunk) return chunk;
    }
  };
  const pull = async (controller: ReadableStreamDefaultController<unknown>): Promise<void> => {
    try {
      const chunk = await next();
      if (isCanceled) return;
      if (chunk) recordChunk(chunk);
      else writeEnded(writer, call);
      if (chunk) controller.enqueue(chunk);
      else controller.close();
    } catch (error) {
      if (!request.abortSignal.aborted) writeEnded(writer, call, { error });
      controller.error(error);
    }
  };
  const cancel = (reason: unknown): Promise<void> => {
    isCanceled = true;
    return reader.cancel(reason);
  };
  return new ReadableStream({ pull, cancel }, { highWaterMark: 0 });
};

/** The chunk of a call with the arguments that its guards get: a replay has no tools to make them. A rejected one is rejected again. */
const withMadeCall = (chunk: Chunk, { ports, request }: OpenCall): Chunk => {
  if (!ports.makeCall || !isChunk(chunk, 'tool-call') || chunk.payload.providerExecuted) return chunk;
  const { args, refusal } = ports.makeCall({ call: chunk.payload, settings: request });
  return { ...chunk, payload: { ...chunk.payload, args: refusal ? refusedArguments : args } };
};

/** The ids of a run, for ids that are not assigned in it. */
const idsLike = (run: Run): ReturnType<typeof idsOf> => {
  const { used, given, isOpen } = idsOf(run);
  return { used: new Set(used), given: new Map(given), isOpen };
};

const recordIncoming = (incoming: OpenCall): ((chunk: Chunk) => void) => {
  const { writer, call, runOf } = incoming;
  let withUniqueId: ReturnType<typeof createPartIds> | undefined;
  return (given) => {
    const chunk = withMadeCall(given, incoming);
    const run = runOf();
    withUniqueId ??= run && createPartIds(idsLike(run)); // the ids that the loop will assign
    const named = withUniqueId?.(chunk);
    const part = partOf(chunk, named && partIdOf(named));
    const { runId: _runId, ...own } = chunk;
    writer.write({ kind: 'came', ...writer.place, call, part, chunk: writer.plain(own) });
  };
};

/** A tool that throws past its outcome fails the run. */
type RecordedOutcome = ToolOutcome | { readonly kind: 'thrown'; readonly error: unknown };

const writeTool = (writer: TraceWriter, { call, abortSignal }: ToolRequest, outcome: RecordedOutcome): void => {
  const { toolCallId, toolName, args } = call;
  const { kind: ended, ...rest } = outcome;
  const recordable = 'suspension' in rest ? { suspension: { ...rest.suspension, rested: undefined } } : rest; // a run's state is no part of a trace
  const plain = { args: writer.plain(args), outcome: writer.plain(recordable) };
  writer.write({
    kind: 'tool',
    ...writer.place,
    toolCallId,
    toolName,
    ended,
    ...(abortSignal.aborted && { isAborted: true }),
    ...plain,
  });
};

/** Rejected arguments for a record, which may have no key `__proto__` and repeats no content. */
const refusedArguments = { constructor: null } as const;
