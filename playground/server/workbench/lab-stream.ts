import { setImmediate as nextTurn } from 'node:timers/promises';
import { diffChars } from 'diff/lib/diff/character.js';
import type { Chunk } from '../../../src/stream/gate/chunk.js';
import { createStreamGate, type StreamGate } from '../../../src/stream/gate/stream-gate.js';
import { compileGraph } from '../../../src/pipeline/compile.js';
import type { SequenceNode } from '../../../src/pipeline/graph.js';
import { planStream, type StreamSegment } from '../../../src/pipeline/stream-plan.js';
import type { Stop } from '../../../src/verdict.js';
import type { LabEmission, LabRun, LabStream } from '../../protocol/workbench.js';
import { createBench, longestTryMs } from '../../../src/eval/bench-scope.js';

type Kind = LabStream['kind'];

/** Sends a stream through the gate of a pipeline, piece by piece: the next one follows once no guard is at work. */
export const runLabStream = async (
  graph: SequenceNode,
  kind: Kind,
  { chunks, window }: Pick<LabRun, 'chunks' | 'window'>,
): Promise<LabRun> => {
  const bench = createBench(AbortSignal.timeout(longestTryMs));
  const lab = openLab(stretchesOf(graph, window), bench);
  const steps: { readonly pushed?: string; readonly emitted: string; readonly stop?: Stop }[] = [];
  await lab.send(opening[kind]);
  for (const pushed of chunks) {
    await lab.send([delta[kind](pushed)]);
    steps.push({ pushed, emitted: lab.takeEmitted(), stop: lab.stopped });
    if (lab.stopped) break;
  }
  if (!lab.stopped) {
    await lab.send(closing(kind, chunks.join('')));
    steps.push({ emitted: lab.takeEmitted(), stop: lab.stopped });
  }
  lab.close();
  const output = steps.map(({ emitted }) => emitted).join('');
  const bufferedTexts = bufferedAfter(steps, !lab.stopped);
  const emissions = steps.map(({ stop, ...step }, index): LabEmission => {
    const words = bufferedTexts[index] ?? '';
    return { ...step, held: words, heldChars: Array.from(words).length, ...(stop && { stop: stopOf(stop) }) };
  });
  return { chunks, emissions, output, ...(window !== undefined && { window }), events: bench.events() };
};

const stopOf = (stop: Stop): NonNullable<LabEmission['stop']> => ({
  processorId: stop.processorId,
  kind: stop.kind,
  reason: stop.kind === 'unavailable' ? String(stop.error instanceof Error ? stop.error.message : stop.error) : stop.reason,
});

interface Lab extends Pick<StreamGate, 'close' | 'stopped'> {
  /** Sends chunks, and waits until all releasable text has left. */
  send(chunks: readonly Chunk[]): Promise<void>;
  /** The text that has left since the last call. */
  takeEmitted(): string;
}

const openLab = (segments: readonly StreamSegment[], { scope }: ReturnType<typeof createBench>): Lab => {
  let emitted = '';
  const gate = createStreamGate({
    segments,
    scope,
    payloadOf: (part) => ({ phase: 'outputStream', part, streamParts: [], state: {} }),
    release: (chunk) => void (emitted += wordsOf(chunk)),
  });
  const isDone = () => gate.stopped !== undefined || scope.abortSignal?.aborted === true;
  return {
    send: async (chunks) => {
      for (const chunk of chunks) {
        if (isDone()) return;
        await gate.push(chunk);
        if (chunk.type === 'finish') await gate.idle();
        do await nextTurn();
        while (gate.isBusy && !isDone());
      }
    },
    takeEmitted: () => {
      const taken = emitted;
      emitted = '';
      return taken;
    },
    get stopped() {
      return gate.stopped;
    },
    close: () => gate.close(),
  };
};

/** Without windows, each chunk is judged and leaves before the next, as in the loop. */
const stretchesOf = (graph: SequenceNode, window: LabRun['window']): readonly StreamSegment[] => {
  const plan = compileGraph(graph);
  const whole: StreamSegment = { kind: 'chunks', guard: (data, scope) => plan.run('outputStream', data, scope) };
  return planStream(graph, window)?.stretches ?? [whole];
};

const part = 'lab';

const chunk = (type: string, payload: object): Chunk => ({ type, runId: 'bench', from: 'AGENT', payload }) as Chunk; // Mastra's shape

const delta: Readonly<Record<Kind, (text: string) => Chunk>> = {
  text: (text) => chunk('text-delta', { id: part, text }),
  reasoning: (text) => chunk('reasoning-delta', { id: part, text }),
  'tool-input': (argsTextDelta) => chunk('tool-call-delta', { toolCallId: part, toolName: 'note', argsTextDelta }),
};

const opening: Readonly<Record<Kind, Chunk[]>> = {
  text: [chunk('text-start', { id: part })],
  reasoning: [chunk('reasoning-start', { id: part })],
  'tool-input': [chunk('tool-call-input-streaming-start', { toolCallId: part, toolName: 'note' })],
};

const closing = (kind: Kind, text: string): Chunk[] => {
  const end =
    kind === 'tool-input'
      ? [
          chunk('tool-call-input-streaming-end', { toolCallId: part }),
          chunk('tool-call', { toolCallId: part, toolName: 'note', args: argsOf(text) }),
        ]
      : [chunk(`${kind}-end`, { id: part })];
  return [...end, chunk('finish', {})];
};

const argsOf = (text: string): unknown => {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return {}; // arguments that a recorded stream never finished
  }
};

const wordsOf = ({ payload }: Chunk): string => {
  const { text, argsTextDelta } = (payload ?? {}) as { text?: string; argsTextDelta?: string };
  return text ?? argsTextDelta ?? '';
};

interface Step {
  readonly pushed?: string;
  readonly emitted: string;
}

/** The time limit for the search of edits in long texts, in milliseconds. */
const maxSearchMs = 500;

/**
 * The text that is buffered after each step. The gate emits the guards' version, so the output is aligned with the input: text
 * is buffered as long as no output for it, or for later text, has left. At the end nothing is buffered.
 */
const bufferedAfter = (steps: readonly Step[], isThrough: boolean): string[] => {
  const received = steps.map(({ pushed = '' }) => pushed).join('');
  const reached = alignment(received, steps.map(({ emitted }) => emitted).join(''));
  let [pushed, emitted] = [0, 0];
  return steps.map((step, index) => {
    pushed += step.pushed?.length ?? 0;
    emitted += step.emitted.length;
    return isThrough && index === steps.length - 1 ? '' : received.slice(reached(emitted), pushed);
  });
};

/** Maps a length of output to the length of the input behind it. */
const alignment = (received: string, output: string): ((emitted: number) => number) => {
  const changes = diffChars(received, output, { timeout: maxSearchMs });
  if (!changes) return (emitted) => Math.min(emitted, received.length);
  const stretches: { readonly from: number; readonly to: number; readonly at: number; readonly isSame: boolean }[] = [];
  let [before, after] = [0, 0];
  for (const { added, removed, value } of lateMatches(changes)) {
    if (removed) before += value.length;
    else {
      stretches.push({ from: after, to: after + value.length, at: before, isSame: !added });
      after += value.length;
      if (!added) before += value.length;
    }
  }
  return (emitted) => {
    const last = stretches.findLast(({ from }) => from < emitted);
    if (!last) return 0;
    return last.isSame ? last.at + Math.min(emitted, last.to) - last.from : last.at;
  };
};

type Change = Pick<ReturnType<typeof diffChars>[number], 'added' | 'removed' | 'value'>;

/** The same edit with its matches as late as possible: the full stop after a value, not the one inside it. */
const lateMatches = (changes: readonly Change[]): Change[] => {
  const moved = [...changes];
  for (let index = 1; index + 1 < moved.length; index += 1) {
    const [before, match, removed] = moved.slice(index - 1, index + 2) as [Change, Change, Change]; // there are three
    const isBetween = (before.added || before.removed) && !match.added && !match.removed && removed.removed;
    const both = match.value + removed.value;
    if (!isBetween || !both.endsWith(match.value)) continue;
    moved[index] = { ...removed, value: both.slice(0, -match.value.length) };
    moved[index + 1] = match;
  }
  return moved;
};
