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
   * Every verdict other than `pass` that its hooks may return. A guard that requests a retry, and blocks when none is left,
   * decides `retry`.
   */
  readonly decides?: readonly ('trip' | 'retry' | 'edit')[];
  /**
   * Whether the stream hook judges every chunk by itself: a value that is cut over two chunks is not seen, and a model behind the
   * hook is asked for each chunk. Such a guard needs a window.
   */
  readonly judgesEachChunk?: boolean;
  /**
   * Whether it passes content that it could not judge: it catches the failure of its model or service, so that callers cannot
   * distinguish the failure from a verdict.
   */
  readonly passesOnFailure?: boolean;
  /**
   * Whether its `processToolResult` judges a text like any other result. It then also judges the error message of a failing
   * tool, in the place of the result. Other guards judge only results, as in Mastra.
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
