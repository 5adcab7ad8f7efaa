import { pass } from '../../verdict.js';
import { definePhase } from '../row.js';
import { describeValue, invalidResult } from '../settle-messages.js';

type Chunk = { type: string };

/** `processOutputStream`: each chunk of the model's answer; null or undefined drops the chunk. */
export const outputStream = definePhase({
  phase: 'outputStream',
  hook: 'processOutputStream',
  cadence: 'chunk',
  lane: 'output',
  retryLeadsTo: 'step',
  title: 'Output stream',
  skips: ({ part }, processor) =>
    part === null || part === undefined || (!processor.processDataParts && (part as Chunk).type.startsWith('data-')),
  invoke: ({ processor, data, context, scope }) => {
    const { streamParts } = scope.slot(processor.id);
    streamParts.push(data.part);
    return processor.processOutputStream({
      part: data.part as never, // checked by the schema at the edge, a chunk of the loop inside
      streamParts: streamParts as never,
      messageList: data.messageList,
      state: context.state,
      abort: context.abort,
      retryCount: context.retryCount,
      requestContext: context.requestContext,
      tracingContext: context.tracingContext,
      writer: context.writer,
      abortSignal: context.abortSignal,
      agent: context.agent,
    });
  },
  settle: (returned, { data, processorId }) => {
    if (returned === data.part) return pass;
    if (returned === null || returned === undefined) return { kind: 'edit', data: { ...data, part: null } };
    if (typeof returned !== 'object' || typeof (returned as Chunk).type !== 'string')
      throw invalidResult(data, processorId, `it returned ${describeValue(returned)}, expected a chunk, null or nothing.`);
    return { kind: 'edit', data: { ...data, part: returned } };
  },
});
