import type { Processor } from '@mastra/core/processors';
import { pass } from '../../verdict.js';
import { missingInChunk } from '../missing-content.js';
import { isSame } from '../plain-data.js';
import { definePhase, type HookContext, type PhaseData } from '../row.js';
import type { ProcessorSlot } from '../scope.js';
import { describeValue, invalidResult, throwIfMissing } from '../settle-messages.js';

type Data = PhaseData<'outputStream'>;
/** Mastra's arguments of the hook, and the additional context, see {@link HookContext}. */
type StreamArgs = Parameters<NonNullable<Processor['processOutputStream']>>[0] & Pick<HookContext, 'heedsRulings'>;
type Chunk = Parameters<NonNullable<Processor['processOutputStream']>>[0]['part'];

/** `processOutputStream`: each chunk of the model's response; null or undefined drops the chunk. */
export const outputStream = definePhase({
  phase: 'outputStream',
  hook: 'processOutputStream',
  cadence: 'chunk',
  lane: 'output',
  retryLeadsTo: 'step',
  loopState: 'step.calling',
  title: 'Output stream',
  merge: { copied: ['part'] },
  skips: ({ part }, processor) =>
    part === null || part === undefined || (!processor.processDataParts && (part as Chunk).type.startsWith('data-')),
  // Called for every chunk: listing the arguments costs a tenth of spreading the context.
  invoke: ({ processor, data, context, slot }) =>
    processor.processOutputStream({
      part: data.part as Chunk, // validated at the edge; inside, a chunk of the loop
      streamParts: chunksSoFar(data, slot),
      messageList: data.messageList,
      state: context.state,
      abort: context.abort,
      retryCount: context.retryCount,
      requestContext: context.requestContext,
      tracingContext: context.tracingContext,
      writer: context.writer,
      abortSignal: context.abortSignal,
      agent: context.agent,
      heedsRulings: context.heedsRulings,
    } as StreamArgs),
  settle: (returned, { data, processorId }) => {
    if (returned === null || returned === undefined)
      return data.part === returned ? pass : { kind: 'edit', data: { ...data, part: null } };
    if (typeof (returned as { type?: unknown }).type !== 'string')
      throw invalidResult(data, processorId, {
        detail: `it returned ${describeValue(returned)}, expected a chunk, null or nothing.`,
      });
    throwIfMissing(missingInChunk(returned, 'part'), data, processorId);
    return isSame(returned, data.part) ? pass : { kind: 'edit', data: { ...data, part: returned } };
  },
});

/** Each processor's own list of its chunks so far; it starts with those of a payload from outside. */
const chunksSoFar = ({ part, streamParts }: Data, { streamParts: own }: ProcessorSlot): Chunk[] => {
  if (own.length === 0 && streamParts.length > 0) own.push(...streamParts.filter((earlier) => earlier !== part));
  own.push(part);
  return own as Chunk[]; // as `part`
};
