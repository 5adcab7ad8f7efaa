import type { Processor } from '@mastra/core/processors';

/**
 * What cannot be seen by looking at a processor: facts that its author states, for `verify` to read. Carried by the processor as
 * `traits`; what is left out is not known, and nothing is concluded from it.
 *
 * @example
 * const calm = defineProcessor({
 *   id: 'calm',
 *   traits: { decides: ['retry'] },
 *   processOutputStep: ({ text = '', messages, abort }) => (/[a-z]/.test(text) ? messages : abort('Do not shout.', { retry: true })),
 * });
 */
export interface GuardTraits {
  /**
   * Every verdict beside `pass` that its hooks may give. A guard that asks for a retry, and blocks where none is left, decides
   * `retry`.
   */
  readonly decides?: readonly ('trip' | 'retry' | 'edit')[];
  /**
   * Whether the stream hook judges every chunk by itself: a value that is cut over two chunks is not seen, and a model behind the
   * hook is asked for each chunk. Such a guard needs a window.
   */
  readonly judgesEachChunk?: boolean;
  /**
   * Whether it passes what it could not judge: it catches the failure of the model or service behind it, so that nobody outside can tell
   * that from a verdict.
   */
  readonly passesOnFailure?: boolean;
  /**
   * Whether its `processToolResult` judges a text as well as any other result, so that it is also asked about what a failing tool says: the
   * message of its error then stands in for the result. Others are asked about results alone, as in Mastra.
   */
  readonly judgesErrors?: boolean;
  /**
   * Whether its hooks work on any host: of `messageList` they use what docs/guide/portable.md lists, they send no signals, and they let
   * pass what `abort` throws, whatever its class. Where all guards of a run in the AI SDK say so, `@mastra/core` is not loaded.
   */
  readonly portable?: boolean;
}

/** A processor that says of itself what cannot be seen. */
export interface DeclaredProcessor extends Processor {
  readonly traits?: GuardTraits;
}
