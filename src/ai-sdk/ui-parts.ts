import type { TextStreamPart, ToolSet, UIMessageChunk } from 'ai';
import { isStopError } from './stop-errors.js';
import { withStops } from './stop-parts.js';
import { wrapField } from './watch-readers.js';

type Part = TextStreamPart<ToolSet>;
type Finish = Extract<Part, { type: 'finish' }>;

/** The fields that `createAgentUIStream` passes to an agent's `stream`, whether or not they have a value. */
const fields = ['prompt', 'options', 'abortSignal', 'timeout', 'experimental_sandbox', 'experimental_transform', 'onStepEnd'];

/**
 * Whether `createAgentUIStream`, `createAgentUIStreamResponse` or `pipeAgentUIStreamToResponse` made a call. They make UI messages of the
 * result's stream themselves, and read nothing else of the result.
 */
export const isUICall = (call: object): boolean => fields.every((name) => Object.hasOwn(call, name));

/** A result whose stream has the parts of a stop instead of its error. */
export const withStopParts = <Result extends object>(result: Result): Result => {
  wrapField(result, 'stream', (stream) =>
    withStops<Part>(stream as ReadableStream<Part>, {
      stopOf: (part) => (part.type === 'error' && isStopError(part.error) ? part.error : undefined),
      itemOf: asPassedOn,
      errorOf: (error) => ({ type: 'error', error }),
      finish: [finish],
    }),
  );
  return result;
};

/**
 * A chunk of a UI message as a part. The AI SDK converts each part to a new chunk of a known type, except `abort` parts, which it passes
 * on: so this is an `abort` part in the turn in which it is converted, and the chunk after it.
 */
const asPassedOn = (chunk: UIMessageChunk): Part => {
  const part = { ...chunk };
  const field = { enumerable: true, configurable: true } as const;
  const become = () => Object.defineProperty(part, 'type', { ...field, value: chunk.type, writable: true });
  const get = () => {
    queueMicrotask(become);
    return 'abort';
  };
  return Object.defineProperty(part, 'type', { ...field, get }) as Part; // see above
};

/** Nothing is known of the usage. */
const finish: Finish = {
  type: 'finish',
  finishReason: 'other',
  rawFinishReason: undefined,
  totalUsage: {
    inputTokens: undefined,
    inputTokenDetails: { noCacheTokens: undefined, cacheReadTokens: undefined, cacheWriteTokens: undefined },
    outputTokens: undefined,
    outputTokenDetails: { textTokens: undefined, reasoningTokens: undefined },
    totalTokens: undefined,
  },
};
