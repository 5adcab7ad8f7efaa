import { MessageList } from '@mastra/core/agent/message-list';
import { RequestContext } from '@mastra/core/request-context';
import { compile } from '../src/index.js';
import { createRun } from '../src/loop/create-run.js';
import { streamPayload } from '../src/loop/judge.js';
import type { RunOptions } from '../src/loop/run.js';
import { createHost } from '../src/mastra/workflow/scope.js';
import { createStreamBuffer } from '../src/stream/stream-buffer.js';
import type { Work } from './case.js';
import {
  benchModel,
  countDeltas,
  echo,
  history,
  stepAnswers,
  streamGuards,
  textAnswer,
  type BenchModel,
  type Part,
} from './model.js';

const sourceOf = (chunks: number): (() => ReadableStream<Part>) => {
  const answer = textAnswer(chunks);
  return benchModel(() => answer).open;
};

/** Only reads the provider's stream: every other row includes this. */
export const readOnly = (chunks: number): Work => {
  const open = sourceOf(chunks);
  return () => countDeltas(open());
};

/** The functions of the guards, awaited by hand one after another with the arguments of a stream hook. */
const byHand = (guards: number): ((chunk: Part) => Promise<Part>) => {
  const messageList = new MessageList();
  const requestContext = new RequestContext();
  const { signal: abortSignal } = new AbortController();
  const abort = (reason?: string): never => {
    throw new Error(reason);
  };
  const kept = streamGuards(guards).map(({ processOutputStream: judge }) => ({ judge, state: {}, streamParts: [] as unknown[] }));
  return async (chunk) => {
    let part: unknown = chunk;
    for (const { judge, state, streamParts } of kept) {
      streamParts.push(part);
      const call = { part, streamParts, messageList, state, abort, retryCount: 0, requestContext, abortSignal };
      part = await judge(call as never); // the arguments that a pass-through function needs
    }
    return part as Part;
  };
};

/** A plain loop over the functions of the given number of guards. */
export const plainStream = (guards: number) =>
  async function* ({ open }: Pick<BenchModel, 'open'>): AsyncGenerator<Part> {
    const judge = byHand(guards);
    for await (const chunk of open()) yield await judge(chunk);
  };

export const plainLoop =
  (guards: number) =>
  (chunks: number): Work => {
    const open = sourceOf(chunks);
    return async () => {
      const judge = byHand(guards);
      let seen = 0;
      for await (const chunk of open()) if ((await judge(chunk)).type === 'text-delta') seen += 1;
      return seen;
    };
  };

interface Callable {
  doGenerate(options: { prompt: readonly object[] }): Promise<{ content: readonly Part[] }>;
}

/** A tool loop by hand: calls the model, awaits `guards` functions before and after, and runs the tool. */
export const plainSteps =
  (guards: number) =>
  (steps: number): Work => {
    const model = benchModel(stepAnswers(steps)).forMastra as unknown as Callable; // a model instance
    const judges = Array.from({ length: guards }, () => async (conversation: readonly object[]) => conversation);
    return async () => {
      let prompt: readonly object[] = history(1);
      for (let step = 1; ; step += 1) {
        for (const judge of judges) prompt = await judge(prompt);
        const { content } = await model.doGenerate({ prompt });
        prompt = [...prompt, { role: 'assistant', content }];
        for (const judge of judges) prompt = await judge(prompt);
        const call = content.find(({ type }) => type === 'tool-call');
        if (!call) return step;
        const output = await echo.execute(echo.inputSchema.parse(JSON.parse(String(call['input']))));
        prompt = [...prompt, { role: 'tool', content: [{ type: 'tool-result', toolCallId: call['toolCallId'], output }] }];
      }
    };
  };

/** A run that provides only the scope: ports that a plan never calls are left out. */
const runOptions = (): RunOptions => ({
  runId: 'bench',
  mode: 'stream',
  list: new MessageList(),
  lanes: { input: undefined, output: undefined, error: undefined, memory: undefined },
  ports: {
    host: createHost(),
    now: () => performance.now(),
    wallClock: () => Date.now(),
    createId: () => 'bench',
  } as RunOptions['ports'],
  settings: {},
  limits: { maxSteps: 1, maxRetries: 0, maxRecoveries: 0, models: 1 },
  streamBuffer: createStreamBuffer(),
  toolConcurrency: 1,
  context: { agent: undefined, requestContext: new RequestContext(), tracingContext: undefined },
});

/** The compiled plan alone, called for each chunk as the agent's loop calls it. */
export const planLoop =
  (guards: number) =>
  (chunks: number): Work => {
    const open = sourceOf(chunks);
    const plan = compile(streamGuards(guards));
    return async () => {
      const run = createRun(runOptions());
      const payload = streamPayload(run, null);
      let seen = 0;
      for await (const { type, id, delta } of open()) {
        const chunk = { type, payload: { id, text: delta ?? '' } };
        payload.part = chunk;
        const verdict = await plan.run('outputStream', payload, run.scope);
        if (verdict.kind === 'pass' && chunk.type === 'text-delta') seen += 1;
      }
      return seen;
    };
  };
