import type { MastraDBMessage } from '@mastra/core/agent/message-list';
import type { Processor } from '@mastra/core/processors';
import { expect, it } from 'vitest';

/** The outcome of a hook: its return value, or the arguments of its abort. */
export interface HookOutcome {
  result?: unknown;
  tripped?: { reason: string; retry?: boolean; metadata?: unknown };
}

type HookName = Extract<keyof Processor, `process${'Input' | 'Output' | 'ToolResult' | 'LLMRequest'}${string}`>;
type Parts = MastraDBMessage['content']['parts'];

/** A message with the texts as its parts, without a flat `content`, as in messages of current Mastra. */
export const message = (role: MastraDBMessage['role'], ...texts: string[]): MastraDBMessage =>
  messageOf(
    role,
    texts.map((text) => ({ type: 'text', text })),
  );

export const messageOf = (role: MastraDBMessage['role'], parts: Parts, more: object = {}): MastraDBMessage => ({
  id: `${role}-${JSON.stringify({ parts }).length}`,
  role,
  createdAt: new Date('2025-01-01T00:00:00Z'),
  content: { format: 2, parts, ...more },
});

export const user = (...texts: string[]): MastraDBMessage => message('user', ...texts);
export const assistant = (...texts: string[]): MastraDBMessage => message('assistant', ...texts);

/** Calls one hook with a minimal context and an `abort` that throws. */
export const callHook = async (guard: Processor, hook: HookName, args: object): Promise<HookOutcome> => {
  const trip = Symbol('trip');
  let tripped: HookOutcome['tripped'];
  const abort = (reason = '', options: object = {}): never => {
    tripped = { reason, ...options };
    throw Object.assign(new Error(reason), { trip });
  };
  const run = guard[hook] as ((args: unknown) => unknown) | undefined; // the hooks' argument types differ
  if (!run) throw new Error(`${guard.id} has no ${hook}`);
  const context = { abort, state: {}, retryCount: 0, messages: [], systemMessages: [], steps: [], ...args };
  try {
    return { result: await run(context) };
  } catch (error) {
    if (tripped && error instanceof Error && 'trip' in error && error.trip === trip) return { tripped };
    throw error;
  }
};

/** A delta of a streamed text, and the other chunks around it. */
export const chunk = {
  start: (id = 't1') => ({ type: 'text-start', payload: { id } }),
  delta: (text: string, id = 't1') => ({ type: 'text-delta', payload: { id, text } }),
  end: (id = 't1') => ({ type: 'text-end', payload: { id } }),
  of: (type: string) => ({ type, payload: {} }),
};

/**
 * Streams chunks through a guard with one state; returns the output and whether it tripped. As in Mastra, dropped chunks
 * do not leave, and a part that the guard sets aside is passed to it again.
 *
 * @param between Awaited after each chunk.
 */
export const streamThrough = async (guard: Processor, chunks: readonly object[], between?: () => Promise<unknown>) => {
  const state: Record<string, unknown> = {};
  const emitted: object[] = [];
  const waiting = [...chunks];
  for (let part = waiting.shift(); part; part = waiting.shift()) {
    const { result, tripped } = await callHook(guard, 'processOutputStream', { part, state, streamParts: [] });
    await between?.();
    if (tripped) return { emitted, tripped };
    if (result) emitted.push(result);
    const next = state['__mastraReprocessPart'] as object | undefined;
    delete state['__mastraReprocessPart'];
    if (next) waiting.unshift(next);
  }
  return { emitted, tripped: undefined };
};

/** The text of the deltas among some chunks, joined. */
export const emittedText = (emitted: readonly object[]): string =>
  emitted.map((part) => (part as Partial<ReturnType<typeof chunk.delta>>).payload?.text ?? '').join('');

/** All ways to cut a text into two, and into single characters. */
export const cutsOf = (text: string): string[][] => [
  ...Array.from({ length: text.length - 1 }, (_, index) => [text.slice(0, index + 1), text.slice(index + 1)]),
  Array.from(text),
];

type Check<Row> = [Row] extends [readonly unknown[]] ? (...row: Row) => unknown : (row: Row) => unknown;

/**
 * One test for a table of data: checks every row and lists the rows that fail. For data, as `it.each` is for cases: `itEvery(rows)('title', check)`.
 * A placeholder such as `%s` or `$name` in the title becomes `…`.
 */
export const itEvery =
  <Row extends [unknown, ...unknown[]] | readonly unknown[] | string | object>(rows: readonly Row[]) =>
  (title: string, check: Check<Row>): void => {
    const name = title.replaceAll(/%[sjdi]|\$\w+/g, '…');
    const checkRow = check as (...cells: readonly unknown[]) => unknown; // an array is the argument list, any other value the only argument
    // eslint-disable-next-line vitest/valid-title -- the title of the caller
    it(name, async () => {
      const misses: string[] = [];
      for (const row of rows)
        try {
          const cells: readonly unknown[] = Array.isArray(row) ? row : [row];
          await checkRow(...cells);
        } catch (error) {
          misses.push(`${JSON.stringify(row)}: ${error instanceof Error ? error.message : String(error)}`);
        }
      expect(rows).not.toHaveLength(0);
      expect(misses).toEqual([]);
    });
  };
