import { writeSync } from 'node:fs';

import { isInterlockError, type Durable, type Engine, type InterlockAgent, type InterlockResult } from '../../src/index.js';
import { prompts } from './outside.js';

/** The orders for a process that follows many concurrent runs to their ends, and starts those that do not exist. */
export interface Crowd {
  readonly prefix: string;
  readonly count: number;
}

/** A line of a process about its runs, written before the process can die. */
export type CrowdLine =
  | { readonly type: 'begun' | 'left'; readonly runId: string }
  | { readonly type: 'persisted'; readonly key: string }
  | { readonly type: 'outcome'; readonly runId: string; readonly outcome: unknown };

const say = (line: CrowdLine): void => void writeSync(process.stdout.fd, `${JSON.stringify(line)}\n`);

export const linesIn = (output: string): CrowdLine[] =>
  output
    .split('\n')
    .slice(0, -1) // the last one may be cut off
    .map((line) => JSON.parse(line) as CrowdLine);

const kinds = [prompts.charge, prompts.delegate, prompts.number, prompts.insult] as const;

/** The runs of a crowd: each prompt in both modes. */
export const runsOf = ({ prefix, count }: Crowd) =>
  Array.from({ length: count }, (_, index) => ({
    runId: `${prefix}${index}-`,
    prompt: kinds[index % kinds.length] ?? prompts.charge,
    isStreamed: index % (2 * kinds.length) >= kinds.length,
  }));

type CrowdRun = ReturnType<typeof runsOf>[number];

/** The number of runs with each prompt in each mode. */
export const shapes = 2 * kinds.length;

interface StreamedChunk {
  readonly type: string;
  readonly payload?: { readonly id?: string; readonly text?: string };
  readonly data?: { readonly partIds: readonly string[] };
}

/** The final state of a client's screen: the text without retracted parts, and the number of chunks that begin or end something. */
const screenOf = (chunks: readonly StreamedChunk[]) => {
  const retracted = new Set(chunks.flatMap(({ type, data }) => (type === 'data-interlock-retract' ? (data?.partIds ?? []) : [])));
  const texts = chunks.filter(({ type, payload }) => type === 'text-delta' && !retracted.has(payload?.id ?? ''));
  const chunkCounts = ['start', 'finish', 'tripwire', 'tool-result'].map((type) => [
    type,
    chunks.filter((chunk) => chunk.type === type).length,
  ]);
  return {
    text: texts.map(({ payload }) => payload?.text).join(''),
    chunkCounts: Object.fromEntries(chunkCounts) as Record<string, number>,
  };
};

const resultOf = ({ status, text, finishReason, tripwire, usage, steps, runEvents }: InterlockResult) => ({
  status,
  text,
  finishReason,
  tripwire: tripwire && [tripwire.processorId, tripwire.reason],
  usage,
  steps: steps.map((step) => [step.stepNumber, step.attempt, step.reason, step.text, step.toolResults.length]),
  verdicts: runEvents.flatMap((event) =>
    event.type === 'guard' ? [[event.stepNumber, event.attempt, event.phase, event.processorId, event.verdict]] : [],
  ),
  ends: runEvents.flatMap((event) => (event.type === 'run-finish' ? [event.status] : [])),
});

/** Runs to its end, or follows to its end, and then reads what a client sees from the beginning. */
export const outcomeOf = async (agent: InterlockAgent, { runId, prompt, isStreamed }: CrowdRun) => {
  const options = { runId, memory: { thread: runId, resource: 'crowd' } };
  const result = isStreamed ? await (await agent.stream(prompt, options)).getFullOutput() : await agent.generate(prompt, options);
  const chunks: StreamedChunk[] = [];
  const { fullStream } = await agent.attach(runId, { from: 0 });
  for await (const chunk of fullStream as AsyncIterable<StreamedChunk>) chunks.push(chunk);
  return { result: resultOf(result), screen: screenOf(chunks) };
};

export const followCrowd = async (agent: InterlockAgent, crowd: Crowd): Promise<void> => {
  const follow = async (run: CrowdRun): Promise<void> => {
    const outcome: unknown = await outcomeOf(agent, run).catch((error: unknown) =>
      isInterlockError(error, 'durable/unreachable') ? undefined : String(error),
    );
    if (outcome === undefined) return follow(run); // the server is still away
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
