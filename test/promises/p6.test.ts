import { setTimeout as sleep } from 'node:timers/promises';

import { createTool } from '@mastra/core/tools';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { phaseNames } from '../../src/phase/table.js';
import { pipeline, type Phase } from '../../src/index.js';
import { scriptedModel, type ScriptedModel } from '../../src/testing/index.js';
import { inTurn } from '../modes.js';
import {
  chunksOf,
  closing,
  createAgent,
  eventsOf,
  everyHook,
  finishOf,
  guardOn,
  laned,
  modelFor,
  modes,
  opening,
  recovering,
  retractionsOf,
  runAgent,
  toolResultsIn,
  wire,
  wirings,
  type Chunk,
  type HookArgs,
  type Ran,
} from './support.js';

const feedbackFor = (reason: string): string =>
  `[Processor Feedback] Your previous response was not accepted: ${reason}. Please try again with the feedback in mind.`;

/** The feedback in each model call. */
const feedbackPerCall = ({ calls }: ScriptedModel): string[][] =>
  calls.map(({ prompt }) =>
    prompt.flatMap(({ role, content }) => (role === 'system' && content.includes('[Processor Feedback]') ? [content] : [])),
  );

/** The ids of the visible parts, attempt by attempt. */
const visibleIdsPerAttempt = ({ chunks }: Ran): Set<string>[] => {
  const attempts: Set<string>[] = [];
  for (const { type, payload } of chunks) {
    if (type === 'step-start') attempts.push(new Set());
    const { id, toolCallId } = (payload ?? {}) as { id?: string; toolCallId?: string };
    if (type === 'text-delta' || type === 'reasoning-delta') attempts.at(-1)?.add(String(id));
    if (type === 'tool-call') attempts.at(-1)?.add(String(toolCallId));
  }
  return attempts;
};

/** Whether a part of an attempt has left before a phase judges it. In generate mode an answer comes in one piece. */
const hasEmitted: Record<Phase, boolean> = {
  input: false,
  inputStep: false,
  llmRequest: false,
  apiError: false,
  outputStream: false,
  llmResponse: true,
  outputStep: true,
  toolResult: true,
  outputResult: true,
};

/** The phases of an attempt before its model call. */
const beforeTheModel = new Set<Phase>(['input', 'inputStep', 'llmRequest']);

/** In the error phase a granted retry meets another failure of the provider. */
const failing = () => scriptedModel({ steps: () => ({ error: new Error('down') }) });

describe('P6 Retries are bounded transitions', () => {
  describe.each(everyHook)('$hook, $mode', ({ phase, mode, turn }) => {
    describe.each([0, 1, 2])('with %i retries', (maxProcessorRetries) => {
      /** A guard that always rejects, and its records. */
      const runUnhappy = async (wiring: (typeof wirings)[number]) => {
        const seen: number[] = [];
        const guard = guardOn(phase, ({ abort, retryCount }) => {
          seen.push(phase === 'apiError' ? seen.length : retryCount); // there, retryCount counts recoveries
          return abort(`no ${seen.length}`, { retry: true });
        });
        const model = phase === 'apiError' ? failing() : modelFor(phase);
        const agent = createAgent({ model, maxProcessorRetries, ...laned([phase, ...wire(phase, guard, wiring)]) });
        return { ran: await runAgent(agent, mode), seen, model };
      };

      it.each(inTurn(wirings, turn + maxProcessorRetries))(
        'a guard that is %s and always retries is called once more per retry',
        async (wiring) => {
          const { ran, seen, model } = await runUnhappy(wiring);
          const attempts = 1 + maxProcessorRetries;
          expect(seen).toEqual(Array.from({ length: attempts }, (_, index) => index));
          expect(ran).toMatchObject({
            status: 'tripwire',
            result: { tripwire: { reason: `no ${attempts}`, retry: true, phase } },
          });
          expect(finishOf(ran.events).retries).toBe(maxProcessorRetries);
          const retries = eventsOf(ran, 'guard').filter(({ verdict }) => verdict === 'retry');
          expect(retries.map(({ attempt }) => attempt)).toEqual(seen.map((index) => index + 1));
          if (!beforeTheModel.has(phase)) expect(model.calls).toHaveLength(attempts + (phase === 'outputResult' ? 1 : 0));
        },
      );

      it('each attempt has the feedback of the previous one only', async () => {
        const { model } = await runUnhappy('alone');
        const before = phase === 'outputResult' ? [[]] : []; // the step before the last
        const reasons = Array.from({ length: maxProcessorRetries }, (_, index) => [feedbackFor(`no ${index + 1}`)]);
        expect(feedbackPerCall(model)).toEqual(beforeTheModel.has(phase) ? [] : [...before, [], ...reasons]);
      });

      it('retracts the output of an attempt and nothing else', async () => {
        const { ran } = await runUnhappy('alone');
        const retractions = retractionsOf(ran);
        expect(eventsOf(ran, 'retract').map(({ partIds, attempt }) => ({ partIds, attempt }))).toEqual(
          retractions.map(({ partIds, attempt }) => ({ partIds, attempt })),
        );
        if (!hasEmitted[phase]) return expect(retractions).toEqual([]);
        const visibleIds = visibleIdsPerAttempt(ran).map((ids) => [...ids]);
        const rejected = phase === 'outputResult' ? visibleIds.slice(1) : visibleIds;
        // A trip there retracts everything.
        const last = phase === 'outputResult' ? [[...(visibleIds[0] ?? []), ...(rejected.at(-1) ?? [])]] : rejected.slice(-1);
        expect(retractions.map(({ partIds }) => partIds.toSorted())).toEqual(
          [...rejected.slice(0, -1), ...last].map((ids) => ids.toSorted()),
        );
      });
    });

    it('a guard that accepts after retries ends in success, with one accepted attempt', async () => {
      const guard = guardOn(phase, ({ abort }) => abort('not yet', { retry: true }), { times: 2 });
      const model =
        phase === 'apiError'
          ? scriptedModel({
              steps: (call) => (call.index < 2 ? { error: new Error('down') } : toolResultsIn(call) === 0 ? opening : closing),
            })
          : modelFor(phase);
      const agent = createAgent({ model, maxProcessorRetries: 2, ...laned([phase, guard]) });
      const ran = await runAgent(agent, mode);
      expect(ran).toMatchObject({ status: 'success', result: { text: 'I will charge you. All is paid.', tripwire: undefined } });
      const accepted = ran.result?.steps.filter(({ tripwire }) => !tripwire) ?? [];
      expect(accepted.map(({ text }) => text)).toEqual(['I will charge you. ', 'All is paid.']);
      expect(
        feedbackPerCall(model)
          .flat()
          .every((text) => text === feedbackFor('not yet')),
      ).toBe(true);
      const rejectedCalls = beforeTheModel.has(phase) ? 1 : 2; // one call was made after two rejections
      expect(feedbackPerCall(model).filter((given) => given.length > 0)).toHaveLength(rejectedCalls);
      expect(JSON.stringify(ran.result?.messages)).not.toContain('[Processor Feedback]');
    });
  });

  it.each(modes)('an attempt rejected in mid-stream retracts its emitted part, %s', async (mode) => {
    const guard = guardOn('outputStream', ({ abort }) => abort('no', { retry: true }), {
      times: 1,
      when: ({ part }) => part?.type === 'tool-call',
    });
    const ran = await runAgent(
      createAgent({ model: modelFor('input'), maxProcessorRetries: 1, outputProcessors: [guard] }),
      mode,
    );
    expect(ran.status).toBe('success');
    const [first, second] = visibleIdsPerAttempt(ran).map((ids) => [...ids]);
    expect(retractionsOf(ran)).toMatchObject([{ stepNumber: 0, attempt: 1, partIds: expect.arrayContaining(first ?? []) }]);
    expect(retractionsOf(ran)[0]?.partIds).not.toEqual(expect.arrayContaining(second ?? []));
    expect(first?.length).toBeGreaterThan(0);
  });

  describe.each(modes)('the budget, %s', (mode) => {
    it('is shared by all hooks of a run', async () => {
      const guards = (['input', 'inputStep', 'outputStep', 'outputResult'] as const).map(
        (phase): [Phase, ReturnType<typeof guardOn>] => [
          phase,
          guardOn(phase, ({ abort }) => abort(`${phase} says no`, { retry: true }), { times: 1 }),
        ],
      );
      const enough = await runAgent(createAgent({ model: modelFor('input'), maxProcessorRetries: 4, ...laned(...guards) }), mode);
      expect(enough.status).toBe('success');
      expect(finishOf(enough.events).retries).toBe(4);
      const again = guards.map(([phase]): [Phase, ReturnType<typeof guardOn>] => [
        phase,
        guardOn(phase, ({ abort }) => abort(`${phase} says no`, { retry: true }), { times: 1 }),
      ]);
      const spent = await runAgent(createAgent({ model: modelFor('input'), maxProcessorRetries: 2, ...laned(...again) }), mode);
      expect(spent).toMatchObject({ status: 'tripwire', result: { tripwire: { reason: 'outputStep says no' } } });
    });

    it('of a call replaces that of the agent', async () => {
      const guard = () => guardOn('outputStep', ({ abort }) => abort('no', { retry: true }));
      const agent = createAgent({ model: modelFor('input'), maxProcessorRetries: 5, outputProcessors: [guard()] });
      const ran = await runAgent(agent, mode, { maxProcessorRetries: 1 });
      expect(finishOf(ran.events).retries).toBe(1);
    });

    it('is 0 by default', async () => {
      const ran = await runAgent(
        createAgent({
          model: modelFor('input'),
          outputProcessors: [guardOn('outputStep', ({ abort }) => abort('no', { retry: true }))],
        }),
        mode,
      );
      expect(ran).toMatchObject({ status: 'tripwire', result: { tripwire: { retry: true } } });
      expect(finishOf(ran.events).retries).toBe(0);
    });

    it('does not count as steps', async () => {
      const guard = guardOn('outputStep', ({ abort }) => abort('no', { retry: true }), { times: 3 });
      const agent = createAgent({ model: modelFor('input'), maxProcessorRetries: 3, outputProcessors: [guard] });
      const ran = await runAgent(agent, mode, { maxSteps: 2 });
      expect(ran).toMatchObject({ status: 'success', result: { text: 'I will charge you. All is paid.', finishReason: 'stop' } });
    });

    it('grants one retry to parallel guards, with all their reasons', async () => {
      const twins = ['first', 'second'].map((id) =>
        guardOn('outputStep', ({ abort }) => abort(`${id} says no`, { retry: true }), { id, times: 1 }),
      );
      const model = modelFor('input');
      const agent = createAgent({ model, maxProcessorRetries: 1, outputProcessors: pipeline('house').parallel(twins).commit() });
      const ran = await runAgent(agent, mode);
      expect(ran.status).toBe('success');
      expect(feedbackPerCall(model)[1]?.[0]).toMatch(/first says no.*second says no/u);
    });

    it('counts the usage of every attempt', async () => {
      const guard = guardOn('outputStep', ({ abort }) => abort('no', { retry: true }), { times: 2 });
      const model = modelFor('input');
      const ran = await runAgent(createAgent({ model, maxProcessorRetries: 2, outputProcessors: [guard] }), mode);
      expect(model.calls).toHaveLength(4);
      expect(ran.result?.usage).toMatchObject({ inputTokens: 40, outputTokens: 20, totalTokens: 60 });
    });
  });

  describe('feedback belongs to one attempt', () => {
    const hasFeedback = (list: unknown): boolean => JSON.stringify(list).includes('[Processor Feedback]');
    /** A guard that rejects the first attempt at each of these steps. */
    const retrying = (...steps: number[]) => {
      const pending = new Set(steps);
      const when = ({ stepNumber = -1 }: HookArgs) => pending.delete(stepNumber);
      return guardOn('outputStep', ({ abort }) => abort('no', { retry: true }), { id: 'retrying', when });
    };

    it('is visible in the attempt', async () => {
      const seen: boolean[] = [];
      const watching = guardOn('outputStep', ({ messageList }) => void seen.push(hasFeedback(messageList)), { id: 'watching' });
      const agent = createAgent({ model: modelFor('input'), maxProcessorRetries: 1, outputProcessors: [watching, retrying(0)] });
      await runAgent(agent, 'stream');
      expect(seen).toEqual([false, true, false]);
    });

    it.each(phaseNames)('is not visible at the end or after a trip in %s of the next step', async (phase) => {
      const seen: boolean[] = [];
      const watching = guardOn('outputResult', ({ messageList }) => void seen.push(hasFeedback(messageList)), { id: 'watching' });
      const tripping = guardOn(phase, ({ abort }) => abort('no'), { when: ({ stepNumber }) => stepNumber === 1 });
      const guards = laned(['outputStep', retrying(0, 1)], ['outputResult', watching], [phase, tripping]);
      const stream = await createAgent({ model: modelFor('input'), maxProcessorRetries: 2, ...guards }).stream(
        'Please charge me.',
      );
      await stream.consumeStream();
      expect(['success', 'tripwire']).toContain(stream.status);
      expect([...seen, hasFeedback(stream.messageList)]).not.toContain(true);
    });
  });

  describe.each(modes)('failed calls, %s', (mode) => {
    it.each([0, 1, 2])('are repeated at most %i times', async (maxProcessorRetries) => {
      const model = failing();
      const ran = await runAgent(createAgent({ model, maxProcessorRetries, errorProcessors: [recovering()] }), mode);
      expect(ran.status).toBe('failed');
      expect(finishOf(ran.events).error?.code).toBe('model/call-failed');
      expect(model.calls).toHaveLength(1 + maxProcessorRetries);
      expect(finishOf(ran.events).retries).toBe(0);
      expect(eventsOf(ran, 'model-error').map(({ recovered }) => recovered)).toEqual([
        ...Array<boolean>(maxProcessorRetries).fill(true),
        false,
      ]);
    });

    it('are not retries: they change neither feedback nor the attempt', async () => {
      const model = modelFor('apiError');
      const ran = await runAgent(createAgent({ model, maxProcessorRetries: 1, errorProcessors: [recovering()] }), mode);
      expect(ran.status).toBe('success');
      expect(feedbackPerCall(model).flat()).toEqual([]);
      expect(new Set(ran.events.map(({ attempt }) => attempt))).toEqual(new Set([1]));
    });

    it('retract their output', async () => {
      const model = scriptedModel({
        steps: ({ index }) => (index === 0 ? { text: ['All ', 'is '], error: new Error('cut off') } : closing),
      });
      const ran = await runAgent(createAgent({ model, maxProcessorRetries: 1, errorProcessors: [recovering()] }), mode);
      expect(ran).toMatchObject({ status: 'success', result: { text: 'All is paid.' } });
      const [retraction, ...more] = chunksOf(ran, 'data-interlock-retract');
      expect(more).toEqual([]);
      expect(retraction !== undefined).toBe(mode === 'stream'); // a broken answer is lost in generate mode
      if (!retraction) return;
      const at = ran.chunks.indexOf(retraction);
      const idsIn = (chunks: readonly Chunk[]) =>
        new Set(chunks.filter(({ type }) => type === 'text-delta').map(({ payload }) => (payload as { id: string }).id));
      expect(new Set((retraction.data as { partIds: string[] }).partIds)).toEqual(idsIn(ran.chunks.slice(0, at)));
      expect([...idsIn(ran.chunks.slice(at))].filter((id) => idsIn(ran.chunks.slice(0, at)).has(id))).toEqual([]);
    });
  });

  describe.each(modes)('tools of a rejected attempt, %s', (mode) => {
    const run = async (model: ScriptedModel, guard: ReturnType<typeof guardOn>) => {
      const log: string[] = [];
      const ran = await runAgent(createAgent({ model, log, maxProcessorRetries: 2, outputProcessors: [guard] }), mode);
      expect(ran.status).toBe('success');
      return { log, ran };
    };
    const rejectResults = (times: number) => guardOn('toolResult', ({ abort }) => abort('no', { retry: true }), { times });
    const charges = (...amounts: number[]) => ({ toolCalls: amounts.map((amount) => ({ name: 'charge', args: { amount } })) });
    /** The model's calls in its attempts, one after another; then it sums up. */
    const modelReplying = (...steps: object[]) => scriptedModel({ steps: ({ index }) => steps[index] ?? closing });

    it('do not run again if the next attempt requests the same', async () => {
      const { log, ran } = await run(modelReplying(charges(1, 2), charges(1, 2), charges(2, 1)), rejectResults(2));
      expect(log).toEqual(['charge 1', 'charge 2']);
      expect(eventsOf(ran, 'tool-finish').map(({ outcome }) => outcome)).toEqual([
        'result',
        'result',
        'reused',
        'reused',
        'reused',
        'reused',
      ]);
      expect(ran.result?.toolResults.map((one) => (one as unknown as { output: unknown }).output)).toEqual([
        { receipt: 'receipt 2' },
        { receipt: 'receipt 1' },
      ]);
    });

    it('are the same regardless of the order of their arguments', async () => {
      const log: string[] = [];
      const model = modelReplying(
        { toolCalls: [{ name: 'charge', args: { amount: 1, note: 'x' } }] },
        { toolCalls: [{ name: 'charge', args: { note: 'x', amount: 1 } }] },
      );
      await runAgent(createAgent({ model, log, maxProcessorRetries: 1, outputProcessors: [rejectResults(1)] }), mode);
      expect(log).toEqual(['charge 1']);
    });

    it('replace one call each: for further calls the tool runs', async () => {
      const { log } = await run(modelReplying(charges(1), charges(1, 1)), rejectResults(1));
      expect(log).toEqual(['charge 1', 'charge 1']);
    });

    it('run for other arguments', async () => {
      const { log } = await run(modelReplying(charges(1), charges(2)), rejectResults(1));
      expect(log).toEqual(['charge 1', 'charge 2']);
    });

    it('are judged again with their original results', async () => {
      const judged: unknown[] = [];
      const guard = {
        id: 'spoiling',
        processToolResult: ({
          result,
          abort,
          retryCount,
        }: {
          result: unknown;
          abort: (reason: string, options: object) => never;
          retryCount: number;
        }) => {
          judged.push(structuredClone(result));
          Object.assign(result as object, { receipt: 'spoiled' });
          if (retryCount === 0) abort('no', { retry: true });
        },
      };
      await run(modelReplying(charges(1), charges(1)), guard);
      expect(judged).toEqual([{ receipt: 'receipt 1' }, { receipt: 'receipt 1' }]);
    });

    it('are not reused in a later step', async () => {
      const { log } = await run(modelReplying(charges(1), charges(2), charges(1)), rejectResults(1));
      expect(log).toEqual(['charge 1', 'charge 2', 'charge 1']);
    });

    it.each([1, 10])(
      'control: equal accepted calls run each time, in one step and in two, %i at a time',
      async (toolCallConcurrency) => {
        const log: string[] = [];
        await runAgent(createAgent({ model: modelReplying(charges(1, 1), charges(1)), log }), mode, { toolCallConcurrency });
        expect(log).toEqual(['charge 1', 'charge 1', 'charge 1']);
      },
    );

    it('are awaited, so that none runs twice', async () => {
      const { log, ran } = await run(modelReplying(charges(1, 2), charges(1, 2)), rejectResults(1));
      expect(log).toEqual(['charge 1', 'charge 2']);
      const finished = eventsOf(ran, 'tool-finish').findLast(({ outcome }) => outcome === 'result');
      const retrying = eventsOf(ran, 'state-enter').find(({ state }) => state === 'step.retrying');
      expect(finished?.seq).toBeLessThan(retrying?.seq ?? 0);
    });
  });

  it.each(modes)('ignores chunks of tools after their attempt is rejected, %s', async (mode) => {
    let [begin, reject] = [() => undefined, () => undefined] as (() => void)[];
    const started = new Promise<void>((resolve) => (begin = resolve));
    const rejected = new Promise<void>((resolve) => (reject = resolve));
    const charge = createTool({
      id: 'charge',
      description: 'Charges.',
      inputSchema: z.object({ amount: z.number() }),
      execute: async ({ amount }: { amount: number }, context) => {
        if (amount === 1) return started;
        await context.writer?.custom({ type: 'data-early', data: amount });
        begin?.();
        await rejected;
        await sleep(1); // the loop has received the retry, and waits
        await context.writer?.custom({ type: 'data-late', data: amount });
        return 'paid';
      },
    });
    const guard = guardOn('toolResult', ({ abort }) => (reject?.(), abort('no', { retry: true })), { times: 1 });
    const model = scriptedModel({ steps: ({ index }) => (index === 0 ? opening : closing) });
    const ran = await runAgent(
      createAgent({ model, tools: { charge }, maxProcessorRetries: 1, outputProcessors: [guard] }),
      mode,
    );
    expect(ran.status).toBe('success');
    const written = ran.chunks.map(({ type }) => type).filter((type) => type.startsWith('data-'));
    expect(written).toEqual(['data-early', 'data-interlock-retract']);
  });

  describe.each(modes)('identity across attempts, %s', (mode) => {
    it('parts and calls have unique ids per attempt', async () => {
      const guard = guardOn('outputStep', ({ abort }) => abort('no', { retry: true }), { times: 2 });
      const step = { ...opening, toolCalls: [{ id: 'same', name: 'charge', args: { amount: 1 } }] };
      const agent = createAgent({
        model: modelFor('input', { opening: step }),
        maxProcessorRetries: 2,
        outputProcessors: [guard],
      });
      const ran = await runAgent(agent, mode);
      expect(ran.status).toBe('success');
      const visibleIds = visibleIdsPerAttempt(ran).flatMap((ids) => [...ids]);
      expect(new Set(visibleIds).size).toBe(visibleIds.length);
      const taken = new Set(retractionsOf(ran).flatMap(({ partIds }) => partIds));
      const kept = visibleIds.filter((id) => !taken.has(id));
      expect(kept).toHaveLength(3); // two texts and one call
    });

    it('steps with the same text and calls are both present', async () => {
      const log: string[] = [];
      const step = { text: 'Again. ', toolCalls: [{ id: 'same', name: 'charge', args: { amount: 1 } }] };
      const model = scriptedModel({ steps: ({ index }) => (index < 2 ? step : { text: 'Again. ' }) });
      const ran = await runAgent(createAgent({ model, log }), mode);
      expect(ran.result?.steps.map(({ text, toolResults }) => [text, toolResults.length])).toEqual([
        ['Again. ', 1],
        ['Again. ', 1],
        ['Again. ', 0],
      ]);
      expect(log).toEqual(['charge 1', 'charge 1']);
      expect(toolResultsIn(model.calls[2] as never)).toBe(2);
      expect(JSON.stringify(ran.result?.response.uiMessages).match(/Again\. /gu)).toHaveLength(3);
    });
  });
});
