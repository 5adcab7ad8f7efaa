import { writeSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';

import { z } from 'zod';

import { isInterlockError, type InterlockAgent, type InterlockResult } from '../../src/index.js';
import type { Durable, Engine } from '../../src/engine.js';
import { holds, type Hold } from './clerk.js';
import { prompts, type SinkEffect } from './outside.js';

/** The orders for a process that follows many concurrent runs to their ends, and starts those that do not exist. */
export interface Crowd {
  readonly prefix: string;
  /** The number of runs. Default: one of each shape. */
  readonly count?: number;
}

/** A line of a process about its runs, written before the process can die. */
export type CrowdLine =
  | { readonly type: 'begun' | 'left' | 'defined'; readonly runId: string }
  | { readonly type: 'persisted'; readonly key: string }
  | { readonly type: 'outcome'; readonly runId: string; readonly outcome: unknown };

const say = (line: CrowdLine): void => void writeSync(process.stdout.fd, `${JSON.stringify(line)}\n`);

export const linesIn = (output: string): CrowdLine[] =>
  output
    .split('\n')
    .slice(0, -1) // the last one may be cut off
    .map((line) => JSON.parse(line) as CrowdLine);

const kinds = [
  prompts.charge,
  prompts.delegate,
  prompts.number,
  prompts.insult,
  prompts.refund,
  prompts.ship,
  prompts.count,
] as const;

const countSchema = z.object({ parcels: z.array(z.string()), total: z.string() });

/** The number of runs with each prompt, in both modes, with each `hold`. */
export const shapes = kinds.length * 2 * holds.length;

/** The runs of a crowd. The first ones have each prompt, and each mode and `hold` with some of them. */
export const runsOf = ({ prefix, count = shapes }: Crowd) =>
  Array.from({ length: count }, (_, index) => {
    const [prompt, round] = [index % kinds.length, Math.floor(index / kinds.length)];
    return {
      runId: `${prefix}${index}-`,
      prompt: kinds[prompt] ?? prompts.charge,
      isStreamed: (prompt + round) % 2 === 0,
      hold: holds[(prompt + Math.floor(round / 2)) % holds.length] ?? 'auto',
    };
  });

export type CrowdRun = ReturnType<typeof runsOf>[number];

interface StreamedChunk {
  readonly type: string;
  readonly payload?: {
    readonly id?: string;
    readonly text?: string;
    readonly result?: unknown;
    readonly toolName?: string;
    readonly toolCallId?: string;
    readonly stepResult?: { readonly reason?: string };
  };
  readonly data?: { readonly partIds: readonly string[] };
  readonly metadata?: { readonly sequence?: number };
}

/** Without the ids that differ from run to run. */
const withoutIds = (field: string, value: unknown): unknown => (field.endsWith('Id') ? undefined : value);

const shown = ({ type, payload }: StreamedChunk): string[] => {
  if (type === 'text-delta') return [payload?.text ?? ''];
  if (type === 'tool-call') return [`\n(${payload?.toolName})\n`];
  if (type === 'tool-result') return [`\n(${payload?.toolName}: ${JSON.stringify(payload?.result, withoutIds)})\n`];
  return type === 'tripwire' ? ['\n(blocked)\n'] : [];
};

const isSuspension = ({ type, payload }: StreamedChunk): boolean =>
  type === 'finish' && payload?.stepResult?.reason === 'suspended';

/** The chunks with each call that a suspension shows before the rest of its answer at the place of its result. A call of unknown outcome adds a suspension. */
const inOrder = (chunks: readonly StreamedChunk[]): readonly StreamedChunk[] => {
  const idOf = ({ payload }: StreamedChunk): string | undefined => payload?.toolCallId;
  const results = new Set(chunks.filter(({ type }) => type === 'tool-result').map(idOf));
  const suspended = chunks.findLastIndex(isSuspension);
  const early = chunks.filter((chunk, at) => at < suspended && chunk.type === 'tool-call' && results.has(idOf(chunk)));
  const callOf = (result: StreamedChunk) => early.filter((call) => idOf(call) === idOf(result));
  return chunks
    .filter((chunk) => !early.includes(chunk))
    .flatMap((chunk) => (chunk.type === 'tool-result' ? [...callOf(chunk), chunk] : [chunk]));
};

/** The final state of a client's screen: the text, calls and results of the parts that were not retracted, in order, and the end. */
const screenOf = (sent: readonly StreamedChunk[]) => {
  const chunks = inOrder(sent);
  const retracted = new Set(chunks.flatMap(({ type, data }) => (type === 'data-interlock-retract' ? (data?.partIds ?? []) : [])));
  const visible = chunks.filter(({ payload }) => !retracted.has(payload?.id ?? payload?.toolCallId ?? ''));
  return { text: visible.flatMap(shown).join(''), end: chunks.at(-1)?.type };
};

/** Without repetitions: a call of unknown outcome adds a suspension, after which the guards of the stream report again. */
const once = (verdicts: readonly unknown[][]): unknown[][] => [...new Map(verdicts.map((one) => [String(one), one])).values()];

const resultOf = ({ status, text, object, finishReason, tripwire, usage, steps, runEvents }: InterlockResult) => ({
  status,
  text,
  object,
  finishReason,
  tripwire: tripwire && [tripwire.processorId, tripwire.reason],
  usage,
  steps: steps.map((step) => [step.stepNumber, step.attempt, step.reason, step.text, step.toolResults.length]),
  verdicts: once(
    runEvents.flatMap((event) =>
      event.type === 'guard' ? [[event.stepNumber, event.attempt, event.phase, event.processorId, event.verdict]] : [],
    ),
  ),
  ends: runEvents.flatMap((event) => (event.type === 'run-finish' && event.status !== 'suspended' ? [event.status] : [])),
});

/** Codes of a call that comes to nothing because the server is away, or because another process has answered it. */
const passing = ['durable/unreachable', 'durable/no-run', 'agent/no-suspended-run'] as const;

/** Repeats an action until it is done. */
const patiently = async <T>(act: () => Promise<T>): Promise<T> => {
  for (;;)
    try {
      return await act();
    } catch (error) {
      if (!passing.some((code) => isInterlockError(error, code))) throw error;
      await setTimeout(200);
    }
};

/** The parcels that were shipped, from the world outside. */
export type Shipped = () => Promise<readonly SinkEffect[]>;

/** A person: approves, and looks whether a call of unknown outcome has had its effect. */
const answer = async (agent: InterlockAgent, runId: string, shipped: Shipped): Promise<void> => {
  const { runs } = await agent.listSuspendedRuns();
  const call = runs.find((run) => run.runId === runId)?.toolCalls[0];
  if (!call) return;
  const { toolCallId, requiresApproval } = call;
  if (requiresApproval) return void (await (await agent.resume(runId, { approved: true }, { toolCallId })).getFullOutput());
  const isShipped = (await shipped()).some(({ key }) => key.startsWith(`${runId}:`));
  const found = isShipped ? ({ outcome: 'done', result: { receipt: 'receipt 7' } } as const) : ({ outcome: 'not-done' } as const);
  await (await agent.resolveToolCall(runId, { toolCallId, ...found })).getFullOutput();
};

/** Reads the chunks of a run from an offset to its end, also while it waits for a person or the server is away. */
const chunksFrom = async (agent: InterlockAgent, runId: string, offset: number): Promise<StreamedChunk[]> => {
  const chunks: StreamedChunk[] = [];
  let from = offset;
  for (;;) {
    const count = chunks.length;
    await patiently(async () => {
      const { fullStream } = await agent.attach(runId, { from });
      for await (const chunk of fullStream as AsyncIterable<StreamedChunk>) {
        chunks.push(chunk);
        from = (chunk.metadata?.sequence ?? from) + 1;
      }
    });
    const last = chunks.at(-1);
    if (last?.type === 'finish' && !isSuspension(last)) return chunks;
    if (chunks.length === count) await setTimeout(100);
  }
};

/** Runs to its end, or follows to its end; reads what a follower from the beginning sees, and what later ones see from three offsets. */
export const outcomeOf = async (agent: InterlockAgent, { runId, prompt, isStreamed }: CrowdRun, shipped: Shipped) => {
  const options = {
    runId,
    memory: { thread: runId, resource: 'crowd' },
    ...(prompt === prompts.count && { structuredOutput: { schema: countSchema } }),
  };
  const run = async (): Promise<InterlockResult> =>
    isStreamed ? (await agent.stream(prompt, options)).getFullOutput() : agent.generate(prompt, options);
  const following = chunksFrom(agent, runId, 0);
  following.catch(() => undefined); // reported below
  let result = await patiently(run);
  while (result.status === 'suspended') {
    await patiently(() => answer(agent, runId, shipped));
    await setTimeout(100);
    result = await patiently(async () => (await agent.attach(runId)).getFullOutput());
  }
  const followed = await following;
  const numbers = followed.map(({ metadata }) => metadata?.sequence ?? -1);
  const offsets = [0, numbers[Math.floor(numbers.length / 2)] ?? 0, numbers.at(-1) ?? 0];
  const differing: unknown[] = [];
  for (const from of offsets) {
    const read = await chunksFrom(agent, runId, from);
    const rest = followed.filter((_, index) => (numbers[index] ?? 0) >= from);
    if (JSON.stringify(read.filter(isSent)) !== JSON.stringify(rest.filter(isSent)))
      differing.push({ from, read: linesOf(read), rest: linesOf(rest) });
  }
  return { result: resultOf(result), screen: screenOf(followed), differing };
};

/** A partial object is made by its reader, from the text of the answer's start on. */
const isSent = ({ type }: StreamedChunk): boolean => type !== 'object';

/** Chunks in short, for a report. */
const linesOf = (chunks: readonly StreamedChunk[]): string[] =>
  chunks.map(({ type, payload, metadata }) => `${metadata?.sequence} ${type} ${payload?.id ?? ''} ${payload?.text ?? ''}`);

export const followCrowd = async (
  agents: Readonly<Record<Hold, InterlockAgent>>,
  crowd: Crowd,
  shipped: Shipped,
): Promise<void> => {
  const follow = async (run: CrowdRun): Promise<void> => {
    const outcome: unknown = await outcomeOf(agents[run.hold], run, shipped).catch(String);
    say({ type: 'outcome', runId: run.runId, outcome });
  };
  await Promise.all(runsOf(crowd).map(follow));
};

/** An engine that says which runs are under way in its process, and which of their tool calls are persisted. */
export const saying = (engine: Engine): Engine => {
  const sayingSteps = (durable: Durable, runId: string): Durable => ({
    ...durable,
    step: async (key, run, records) => {
      const text = await durable.step(key, (inner) => run(sayingSteps(inner, runId)), records);
      if (key === 'begin') say({ type: 'defined', runId }); // from now on it has the code that began it
      if (key.startsWith('tool ')) say({ type: 'persisted', key: `${runId}:${key.slice('tool '.length)}` });
      return text;
    },
  });
  return {
    ...engine,
    host: (program) =>
      engine.host({
        ...program,
        run: async (durable, call) => {
          const runId = call.runId.slice(call.runId.indexOf(':') + 1); // without its segment
          say({ type: 'begun', runId });
          try {
            return await program.run(sayingSteps(durable, runId), call);
          } finally {
            say({ type: 'left', runId });
          }
        },
      }),
  };
};
