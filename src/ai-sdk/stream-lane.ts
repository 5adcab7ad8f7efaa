import { isPromise, type Awaitable } from '../phase/awaitable.js';
import type { PhaseData } from '../phase/row.js';
import type { MessageList } from '@mastra/core/agent/message-list';
import { isSame } from '../pipeline/plain-data.js';
import type { Verdict } from '../verdict.js';
import { toChunk, toPart } from './chunks.js';
import { settle } from './judge.js';
import type { Run } from './run.js';
import type { Chunk, StreamPart } from './spec.js';

/** What the stream's guards made of a part: the parts that may leave, or the wish for another attempt. */
export type Passed =
  { readonly parts: readonly StreamPart[]; readonly again?: undefined } | { readonly parts?: undefined; readonly again: string };

/** The one place where a model's parts go through the guards of the stream. */
export interface StreamLane {
  /** Takes the model's next part. Throws what ends the run. */
  push(part: StreamPart): Awaitable<Passed>;
}

export interface LaneOptions {
  readonly messageList?: MessageList;
  /** Whether another attempt could be made now. */
  mayRetry(): boolean;
}

type Data = PhaseData<'outputStream'>;

/** The lane of one attempt; every processor's account of the chunks goes on through the run. */
export const createStreamLane = (run: Run, { messageList, mayRetry }: LaneOptions): StreamLane => {
  if (!run.plan.has('outputStream')) return { push: (part) => ({ parts: [part] }) };
  const payload: Data = { phase: 'outputStream', part: null, streamParts: [], state: {}, messageList };
  const passed = (part: StreamPart, chunk: Chunk, verdict: Verdict<Data>): Passed => {
    const judged = settle(run, payload, { verdict, mayRetry: mayRetry() });
    if (judged.again !== undefined) return judged;
    const left = verdict.kind === 'edit' ? (judged.data.part as Chunk | null | undefined) : chunk; // as the row reads it
    return { parts: left ? partsOf(part, left) : [] };
  };
  return {
    push: (part) => {
      const chunk = toChunk(part, run.id);
      if (!chunk) return { parts: [part] };
      payload.part = chunk;
      const verdict = run.plan.run('outputStream', payload, run.scope);
      return isPromise(verdict) ? verdict.then((given) => passed(part, chunk, given)) : passed(part, chunk, verdict);
    },
  };
};

/** A chunk that says what the part said is the part that came; hooks may also have changed it in place. */
const partsOf = (part: StreamPart, left: Chunk): readonly StreamPart[] => {
  const given = toChunk(part, '');
  if (left.type === given?.type && isSame(left.payload, given.payload)) return [part];
  if (left.type === 'finish') return part.type === 'finish' ? [part] : []; // how a call finished is not a guard's to say
  const made = toPart(left);
  return made ? [made] : [];
};
