import { MessageList } from '@mastra/core/agent/message-list';
import { RequestContext } from '@mastra/core/request-context';
import type { Work } from '../case.js';
import { streamGuards } from '../guards.js';
import { benchModel, textAnswer, type BenchModel, type Part } from '../model.js';
import { countDeltas } from './count-deltas.js';

/** The provider's stream of an answer, opened anew for each run. */
export const source = (chunks: number): (() => ReadableStream<Part>) => {
  const answer = textAnswer(chunks);
  return benchModel(() => answer).open;
};

/** Reading the provider's stream and nothing else: what every other line contains. */
export const readOnly = (chunks: number): Work => {
  const open = source(chunks);
  return () => countDeltas(open());
};

/** Whatever the functions leave of a chunk. */
type Judge = (chunk: Part) => Promise<unknown>;

/** The functions of the guards awaited one after another, with the arguments that a stream hook gets, handed over by hand. */
const byHand = (guards: number): (() => Judge) => {
  const functions = streamGuards(guards);
  return () => {
    const messageList = new MessageList();
    const requestContext = new RequestContext();
    const { signal: abortSignal } = new AbortController();
    const abort = (reason?: string): never => {
      throw new Error(reason);
    };
    const kept = functions.map(({ processOutputStream }) => ({
      judge: processOutputStream,
      state: {},
      streamParts: [] as unknown[],
    }));
    const common = { tracingContext: undefined, writer: undefined, agent: undefined };
    const { tracingContext, writer, agent } = common;
    return async (chunk) => {
      let part: unknown = chunk;
      for (const { judge, state, streamParts } of kept) {
        streamParts.push(part);
        const call = {
          part,
          streamParts,
          messageList,
          state,
          abort,
          retryCount: 0,
          requestContext,
          tracingContext,
          writer,
          abortSignal,
          agent,
        };
        part = await judge(call as never); // what a pass-through function needs of a hook's arguments
      }
      return part;
    };
  };
};

/** The plain loop over the same functions. */
export const plainLoop =
  (guards: number) =>
  (chunks: number): Work => {
    const open = source(chunks);
    const begin = byHand(guards);
    return async () => {
      const judge = begin();
      let seen = 0;
      for await (const chunk of open()) {
        const part = (await judge(chunk)) as Part;
        if (part.type === 'text-delta') seen += 1;
      }
      return seen;
    };
  };

/** Streams an answer of a model through so many functions. */
export const stream = (guards: number) => {
  const begin = byHand(guards);
  return async function* ({ open }: BenchModel): AsyncGenerator<Part> {
    const judge = begin();
    for await (const chunk of open()) yield (await judge(chunk)) as Part;
  };
};

/** The plain loop behind one more stream, as whoever hands chunks on needs it. */
export const rewrappedLoop =
  (guards: number) =>
  (chunks: number): Work => {
    const open = source(chunks);
    const begin = byHand(guards);
    return () => {
      const judge = begin();
      const reader = open().getReader();
      const pull = async (controller: ReadableStreamDefaultController<Part>) => {
        const { done, value } = await reader.read();
        if (done) controller.close();
        else controller.enqueue((await judge(value)) as Part);
      };
      return countDeltas(new ReadableStream<Part>({ pull }, { highWaterMark: 0 }));
    };
  };
