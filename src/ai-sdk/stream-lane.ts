import type { MessageList } from '@mastra/core/agent/message-list';
import { isPromise, type Awaitable } from '../phase/awaitable.js';
import type { PhaseData } from '../phase/row.js';
import { isSame } from '../pipeline/plain-data.js';
import type { Verdict } from '../verdict.js';
import type { ChunkCodec } from './chunks.js';
import { settle } from './judge.js';
import type { Run } from './run.js';
import type { Chunk } from './spec.js';

/** What the stream's guards made of a part: the parts that may leave, or the wish for another attempt. */
export type Passed<Part> =
  { readonly parts: readonly Part[]; readonly again?: undefined } | { readonly parts?: undefined; readonly again: string };

/** The one place where parts of a stream go through its guards. */
export interface StreamLane<Part> {
  /** Takes the next part. Throws what ends the run. */
  push(part: Part): Awaitable<Passed<Part>>;
}

export interface LaneOptions<Part> {
  readonly codec: ChunkCodec<Part>;
  readonly messageList?: MessageList;
  /** Whether another attempt could be made now. */
  mayRetry(): boolean;
}

type Data = PhaseData<'outputStream'>;

/** The lane of one attempt; every processor's account of the chunks goes on through the run. */
export const createStreamLane = <Part extends { type: string }>(run: Run, options: LaneOptions<Part>): StreamLane<Part> => {
  if (!run.plan.has('outputStream')) return { push: (part) => ({ parts: [part] }) };
  const { codec, messageList, mayRetry } = options;
  const payload: Data = { phase: 'outputStream', part: null, streamParts: [], state: {}, messageList };
  const passed = (part: Part, chunk: Chunk, verdict: Verdict<Data>): Passed<Part> => {
    const judged = settle(run, payload, { verdict, mayRetry: mayRetry() });
    if (judged.again !== undefined) return judged;
    const left = verdict.kind === 'edit' ? (judged.data.part as Chunk | null | undefined) : chunk; // as the row reads it
    return { parts: left ? partsOf(codec, part, left) : [] };
  };
  return {
    push: (part) => {
      const chunk = codec.toChunk(part, run.id);
      if (!chunk) return { parts: [part] };
      payload.part = chunk;
      const verdict = run.plan.run('outputStream', payload, run.scope);
      return isPromise(verdict) ? verdict.then((given) => passed(part, chunk, given)) : passed(part, chunk, verdict);
    },
  };
};

/** A chunk that says what the part said is the part that came; hooks may also have changed it in place. */
const partsOf = <Part extends { type: string }>(codec: ChunkCodec<Part>, part: Part, left: Chunk): readonly Part[] => {
  const given = codec.toChunk(part, '');
  if (left.type === given?.type && isSame(left.payload, given.payload)) return [part];
  if (left.type === 'finish') return given?.type === 'finish' ? [part] : []; // how a call finished is not a guard's to say
  const made = codec.toPart(left);
  return made ? [made] : [];
};
