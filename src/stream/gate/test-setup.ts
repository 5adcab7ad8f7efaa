import type { Processor } from '@mastra/core/processors';
import type { Pattern, TextSpan } from '../../guard/pattern.js';

import { toGraph, type PipelineStep } from '../../mastra/graph/to-graph.js';
import type { RunScope } from '../../phase/scope.js';
import { createScope } from '../../phase/test-setup.js';
import { planStream } from '../../pipeline/stream-plan.js';
import type { Chunk } from './chunk.js';
import { createStreamGate, type StreamGate } from './stream-gate.js';

// --- Guards. ---

const findAll =
  (regex: RegExp) =>
  (text: string, from: number): TextSpan[] => {
    const spans: TextSpan[] = [];
    const pattern = new RegExp(regex, 'g');
    pattern.lastIndex = from;
    for (let match = pattern.exec(text); match; match = pattern.exec(text))
      spans.push({ start: match.index, end: match.index + match[0].length });
    return spans;
  };

/** The index where a run of such characters at the end of a text starts. */
const openRun =
  (regex: RegExp) =>
  (text: string, from: number): number => {
    let at = text.length;
    while (at > from && regex.test(text.charAt(at - 1))) at -= 1;
    return at;
  };

const blocked = (): never => {
  throw new Error('A pattern without a strategy was asked.');
};

/** Patterns of several kinds, with and without an `open` function. */
export const patterns = {
  email: {
    maxLength: 40,
    find: findAll(/[\w.+-]{1,15}@[a-z-]{1,15}\.[a-z]{2,8}(?![a-z])/),
    open: openRun(/[\w.+@-]/),
    replace: blocked,
  },
  /** Also matches digits grouped by spaces; without `open`. */
  card: { maxLength: 19, find: findAll(/(?<!\d)\d{4}( ?\d{4}){3}(?!\d)/), replace: blocked },
  /** At most twelve letters; buffered for every text that ends in letters. */
  word: { maxLength: 12, lookbehind: 1, lookahead: 1, find: findAll(/\bsecret\w{0,6}\b/), replace: blocked },
  /** Of any length. */
  block: { maxLength: 'part', find: findAll(/BEGIN[\s\S]*?END/), replace: blocked },
} as const satisfies Record<string, Pattern>;

/** A guard with a pattern: it replaces its matches, or blocks on them. */
export const patternGuard = (pattern: Pattern, strategy: 'replace' | 'block', id = 'pattern'): Processor =>
  Object.assign({ id, processOutputStream: async ({ part }) => part } satisfies Processor, {
    window: {
      pattern: {
        ...pattern,
        replace: (_value, { context }) => (strategy === 'block' ? context.abort('No such value.') : `[${id}]`),
      } satisfies Pattern,
    },
  });

// --- Chunks. ---

export const delta = (text: string, id = 'one'): Chunk => ({ type: 'text-delta', payload: { id, text } });
export const thought = (text: string, id = 'one'): Chunk => ({ type: 'reasoning-delta', payload: { id, text } });
export const border = (type: 'text-start' | 'text-end' | 'reasoning-start' | 'reasoning-end', id = 'one'): Chunk => ({
  type,
  payload: { id },
});
export const source: Chunk = { type: 'source', payload: { id: 'source', url: 'urn:0' } };
export const finish: Chunk = { type: 'finish', payload: {} };
export const argsDelta = (argsTextDelta: string, toolCallId = 'call'): Chunk => ({
  type: 'tool-call-delta',
  payload: { toolCallId, argsTextDelta },
});
export const call = (args: unknown, toolCallId = 'call'): Chunk => ({
  type: 'tool-call',
  payload: { toolCallId, toolName: 'note', args },
});
/** A text in pieces. */
export const textOf = (pieces: readonly string[], id = 'one'): Chunk[] => [
  border('text-start', id),
  ...pieces.map((piece) => delta(piece, id)),
  border('text-end', id),
];

// --- The gate. ---

interface OpenGate {
  readonly gate: StreamGate;
  /** The emitted chunks, in order. */
  readonly emitted: Chunk[];
  readonly scope: ReturnType<typeof createScope>;
}

interface GateSetup {
  readonly maxHeldChars?: number;
  readonly scope?: Partial<RunScope>;
  readonly release?: (chunk: Chunk) => void | Promise<void>;
}

/** A gate for guards, created as an agent creates it. */
export const openGate = (guards: readonly PipelineStep[], { maxHeldChars, scope: own, release }: GateSetup = {}): OpenGate => {
  const { stretches } = planStream(toGraph(guards, 'lane')) ?? {};
  if (!stretches) throw new Error('None of the guards has a window.');
  const emitted: Chunk[] = [];
  const scope = createScope(own);
  const gate = createStreamGate({
    segments: stretches,
    scope,
    payloadOf: (part) => ({ phase: 'outputStream', part, streamParts: [], state: {} }),
    release: (chunk) => {
      emitted.push(chunk);
      return release?.(chunk);
    },
    maxHeldChars,
  });
  return { gate, emitted, scope };
};

/** All emitted chunks after the end of input, and the stop, if any. */
export const sendAll = async (guards: readonly PipelineStep[], chunks: readonly Chunk[], setup?: GateSetup) => {
  const opened = openGate(guards, setup);
  for (const chunk of [...chunks, finish]) {
    await opened.gate.push(chunk);
    if (opened.gate.stopped) break;
  }
  await opened.gate.idle();
  return { ...opened, stopped: opened.gate.stopped };
};

/** The joined emitted text, by part. */
export const texts = (chunks: readonly Chunk[]): Record<string, string> => {
  const joined: Record<string, string> = {};
  for (const { type, payload } of chunks) {
    const { id, text } = payload as { id?: string; text?: string };
    if (text !== undefined) joined[`${type.split('-')[0]} ${id}`] = (joined[`${type.split('-')[0]} ${id}`] ?? '') + text;
  }
  return joined;
};

/** The emitted texts, one by one. */
export const pieces = (chunks: readonly Chunk[]): string[] =>
  chunks.flatMap(({ payload }) => (payload as { text?: string }).text ?? []);
