import type { Processor as MastraProcessor } from '@mastra/core/processors';

/** A guard: an id, and a method for each hook. The type is Mastra's own if `@mastra/core` is installed. */
export type Processor<Id extends string = string, Metadata = unknown> = MastraProcessor<Id, Metadata>;

/**
 * Facts about a processor that its author declares in `traits`, for `verify`. Omitted facts are unknown; `verify` concludes
 * nothing from them.
 *
 * @example
 * const calm = defineProcessor({
 *   id: 'calm',
 *   traits: { decides: ['retry'] },
 *   processOutputStep: ({ text = '', messages, abort }) =>
 *     /[a-z]/.test(text) ? messages : abort('Do not shout.', { retry: true }),
 * });
 */
export interface GuardTraits {
  /**
   * Every verdict other than `pass` that its hooks may return. A guard that requests a retry, and blocks when none is left,
   * decides `retry`.
   */
  readonly decides?: readonly ('trip' | 'retry' | 'edit')[];
  /**
   * Whether the stream hook judges every chunk by itself: it then misses a value that spans two chunks, and calls its model for
   * each chunk. Such a guard needs a window.
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
   * Whether its stream hook checks all that its later hooks check: under `hold: 'auto'` content need not wait for those. Without a
   * stream hook it has no effect.
   */
  readonly checksStream?: boolean;
  /**
   * Whether it counts or measures, and reads no content: a limit of steps, tokens or cost. If it blocks the prompt of a later step,
   * memory and the page keep the step before; a block of another guard rejects it.
   */
  readonly ignoresContent?: boolean;
  /**
   * Whether its hooks work on any host: of `messageList` they use what docs/reference/phases.md lists, they send no signals, and
   * they rethrow errors of `abort` of any class. If all guards of a run in the AI SDK declare it, `@mastra/core` is not loaded.
   */
  readonly portable?: boolean;
}
