import { setImmediate } from 'node:timers/promises';
import type { Processor } from '@mastra/core/processors';
import { estimateTokenCount } from 'tokenx';
import { describe, expect, it } from 'vitest';
import { guard, pipeline, rejectToolCall, type RunEvent } from '../../src/index.js';
import { scriptedModel } from '../../src/testing/index.js';
import {
  chunksOf,
  closing,
  createAgent,
  eventsOf,
  guardOn,
  modes,
  opening,
  runAgent,
  type AgentOptions,
  type Ran,
} from '../promises/support.js';

const untold = new Set(['run-start', 'state-enter', 'guard']);

/** The activities of a run, from its events, without ids and times. */
const worksOf = ({ events }: Pick<Ran, 'events'>): object[] =>
  events
    .filter(({ type }) => !untold.has(type))
    .map((event) => {
      const { runId: _run, seq: _seq, at: _at, durationMs: _ms, ...rest } = event as RunEvent & { durationMs?: number };
      return rest;
    });

const usage = { inputTokens: 10, outputTokens: 5, totalTokens: 15 };
const call = { type: 'model-call', modelId: 'scripted-model', provider: 'scripted' };
const finish = { type: 'model-finish', usage, fromCache: false };
const charge = (toolCallId: string) => ({ toolCallId, toolName: 'charge' });

describe.each(modes)('run events, %s', (mode) => {
  const run = (config: AgentOptions) => runAgent(createAgent(config), mode);

  it('report tool runs, rejected responses and reused results', async () => {
    const log: string[] = [];
    const again = guardOn('toolResult', ({ abort }) => abort('Again.', { retry: true }), { times: 1 });
    const model = scriptedModel({ steps: [opening, opening, closing] });
    const ran = await run({ model, log, maxProcessorRetries: 1, outputProcessors: [again] });
    const first = { stepNumber: 0, attempt: 1 };
    const second = { stepNumber: 0, attempt: 2 };
    const last = { stepNumber: 1, attempt: 1 };
    expect(worksOf(ran)).toEqual([
      { ...first, ...call },
      { ...first, ...finish, finishReason: 'tool-calls' },
      { ...first, type: 'tool-start', ...charge('call-0-0') },
      { ...first, type: 'tool-start', ...charge('call-0-1') },
      { ...first, type: 'tool-finish', ...charge('call-0-0'), outcome: 'result' },
      { ...first, type: 'tool-finish', ...charge('call-0-1'), outcome: 'result' },
      { ...first, type: 'retract', partIds: [expect.any(String), 'call-0-0', 'call-0-1'] },
      { ...first, type: 'step-finish', reason: 'retry' },
      { ...second, ...call },
      { ...second, ...finish, finishReason: 'tool-calls' },
      { ...second, type: 'tool-finish', ...charge('call-1-0'), outcome: 'reused' },
      { ...second, type: 'tool-finish', ...charge('call-1-1'), outcome: 'reused' },
      { ...second, type: 'step-finish', reason: 'tool-calls' },
      { ...last, ...call },
      { ...last, ...finish, finishReason: 'stop' },
      { ...last, type: 'step-finish', reason: 'stop' },
      { ...last, type: 'run-finish', status: 'success', retries: 1 },
    ]);
    expect(log).toEqual(['charge 1', 'charge 2']);
  });

  it('report a call rejected by a guard as denied', async () => {
    const log: string[] = [];
    const refusing: Processor = {
      id: 'refusing',
      processOutputStream: async ({ part }) => (part.type === 'tool-call' ? rejectToolCall(part, 'No.') : part),
    };
    const ran = await run({ model: scriptedModel({ steps: [opening, closing] }), log, outputProcessors: [refusing] });
    expect(log).toEqual([]);
    expect(eventsOf(ran, 'tool-finish')).toMatchObject([
      { ...charge('call-0-0'), outcome: 'denied', durationMs: 0 },
      { ...charge('call-0-1'), outcome: 'denied', durationMs: 0 },
    ]);
  });

  it('report reused results after a retry of the last step, without a second effect', async () => {
    const log: string[] = [];
    const again = guardOn('outputResult', ({ abort }) => abort('Again.', { retry: true }), { times: 1 });
    const model = scriptedModel({ steps: [opening, opening] });
    const agent = createAgent({ model, log, maxProcessorRetries: 1, outputProcessors: [again] });
    const ran = await runAgent(agent, mode, { stopWhen: () => true });
    expect(ran.status).toBe('success');
    expect(eventsOf(ran, 'tool-finish').map(({ outcome }) => outcome)).toEqual(['result', 'result', 'reused', 'reused']);
    expect(log).toEqual(['charge 1', 'charge 2']);
  });

  it('report a discarded call with estimated usage', async () => {
    let open = (): void => undefined;
    const opened = new Promise<void>((resolve) => (open = resolve));
    const model = scriptedModel({
      steps: () => {
        open();
        return { text: ['Never ', 'seen.'], hang: true };
      },
    });
    const judge = guardOn('inputStep', async ({ abort }) => {
      await opened;
      return abort('No.');
    });
    const before = performance.now();
    const ran = await run({ model, inputProcessors: [guard(judge as never, { overlap: true })] });
    const [wasted] = eventsOf(ran, 'model-wasted');
    expect(wasted).toMatchObject({ inputTokens: estimateTokenCount('Charge people.\nPlease charge me.'), isEstimated: true });
    expect(wasted?.durationMs).toBeLessThanOrEqual(performance.now() - before);
  });

  it('report a complete discarded call with the usage of the provider', async () => {
    const judge = guardOn('inputStep', async ({ abort }) => {
      for (let turn = 0; turn < 50; turn += 1) await setImmediate();
      return abort('No.');
    });
    const model = scriptedModel({ steps: [{ text: 'Never seen.' }] });
    const ran = await run({ model, inputProcessors: [guard(judge as never, { overlap: true })] });
    expect(eventsOf(ran, 'model-wasted')).toMatchObject([{ inputTokens: 10, outputTokens: 5, isEstimated: false }]);
  });

  it('report a verdict on messages that a sibling changed as stale', async () => {
    const reads = guardOn('input', () => undefined, { id: 'reads' });
    const writes = guardOn('input', ({ messageList }) => messageList.addSystem('Be brief.'), { id: 'writes' });
    const block = pipeline('block').parallel([reads, writes]).commit();
    const ran = await run({ model: scriptedModel({ steps: [{ text: 'Well.' }] }), inputProcessors: [block] });
    expect(eventsOf(ran, 'stale-verdict')).toMatchObject([
      { phase: 'input', rerun: false, readers: ['reads'], authors: ['writes'] },
    ]);
  });

  it.each([true, false])('a write of a guard rejects with the reason of the trip, with retry: %s', async (retry) => {
    const caught: unknown[] = [];
    const writing = guardOn('outputStep', async ({ writer }) => {
      await writer?.custom({ type: 'data-note', data: 1 }).catch((error: unknown) => caught.push(error));
    });
    const reading = guardOn('outputStream', ({ abort }) => abort('no notes', { retry, metadata: { page: 1 } }), {
      id: 'reading',
      when: ({ part }) => part?.type === 'data-note',
      processDataParts: true,
    });
    const ran = await run({ model: scriptedModel({ steps: [{ text: 'Well.' }] }), outputProcessors: [writing, reading] });
    expect(ran.status).toBe('tripwire');
    expect(caught).toMatchObject([{ message: 'no notes', options: { retry, metadata: { page: 1 } }, processorId: 'reading' }]);
  });

  it('a write of a guard rejects with the error of the guard that fails on it', async () => {
    const caught: unknown[] = [];
    const writing = guardOn('outputStep', async ({ writer }) => {
      await writer?.custom({ type: 'data-note', data: 1 }).catch((error: unknown) => caught.push(error));
    });
    const failing = guardOn('outputStream', () => Promise.reject(new Error('Out of order.')), {
      when: ({ part }) => part?.type === 'data-note',
      processDataParts: true,
    });
    const ran = await run({ model: scriptedModel({ steps: [{ text: 'Well.' }] }), outputProcessors: [writing, failing] });
    expect(ran.status).toBe('failed');
    expect(caught).toMatchObject([{ code: 'guard/unavailable', cause: { message: 'Out of order.' } }]);
  });

  it('report one end for an empty response, also if the result is blocked', async () => {
    const no = guardOn('outputResult', ({ abort }) => abort('No.'));
    const ran = await run({ model: scriptedModel({ steps: [{ text: [] }] }), outputProcessors: [no] });
    expect(ran.status).toBe('tripwire');
    expect(chunksOf(ran, 'step-finish')).toHaveLength(1);
    expect(eventsOf(ran, 'retract')).toEqual([]);
  });
});
