import { RequestContext } from '@mastra/core/request-context';
import { compile } from '../../src/index.js';
import { createRun } from '../../src/loop/create-run.js';
import type { Phase } from '../../src/phase/row.js';
import { phaseRow } from '../../src/phase/table.js';
import type { Work } from '../case.js';
import { runOptions } from '../subjects/plan.js';
import { payloads, type BenchPayload, type BenchPhase } from './payloads.js';
import { shapes, type Shape } from './shapes.js';

/** One measured line: which guards, in which phase, how often in one piece of work. */
export interface Line {
  readonly shape: Shape;
  readonly phase: BenchPhase;
  readonly times: number;
}

/** The compiled plan. All of one piece of work is one run, as the chunks of a stream are. */
export const plan =
  ({ shape, phase, times }: Line) =>
  (messages: number): Work => {
    const compiled = compile(shapes[shape]().flow);
    const payload = payloads[phase](messages);
    return async () => {
      const { scope } = createRun(runOptions());
      let passed = 0;
      for (let n = 0; n < times; n += 1) if ((await compiled.run<Phase>(phase, payload, scope)).kind === 'pass') passed += 1;
      return passed;
    };
  };

/** Mastra's own engine running the same pipeline, committed, with what Mastra's agent gives it. */
export const engine =
  ({ shape, phase, times }: Line) =>
  (messages: number): Work => {
    const workflow = shapes[shape]().flow.commit();
    const payload = payloads[phase](messages);
    const perChunk =
      phase === 'outputStream' ? { shouldPersistSnapshot: () => false, tracingPolicy: { internal: 1 } } : undefined;
    return async () => {
      const processorStates = new Map();
      const requestContext = new RequestContext();
      const streamParts: unknown[] = [];
      let passed = 0;
      for (let n = 0; n < times; n += 1) {
        if ('part' in payload) streamParts.push(payload.part);
        const inputData = { ...payload, ...('part' in payload && { streamParts }), processorStates, retryCount: 0 };
        const run = await workflow.createRun(perChunk); // as Mastra's runner opens it
        if ((await run.start({ inputData, requestContext })).status === 'success') passed += 1;
      }
      return passed;
    };
  };

/** The same functions called one after another with a hook's arguments, handed over by hand. */
export const plain =
  ({ shape, phase, times }: Line) =>
  (messages: number): Work => {
    const { hook } = phaseRow<Phase>(phase);
    const functions = shapes[shape]().called.map((guard) => guard[hook as 'processInput'] as (args: object) => Promise<unknown>);
    const payload = payloads[phase](messages);
    return async () => {
      const kept = functions.map((judge) => ({ judge, state: {}, streamParts: [] as unknown[] }));
      const common = commonArgs();
      let passed = 0;
      for (let n = 0; n < times; n += 1) {
        for (const { judge, state, streamParts } of kept) await judge(argsOf(payload, { ...common, state, streamParts }));
        passed += 1;
      }
      return passed;
    };
  };

const commonArgs = () => ({
  abort: (reason?: string): never => {
    throw new Error(reason);
  },
  retryCount: 0,
  requestContext: new RequestContext(),
  tracingContext: undefined,
  writer: undefined,
  abortSignal: new AbortController().signal,
  agent: undefined,
});

type Common = ReturnType<typeof commonArgs> & { state: object; streamParts: unknown[] };

const argsOf = (payload: BenchPayload, common: Common): object => {
  const { messageList } = payload;
  if ('part' in payload) {
    const { part } = payload;
    common.streamParts.push(part);
    return { ...common, part, messageList };
  }
  const { get } = messageList as NonNullable<typeof messageList>; // payloads have one here
  const messages = payload.phase === 'input' ? get.input.db() : get.response.db();
  const systemMessages = messageList?.getSystemMessages();
  const result = 'result' in payload ? payload.result : undefined;
  return { ...common, messages, messageList, systemMessages, result };
};
