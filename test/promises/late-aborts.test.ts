import { setTimeout as sleep } from 'node:timers/promises';
import type { Processor } from '@mastra/core/processors';
import { Agent } from '@mastra/core/agent';
import { describe, expect, it } from 'vitest';
import { createGuardedRun, guardSettings, type GuardedRunEvent } from '../../src/ai-sdk/index.js';
import { pipeline } from '../../src/index.js';
import { scriptedModel } from '../../src/testing/index.js';
import { generateText } from 'ai';
import { createAgent, eventsOf, everyHook, guardOn, laned, modelFor, recovering, runAgent, type HookArgs } from './support.js';

/** A guard that keeps the `abort` of its first call, and calls it after its hook has settled: in its next call, or on request. */
const keepsAbort = () => {
  let kept: HookArgs['abort'] | undefined;
  const use = (): void => {
    const abort = kept as ((reason: string) => unknown) | undefined;
    abort?.('too late');
  };
  return { use, act: ({ abort }: HookArgs) => void (kept ??= abort) };
};

describe.each(everyHook)('abort after $hook has settled, $mode', ({ phase, mode }) => {
  it.each(['before the end', 'after the end'])('is ignored and reported: %s', async (when) => {
    const { act, use } = keepsAbort();
    const guard = guardOn(phase, act, { id: 'late' });
    const last: Processor = {
      id: 'last',
      processOutputResult: async ({ messages }) => {
        await sleep(0);
        if (when === 'before the end') use();
        return messages;
      },
    };
    const extra = phase === 'apiError' ? [recovering()] : [];
    const lanes = laned([phase, guard, ...extra]);
    const outputProcessors = [...((lanes.outputProcessors as never[] | undefined) ?? []), last];
    const agent = createAgent({ ...lanes, outputProcessors, model: modelFor(phase) });
    const ran = await runAgent(agent, mode);
    if (when === 'after the end') use();
    expect(ran.status).toBe('success');
    expect(eventsOf(ran, 'late-abort')).toMatchObject([{ phase, processorId: 'late', reason: 'too late' }]);
  });
});

it('a late abort is not the verdict of a later call of the same hook', async () => {
  const { act, use } = keepsAbort();
  let calls = 0;
  const guard = guardOn('outputStream', async (args) => {
    act(args);
    calls += 1;
    if (calls === 1) return;
    use();
    await sleep(0);
  });
  const ran = await runAgent(
    createAgent({ outputProcessors: [guard], model: scriptedModel({ steps: [{ text: ['One ', 'two.'] }] }) }),
    'stream',
  );
  expect(calls).toBeGreaterThan(1);
  expect(ran.status).toBe('success');
});

it('Mastra’s own agent with the pipeline ignores it', async () => {
  const { act, use } = keepsAbort();
  const guards = pipeline('guards')
    .then(guardOn('input', act))
    .then({ id: 'uses', processInputStep: ({ messageList }) => (use(), messageList) })
    .commit();
  const model = scriptedModel({ steps: [{ text: 'Well.' }] }) as never;
  const agent = new Agent({ id: 'a', name: 'a', instructions: 'Help.', model, inputProcessors: [guards as never] });
  const { text, tripwire } = await agent.generate('Hi');
  expect([text, tripwire]).toEqual(['Well.', undefined]);
});

it('a run of the AI SDK ignores and reports it', async () => {
  const { act, use } = keepsAbort();
  const events: GuardedRunEvent[] = [];
  const uses: Processor = { id: 'uses', processOutputStep: ({ messages }) => (use(), messages) };
  const run = createGuardedRun([guardOn('llmRequest', act, { id: 'late' }), uses], {
    onEvent: (event) => void events.push(event),
  });
  const settings = { model: scriptedModel({ specificationVersion: 'v4', steps: [{ text: 'Well.' }] }) };
  const { text } = await generateText({ ...guardSettings(settings, run), prompt: 'Hi' });
  await run.finish();
  expect(text).toBe('Well.');
  expect(events.filter(({ type }) => type === 'late-abort')).toMatchObject([{ processorId: 'late', reason: 'too late' }]);
});
