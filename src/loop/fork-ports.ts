import { stringify } from 'safe-stable-stringify';
import { type Trace, traceOfKind } from '../trace/collect-traces.js';
import { freeze } from '../trace/contents.js';
import { fromPlainJson, toPlainJson } from '../trace/plain-json.js';
import { requestKey, createTape } from '../trace/replay.js';
import type { Chunk, LoopPorts } from './ports.js';
import { requestFacts } from './record-ports.js';
import { endOf, recordedCalls } from './replay-ports.js';

/**
 * The ports of a run that forks from a recorded one. Models and tools repeat their recorded responses while the requests are the same,
 * and are called from the first new request on. Requests that were cut off or failed in the record are made again.
 */
export const forkPorts = (ports: LoopPorts, trace: Trace, runId: string): LoopPorts => {
  const calls = createTape(recordedCalls(trace).filter(({ opened, ended }) => opened && ended && !ended.isFailed));
  const outcomes = createTape(traceOfKind(trace, 'tool').filter(({ ended, isAborted }) => ended !== 'suspended' && !isAborted));
  const recorded = new WeakSet<object>();
  let isLive = false;
  return {
    ...ports,
    callModel: async (request) => {
      const { modelId, provider } = request.entry.model;
      const key = requestKey({ modelId, provider }, freeze(requestFacts(request)));
      const call = isLive ? undefined : calls.take((one) => one.key === key);
      isLive ||= !call;
      if (!call) return ports.callModel(request);
      const chunks = call.chunks.map((chunk): Chunk => ({ ...(fromPlainJson(chunk) as Chunk), runId }));
      for (const chunk of chunks) recorded.add(chunk);
      const parts = ReadableStream.from(chunks);
      return {
        parts,
        response: fromPlainJson(call.opened?.response),
        warnings: fromPlainJson(call.opened?.warnings ?? []) as unknown[],
      };
    },
    toChunk: (part, id) => (recorded.has(part as object) ? (part as Chunk) : ports.toChunk(part, id)), // the recorded ones are chunks
    runTool: async (request) => {
      const { toolCallId, toolName } = request.call;
      const args = stringify(toPlainJson(request.call.args));
      const isSameCall = (one: { toolCallId: string; toolName: string; args?: unknown }): boolean =>
        one.toolCallId === toolCallId && one.toolName === toolName && stringify(one.args) === args;
      const outcome = isLive ? undefined : outcomes.take(isSameCall);
      return outcome ? endOf(outcome, undefined) : ports.runTool(request);
    },
  };
};
