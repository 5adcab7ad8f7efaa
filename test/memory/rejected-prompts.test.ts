import { createTool } from '@mastra/core/tools';
import { InMemoryStore } from '@mastra/core/storage';
import { Memory } from '@mastra/memory';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import type { Processor } from '@mastra/core/processors';
import { guard, pipeline, type GuardTraits, type Phase } from '../../src/index.js';
import type { ScriptedStep } from '../../src/testing/index.js';
import { limitGuard } from '../../workflows/guards/index.js';
import { modes } from '../mastra/support.js';
import { guardOn } from '../promises/support.js';
import { remembering, target } from './support.js';

const attack = 'ATTACK-0815';

/** Each page is read in a step of its own; the last one attacks. */
const pages = ['a', 'b', 'attack'];
const read = createTool({
  id: 'read',
  description: 'Reads a page.',
  inputSchema: z.object({ page: z.string() }),
  execute: async ({ page }) => (page === 'attack' ? attack : `page ${page}`),
});
const steps = (count: number): ScriptedStep<'v2'>[] => [
  ...pages.slice(-count).map((page) => ({ text: `Reading ${page}.`, toolCalls: [{ name: 'read', args: { page } }] })),
  { text: 'Fine.' },
];

const phases: readonly Phase[] = ['inputStep', 'llmRequest'];
const cases = phases.flatMap((phase) => [1, 2, 3].map((count) => ({ phase, count })));

type Agent = ReturnType<typeof remembering>['agent'];
const ask = async (agent: Agent, mode: (typeof modes)[number], text: string, options: object) =>
  mode === 'generate' ? agent.generate(text, options) : (await agent.stream(text, options)).getFullOutput();

/** Blocks the third prompt, whatever its content. */
const counter = (phase: Phase, traits?: GuardTraits): Processor => {
  let prompts = 0;
  return Object.assign(
    guardOn(phase, ({ abort }) => abort('Enough.'), { when: () => (prompts += 1) === 3 }),
    { traits },
  );
};
const limited = (unit: 'steps' | 'calls'): Processor =>
  limitGuard({ limits: [{ unit, per: 'run', limiter: new RateLimiterMemory({ points: 2, duration: 60 }) }] });
const outage = (phase: Phase): Processor => {
  let prompts = 0;
  const fails = guardOn(phase, () => Promise.reject(new Error('down')), { when: () => (prompts += 1) === 3 });
  return guard(fails, { onUnavailable: 'trip' });
};
const limits: readonly (readonly [string, boolean, () => Processor])[] = [
  ['a limit of steps', true, () => limited('steps')],
  ['a limit of calls', true, () => limited('calls')],
  ...phases.flatMap((phase): (readonly [string, boolean, () => Processor])[] => [
    [`a counter in ${phase} with the trait`, true, () => counter(phase, { ignoresContent: true })],
    [`the same with a policy`, true, () => guard(counter(phase, { ignoresContent: true }), { deadlineMs: 5_000 })],
    [`a counter in ${phase} without it`, false, () => counter(phase)],
    [`an outage in ${phase}`, true, () => outage(phase)],
    [
      `a counter in ${phase} in parallel with a guard that rejects the content`,
      false,
      () =>
        pipeline('both')
          .parallel([
            { ...counter(phase, { ignoresContent: true }), id: 'a' },
            { ...counter(phase), id: 'b' },
          ])
          .commit() as never, // a workflow is a processor
    ],
  ]),
];

describe.each(modes)('a prompt that a limit blocks, %s', (mode) => {
  it.each(limits)('%s: memory has the last result: %s', async (_name, isKept, guardOf) => {
    for (const savePerStep of [false, true]) {
      const memory = new Memory({ storage: new InMemoryStore() });
      const { agent, model } = remembering(memory, steps(3), { tools: { read }, inputProcessors: [guardOf()] });
      expect((await ask(agent, mode, 'Read all.', { memory: target, savePerStep })).status).toBe('tripwire');
      const saved = await memory.recall({ threadId: target.thread, resourceId: target.resource });
      const text = JSON.stringify(saved.messages);
      expect(text).toContain('page a');
      expect(text.includes('page b')).toBe(isKept);
      expect(text.includes('Reading b.')).toBe(isKept);
      expect(text.match(/"toolName":"read"/g)).toHaveLength(2);
      expect((await ask(agent, mode, 'And now?', { memory: target })).status).toBe('success');
      expect(JSON.stringify(model.calls.at(-1)?.prompt).includes('page b')).toBe(isKept);
    }
  });
});

describe.each(modes)('a prompt that a guard rejects, %s', (mode) => {
  it.each(cases)(
    '$phase, after $count steps: memory has the name of the tool that was called, and the thread continues',
    async ({ phase, count }) => {
      const memory = new Memory({ storage: new InMemoryStore() });
      const when = ({ messages, prompt }: { messages?: unknown; prompt?: unknown }) =>
        JSON.stringify([messages, prompt]).includes(attack);
      const attacked = guardOn(phase, ({ abort }) => abort('No.'), { when: when as never });
      for (const savePerStep of [false, true]) {
        const thread = { ...target, thread: `thread-${savePerStep}` };
        const { agent, model } = remembering(memory, steps(count), { tools: { read }, inputProcessors: [attacked] });
        const result = await ask(agent, mode, 'Read all.', { memory: thread, savePerStep });
        expect(result.status).toBe('tripwire');
        const history = JSON.stringify([result.messages, result.response]); // of an application without memory
        expect(history).not.toContain(attack);
        expect(history).not.toContain('Reading attack.');
        expect(new Set(history.match(/Reading \w+\./g)).size).toBe(count - 1);
        const { messages } = await memory.recall({ threadId: thread.thread, resourceId: thread.resource });
        const saved = JSON.stringify(messages);
        expect(saved).not.toContain(attack);
        expect(saved).not.toContain('Reading attack.');
        expect(new Set(saved.match(/Reading \w+\./g)).size).toBe(count - 1);
        expect(saved.match(/"page":/g) ?? []).toHaveLength(count - 1);
        expect(saved.match(/"toolName":"read"/g)).toHaveLength(count);
        expect((await ask(agent, mode, 'And now?', { memory: thread })).status).toBe('success');
        expect(JSON.stringify(model.calls.at(-1)?.prompt)).not.toContain(attack);
      }
    },
  );
});

it.each(cases)('a caller without memory continues with a result, $phase, after $count steps', async ({ phase, count }) => {
  const when = (payload: { messages?: unknown; prompt?: unknown }) =>
    JSON.stringify([payload.messages, payload.prompt]).includes(attack);
  const attacked = guardOn(phase, ({ abort }) => abort('No.'), { when: when as never });
  const { agent, model } = remembering(undefined, steps(count), { tools: { read }, inputProcessors: [attacked] });
  const { messages, response, status } = await agent.generate('Read all.');
  expect(status).toBe('tripwire');
  for (const history of [messages, response['messages']]) {
    expect(JSON.stringify(history)).not.toContain(attack);
    expect(JSON.stringify(history).match(/"toolName":"read"/g)?.length).toBeGreaterThanOrEqual(count);
  }
  expect(JSON.stringify(messages)).toContain('Read all.');
  const next = await agent.generate([...messages, { role: 'user', content: 'And now?' }] as never); // stored messages
  expect(next.status).toBe('success');
  const prompt = JSON.stringify(model.calls.at(-1)?.prompt);
  expect(prompt).toContain('Read all.');
  expect(new Set(prompt.match(/Reading \w+\./g)).size).toBe(count - 1);
});

const rows: readonly (readonly [string, Phase, number, boolean, object])[] = [
  ['a question', 'input', 0, false, {}],
  ['the first prompt', 'inputStep', 0, false, {}],
  ['a later prompt, of an answer that was sent', 'inputStep', 1, false, {}],
  ['a later prompt, of an answer of which nothing was sent', 'inputStep', 1, true, { hold: 'run' }],
  ['an answer that was sent', 'outputResult', 0, false, { hold: 'none' }],
  ['an answer of which nothing was sent', 'outputResult', 0, true, {}],
  ['a step of which nothing was sent', 'outputStep', 0, true, { hold: 'run' }],
];

it.each(rows)('a page keeps what it has after a block of %s', async (_name, phase, step, isMarked, config) => {
  const blocking = guardOn(phase, ({ abort }) => abort('No.'), { when: ({ stepNumber = 0 }) => stepNumber === step });
  const lane = phase.startsWith('input') ? 'inputProcessors' : 'outputProcessors';
  const { agent } = remembering(undefined, steps(3), { tools: { read }, [lane]: [blocking], ...config });
  const types: string[] = [];
  for await (const { type } of (await agent.stream('Read all.')).fullStream as AsyncIterable<{ type: string }>) types.push(type);
  expect(types.slice(types.indexOf('tripwire') - 1, -1)).toEqual([
    isMarked ? 'data-interlock-kept' : expect.any(String),
    'tripwire',
  ]);
  expect(types.includes('data-interlock-kept')).toBe(isMarked);
});
