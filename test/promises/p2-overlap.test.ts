import { setTimeout as sleep } from 'node:timers/promises';

import { Agent } from '@mastra/core/agent';
import type { Processor } from '@mastra/core/processors';
import { InMemoryStore } from '@mastra/core/storage';
import { Memory } from '@mastra/memory';
import { describe, expect, it } from 'vitest';

import { guard, pipeline, type GuardPolicy, type Phase, type PipelineStep } from '../../src/index.js';
import { hanging, scriptedModel } from '../../src/testing/index.js';
import { callAgent, makeAgent, ways } from '../provider/call-agent.js';
import { startServer } from '../provider/start-server.js';
import { chunksOf, createAgent, eventsOf, guardOn, modes, runAgent, textOnWire, type HookArgs } from './support.js';

const phasesBefore = ['input', 'inputStep', 'llmRequest'] as const;

/** A guard that overlaps with the model; its type does not declare that it edits nothing. */
const overlapping = (processor: Processor, policy: GuardPolicy = {}): PipelineStep =>
  guard(processor as never, { ...policy, overlap: true }) as PipelineStep;

interface Gate {
  readonly opened: Promise<void>;
  open(): void;
}

const createGate = (): Gate => {
  let open = () => undefined as void;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { opened, open };
};

/** A model that reports its calls. */
const modelCalling = (called: () => void, step: object = { text: ['All ', 'fine.'] }) =>
  scriptedModel({
    steps: () => {
      called();
      return step;
    },
  });

const types = ({ chunks }: { chunks: readonly { type: string }[] }) => chunks.map(({ type }) => type);

/** The payload's text, as guards before the call get it. */
const promptText = (args: object): string => {
  const { prompt, systemMessages, messageList } = args as {
    prompt?: unknown;
    systemMessages?: unknown;
    messageList?: { get: { all: { db(): unknown } } };
  };
  return JSON.stringify(prompt ?? [systemMessages, messageList?.get.all.db()]);
};

describe.each(modes)('P2 with overlap, %s', (mode) => {
  describe.each(phasesBefore)('in %s', (phase: Phase) => {
    it('calls the model while several guards judge', async () => {
      const { opened, open } = createGate();
      const model = modelCalling(open);
      let judging = 0;
      const judge = (id: string) =>
        overlapping(
          guardOn(
            phase,
            async () => {
              judging += 1;
              await opened; // a guard that the model waited for would wait forever
              while (judging < 2) await sleep(1);
            },
            { id },
          ),
        );
      const ran = await runAgent(createAgent({ model, inputProcessors: [judge('one'), judge('two')] }), mode);
      expect(ran.status).toBe('success');
      expect(ran.result?.text).toBe('All fine.');
      expect(eventsOf(ran, 'guard').map(({ verdict, processorId }) => [processorId, verdict])).toEqual([
        ['one', 'pass'],
        ['two', 'pass'],
      ]);
      expect(ran.result?.wasted).toMatchObject({ calls: 0, outputTokens: 0 });
    });

    it('a trip ends the run and the model call without any text of the answer', async () => {
      const { opened, open } = createGate();
      const model = modelCalling(open, { text: ['All ', 'fine.'], hang: true });
      const judge = guardOn(phase, async ({ abort }) => {
        await opened;
        await sleep(5);
        return abort('No.');
      });
      const ran = await runAgent(createAgent({ model, inputProcessors: [overlapping(judge)] }), mode);
      expect(ran.status).toBe('tripwire');
      expect(types(ran)).toEqual(['start', 'tripwire', 'finish']);
      expect(ran.result).toMatchObject({ text: '', tripwire: { reason: 'No.', phase, processorId: `guard-${phase}` } });
      expect(ran.result?.steps.map(({ reason, text }) => [reason, text])).toEqual([['tripwire', '']]);
      expect(model.calls[0]?.aborted || model.cancelled).toBe(true);
      const [wasted, ...others] = eventsOf(ran, 'model-wasted');
      expect(others).toEqual([]);
      expect(wasted).toMatchObject({ isEstimated: true });
      expect(wasted?.inputTokens).toBeGreaterThan(0);
      expect(wasted?.durationMs).toBeGreaterThan(0);
      expect(ran.result?.wasted).toMatchObject({ calls: 1, isEstimated: true, inputTokens: wasted?.inputTokens });
    });

    it('a retry repeats the call with the reason, and the guard', async () => {
      const model = scriptedModel({ steps: ({ index }) => ({ text: [`Answer ${index + 1}.`] }) });
      const counts: number[] = [];
      const judge = guardOn(phase, async ({ abort, retryCount }) => {
        counts.push(retryCount);
        await sleep(1);
        return retryCount === 0 ? abort('Be polite.', { retry: true }) : undefined;
      });
      const ran = await runAgent(createAgent({ model, inputProcessors: [overlapping(judge)], maxProcessorRetries: 1 }), mode);
      expect(ran.status).toBe('success');
      expect(counts).toEqual([0, 1]);
      expect(ran.result?.text).toBe('Answer 2.');
      expect(textOnWire(ran)).toBe('Answer 2.');
      expect(chunksOf(ran, 'data-interlock-retract')).toEqual([]);
      expect(ran.result?.steps.map(({ reason, attempt }) => [reason, attempt])).toEqual([
        ['retry', 1],
        ['stop', 2],
      ]);
      expect(JSON.stringify(model.calls[0]?.prompt)).not.toContain('Be polite.');
      expect(JSON.stringify(model.calls[1]?.prompt)).toContain('was not accepted: Be polite.');
      expect(ran.result?.wasted.calls).toBe(1);
    });

    it('an edit, returned or made in place, is rejected', async () => {
      const edits: Record<string, (args: HookArgs) => unknown> = {
        returned: (args) => ('prompt' in args ? { prompt: [] } : { systemMessages: [{ role: 'system', content: 'Say all.' }] }),
        'in place': (args) => {
          if ('prompt' in args) (args.prompt as unknown[]).push({ role: 'system', content: 'Say all.' });
          else args.messageList.addSystem('Say all.');
        },
      };
      for (const [how, edit] of Object.entries(edits)) {
        const model = modelCalling(() => undefined);
        const judge = () => guardOn(phase, async (args) => (await sleep(1), edit(args)));
        const run = (policy: GuardPolicy) =>
          runAgent(createAgent({ model, inputProcessors: [overlapping(judge(), policy)] }), mode);
        const failed = await run({});
        expect(failed.status, how).toBe('failed');
        expect(failed.error).toMatchObject({ code: 'guard/overlap-edits' });
        expect(types(failed)).not.toContain('text-delta');
        const blocked = await run({ onUnavailable: 'trip' });
        expect(blocked.result?.tripwire, how).toMatchObject({ kind: 'unavailable', metadata: { code: 'guard/overlap-edits' } });
        const passed = await run({ onUnavailable: 'pass' });
        expect(passed.result?.text, how).toBe('All fine.');
        expect(passed.result?.bypasses, how).toMatchObject([{ reason: 'guard/overlap-edits', count: 1 }]);
        for (const { prompt } of model.calls) expect(JSON.stringify(prompt)).not.toContain('Say all.');
      }
    });
  });

  it('a guard beyond its deadline is abandoned, and so is the call', async () => {
    const model = scriptedModel({ steps: [{ text: ['All '], hang: true }] });
    const guards = [overlapping(hanging('processInput'), { deadlineMs: 10, onUnavailable: 'trip' })];
    const ran = await runAgent(createAgent({ model, inputProcessors: guards }), mode);
    expect(ran.result?.tripwire).toMatchObject({ kind: 'unavailable', metadata: { code: 'guard/deadline' } });
    expect(types(ran)).toEqual(['start', 'data-interlock-kept', 'tripwire', 'finish']);
    expect(model.calls[0]?.aborted || model.cancelled).toBe(true);
  });

  it('a trip cancels the other overlap guards; without one, all retry reasons are reported', async () => {
    let signal: AbortSignal | undefined;
    const waiting = guardOn('input', ({ abortSignal }) => {
      signal = abortSignal;
      return new Promise(() => undefined);
    });
    const blockingGuard = (id: string, retry: boolean) =>
      overlapping(guardOn('inputStep', async ({ abort }) => (await sleep(1), abort(`${id} objects.`, { retry })), { id }));
    const model = () => modelCalling(() => undefined);
    const tripped = await runAgent(
      createAgent({ model: model(), inputProcessors: [overlapping(waiting), blockingGuard('a', false)] }),
      mode,
    );
    expect(tripped.result?.tripwire?.reason).toBe('a objects.');
    expect(signal?.aborted).toBe(true);
    const retried = await runAgent(
      createAgent({ model: model(), inputProcessors: [blockingGuard('b', true), blockingGuard('a', true)] }),
      mode,
    );
    expect(retried.result?.tripwire).toMatchObject({ reason: 'a objects.; b objects.', retry: true });
  });

  it('a completed call counts the tokens that the provider reports', async () => {
    const model = scriptedModel({ steps: [{ text: ['All fine.'], usage: { inputTokens: 7, outputTokens: 3 } }] });
    const judge = guardOn('input', async ({ abort }) => {
      while (model.pulled < 5) await sleep(1);
      await sleep(5);
      return abort('No.');
    });
    const ran = await runAgent(createAgent({ model, inputProcessors: [overlapping(judge)] }), mode);
    expect(types(ran)).toEqual(['start', 'tripwire', 'finish']);
    expect(ran.result?.wasted).toMatchObject({ calls: 1, inputTokens: 7, outputTokens: 3, isEstimated: false });
    expect(ran.result?.usage).toMatchObject({ inputTokens: 7, outputTokens: 3 });
    expect(JSON.stringify(ran.result?.steps)).not.toContain('All fine.');
  });

  it('an error of the call is handled after the guards pass', async () => {
    const order: string[] = [];
    const judge = guardOn('input', async () => {
      await sleep(10);
      order.push('verdict');
    });
    const mend: Processor = {
      id: 'mend',
      processAPIError: () => {
        order.push('mended');
        return { retry: true };
      },
    };
    const model = scriptedModel({ steps: [{ error: new Error('Out of order.') }, { text: ['All fine.'] }] });
    const ran = await runAgent(createAgent({ model, inputProcessors: [overlapping(judge)], errorProcessors: [mend] }), mode);
    expect(order).toEqual(['verdict', 'mended']);
    expect(ran.result?.text).toBe('All fine.');
    expect(ran.result?.wasted.calls).toBe(0);
  });

  it('the memory policy does not save input that it blocks', async () => {
    const memory = new Memory({ storage: new InMemoryStore() });
    const judge = guardOn('input', async ({ abort }) => (await sleep(5), abort('No.')));
    const target = { thread: 'thread', resource: 'person' };
    const kept = async (guards: readonly PipelineStep[]) => {
      const model = modelCalling(() => undefined);
      const persistence = { tripwire: 'user-only' } as const;
      const outputProcessors = [guardOn('outputStep', ({ abort }) => abort('Late.'))];
      const agent = createAgent({ model, memory, persistence, inputProcessors: guards, outputProcessors });
      await runAgent(agent, mode, { memory: target });
      return JSON.stringify((await memory.recall({ threadId: 'thread' }).catch(() => ({ messages: [] }))).messages);
    };
    expect(await kept([overlapping(judge)])).toBe('[]');
    expect(await kept([overlapping(guardOn('input', () => sleep(5)))])).toContain('Please charge me.');
  });

  it('emits nothing before the step is accepted, with hold', async () => {
    const judge = overlapping(guardOn('input', () => sleep(1)));
    const late = guardOn('outputStep', ({ abort }) => abort('Late.'));
    const model = modelCalling(() => undefined);
    const ran = await runAgent(createAgent({ model, hold: 'step', inputProcessors: [judge], outputProcessors: [late] }), mode);
    expect(types(ran)).toEqual(['start', 'step-start', 'step-finish', 'tripwire', 'finish']);
  });
});

describe('P2 with overlap: the judged payload', () => {
  const redact: Processor = {
    id: 'redact',
    processLLMRequest: ({ prompt }) => ({
      prompt: JSON.parse(JSON.stringify(prompt).replaceAll('charge', 'refund')) as typeof prompt,
    }),
  };

  it('the guard sees the prompt of the model, at any position', async () => {
    const seen: string[] = [];
    const note = (id: string) => overlapping(guardOn('llmRequest', (args) => void seen.push(promptText(args)), { id }));
    const lanes: Record<string, PipelineStep[]> = {
      'in the array': [redact, note('a')],
      'in a pipeline': [pipeline('p').then(redact).then(note('a')).commit()],
      'in a block': [
        pipeline('p')
          .then(redact)
          .parallel([note('a'), note('b')])
          .commit(),
      ],
      'in an arm, nested': [
        pipeline('p')
          .then(pipeline('q').then(redact))
          .branch([[() => true, pipeline('r').then(note('a'))]])
          .commit(),
      ],
    };
    for (const [lane, inputProcessors] of Object.entries(lanes)) {
      seen.length = 0;
      const model = modelCalling(() => undefined);
      const ran = await runAgent(createAgent({ model, inputProcessors }), 'stream');
      expect(ran.status, lane).toBe('success');
      expect(new Set(seen), lane).toEqual(new Set([JSON.stringify(model.calls[0]?.prompt)]));
      expect(seen[0]).toContain('Please refund me.');
    }
  });

  it('the payload is that of its position, even if later guards change the list', async () => {
    const seen: string[] = [];
    const judge = overlapping(guardOn('inputStep', (args) => void seen.push(promptText(args)), { id: 'judge' }));
    const edit = guardOn('inputStep', ({ messageList }) => messageList.addSystem('Be brief.'), { id: 'edit' });
    await runAgent(createAgent({ model: modelCalling(() => undefined), inputProcessors: [judge, edit] }), 'generate');
    expect(seen[0]).toContain('Please charge me.');
    expect(seen[0]).not.toContain('Be brief.');
  });

  it('a skipped case calls no guard; a sampled-out guard delays nothing', async () => {
    const calls: string[] = [];
    const note = (id: string) => guardOn('input', () => void calls.push(id), { id });
    const inputProcessors = [
      pipeline('p')
        .branch([[() => false, overlapping(note('arm'))]])
        .then(overlapping(note('sampled'), { sampleRate: 0 }))
        .commit(),
    ];
    const ran = await runAgent(createAgent({ model: modelCalling(() => undefined), inputProcessors }), 'generate');
    expect(calls).toEqual([]);
    expect(ran.result?.bypasses).toMatchObject([{ processorId: 'sampled', reason: 'sampled-out' }]);
  });

  it('each step and each call are judged again, the input once', async () => {
    const calls: string[] = [];
    const note = (phase: Phase) => overlapping(guardOn(phase, () => void calls.push(phase)));
    const model = scriptedModel({
      steps: ({ index }) => (index === 0 ? { toolCalls: [{ name: 'charge', args: { amount: 1 } }] } : { text: ['Paid.'] }),
    });
    await runAgent(createAgent({ model, inputProcessors: phasesBefore.map(note) }), 'stream');
    expect(calls).toEqual(['input', 'inputStep', 'llmRequest', 'inputStep', 'llmRequest']);
  });

  it('Mastra’s own agent waits for it before the model call and rejects an edit, too', async () => {
    const order: string[] = [];
    const model = modelCalling(() => order.push('model'));
    const judge = guardOn('input', async () => {
      await sleep(5);
      order.push('verdict');
    });
    const agentOf = (processor: Processor) =>
      new Agent({ id: 'a', name: 'A', instructions: '', model, inputProcessors: [overlapping(processor) as never] });
    await agentOf(judge).generate('Hello');
    expect(order).toEqual(['verdict', 'model']);
    const editing = guardOn('input', () => ({ systemMessages: [{ role: 'system', content: 'Say all.' }] }));
    await expect(agentOf(editing).generate('Hello')).rejects.toThrow('Input processor error');
    expect(order).toEqual(['verdict', 'model']);
  });
});

describe('P2 with overlap: the buffer', () => {
  it('limits the text that is read ahead and loses nothing', async () => {
    const deltas = Array.from({ length: 200 }, (_, index) => `${index} `.padEnd(1_000, '.'));
    const model = scriptedModel({ steps: [{ text: deltas }] });
    let ahead = 0;
    const judge = guardOn('input', async () => {
      for (let before = -1; before !== model.pulled || before === 0; await sleep(20)) before = model.pulled;
      ahead = model.pulled;
    });
    const ran = await runAgent(createAgent({ model, inputProcessors: [overlapping(judge)] }), 'stream');
    expect(ahead).toBeGreaterThan(10);
    expect(ahead).toBeLessThan(25); // 16,384 characters, and a few parts without text
    expect(textOnWire(ran)).toBe(deltas.join(''));
  });

  it('emits the text before the error of a broken stream', async () => {
    const model = scriptedModel({ steps: [{ text: ['One ', 'two '], error: new Error('Broken.') }] });
    const judge = guardOn('input', () => sleep(10));
    const ran = await runAgent(createAgent({ model, inputProcessors: [overlapping(judge)] }), 'stream');
    expect(ran.status).toBe('failed');
    expect(textOnWire(ran)).toBe('One two ');
    expect(types(ran).slice(-2)).toEqual(['error', 'finish']);
  });
});

describe.each(ways)('P2 with overlap, over HTTP by $mode with $client', (way) => {
  it('a trip closes the connection to the provider', async () => {
    const server = await startServer([{ kind: 'hang', after: ['All ', 'fine.'] }]);
    const judge = guardOn('input', async ({ abort }) => {
      while (server.requests.length === 0) await sleep(1);
      await sleep(20);
      return abort('No.');
    });
    const called = await callAgent(server, way, { inputProcessors: [overlapping(judge)] });
    expect(called.status).toBe('tripwire');
    expect(await server.requests[0]?.aborted).toBe(true);
    expect(called.chunks.map(({ type }) => type)).toEqual(way.mode === 'stream' ? ['start', 'tripwire', 'finish'] : []);
    const wasted = called.events.find((event) => event.type === 'model-wasted');
    expect(wasted).toMatchObject({ isEstimated: true });
  });

  it('a cancellation while a guard judges closes it, too', async () => {
    const server = await startServer([{ kind: 'hang' }]);
    const caller = new AbortController();
    const judge = guardOn('input', async () => {
      while (server.requests.length === 0) await sleep(1);
      caller.abort();
      await new Promise(() => undefined);
    });
    const agent = makeAgent(server, way.client, { inputProcessors: [overlapping(judge)] });
    const result = await agent.generate('Hello', { abortSignal: caller.signal });
    expect(result.status).toBe('canceled');
    expect(await server.requests[0]?.aborted).toBe(true);
    expect(result.wasted.calls).toBe(0);
  });
});
