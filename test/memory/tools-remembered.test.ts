import type { Processor } from '@mastra/core/processors';
import { createTool } from '@mastra/core/tools';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { memoryEngine } from '../../src/index.js';
import type { SavedTurn } from '../../src/loop/persistence.js';
import { inTurn } from '../modes.js';
import { openDisk, remembering, savedIn, target } from './support.js';

const rejected = 'REJECTED-0815';
const receipt = 'RECEIPT-4711';
const opening = 'I pay Bob.';

const hooks = [
  'processInputStep',
  'processLLMRequest',
  'processOutputStream',
  'processLLMResponse',
  'processOutputStep',
  'processToolResult',
  'processOutputResult',
] as const;
type Hook = (typeof hooks)[number];
const acts = ['trips', 'fails', 'judges when the caller cancels'] as const;
type Act = (typeof acts)[number];
type Cause = readonly [Act, Hook] | readonly ['503'] | readonly ['stop'];

const causes: readonly Cause[] = [...hooks.flatMap((hook) => acts.map((act): Cause => [act, hook])), ['503'], ['stop']];
const hosts = ['generate', 'stream', 'durable'] as const;
type Host = (typeof hosts)[number];

/** A guard that acts as soon as the tool has run, in the given hook. */
const guardOf = (cause: Cause, hasPaid: () => boolean, cancel: () => void): Processor[] => {
  const [act, hook] = cause;
  if (!hook) return [];
  const run = ({ abort, part }: { abort: (reason: string) => never; part?: { type: string } }): unknown => {
    if (!hasPaid() || (part && part.type !== 'text-delta')) return part;
    if (act === 'trips') return abort('No.');
    if (act === 'fails') throw new Error('out of order');
    cancel();
    return new Promise(() => undefined);
  };
  return [{ id: 'guard', [hook]: run }];
};

const isOfInput = ([, hook]: Cause): boolean => /Input|LLM/.test(hook ?? '');

interface Turn {
  readonly cause: Cause;
  readonly host: Host;
  readonly options?: object;
  readonly config?: object;
}

/** The user pays and asks whether it worked. Returns what remains of the first turn. */
const payThenAsk = async ({ cause, host, options = {}, config = {} }: Turn) => {
  const disk = openDisk();
  const memory = disk.memory();
  const caller = new AbortController();
  const cancel = (): void => caller.abort();
  let paid = 0;
  const pay = createTool({
    id: 'pay',
    description: 'Pays.',
    inputSchema: z.object({ to: z.string() }),
    execute: async () => ({ receipt, number: (paid += 1) }),
  });
  const guards = guardOf(cause, () => paid === 1, cancel);
  const { agent, model } = remembering(
    memory,
    ({ index, prompt }) => {
      if (JSON.stringify(prompt).includes('Did it work?')) return { text: 'Let me see.' };
      if (index === 0) return { text: opening, toolCalls: [{ name: 'pay', args: { to: 'Bob' } }] };
      if (cause[0] === '503') return { error: Object.assign(new Error('down'), { statusCode: 503, isRetryable: false }) };
      if (cause[0] !== 'stop') return { text: `All done. ${rejected}` };
      setTimeout(cancel, 10);
      return { hang: true };
    },
    {
      tools: { pay },
      [isOfInput(cause) ? 'inputProcessors' : 'outputProcessors']: guards,
      maxRetries: 0,
      ...(host === 'durable' && { durability: memoryEngine() }),
      ...config,
    },
  );
  const given = { memory: target, abortSignal: caller.signal, ...options };
  const mode = host === 'durable' ? 'generate' : host;
  const status = await agent[mode]('Pay Bob.', given)
    .then(async (answer) => ('fullStream' in answer ? (await answer.getFullOutput()).status : answer.status))
    .catch(() => 'failed');
  const rows = await savedIn(memory);
  const isHeld = disk.holds(rejected);
  paid = 0; // the guard is silent from here on
  await agent.generate('Did it work?', { memory: target });
  return { status, rows, isHeld, paid, next: JSON.stringify(model.calls.at(-1)?.prompt) };
};

const statusOf = ([act]: Cause): string =>
  ({ trips: 'tripwire', fails: 'failed', 'judges when the caller cancels': 'canceled', '503': 'failed', stop: 'canceled' })[act];
const isStrict = ([, hook]: Cause): boolean => hook === 'processOutputResult';
/** Whether no guard has rejected the step with the tool, as a result or in a prompt, or could not judge it. */
const isAccepted = ([act, hook]: Cause): boolean =>
  hook !== 'processToolResult' && !(act === 'trips' && /Input|Request|OutputResult/.test(hook));

describe.each(hosts)('a tool that ran is remembered in %s', (host) => {
  it.each(causes)('%s %s', { timeout: 60_000 }, async (...given) => {
    const cause = given as unknown as Cause; // a row of the table
    const turn = causes.findIndex((one) => one.join() === cause.join()) + hosts.indexOf(host);
    for (const savePerStep of inTurn([false, true], turn)) {
      const { status, rows, isHeld, next } = await payThenAsk({ cause, host, options: { savePerStep } });
      const isWhole = isAccepted(cause);
      const isSeen = !isStrict(cause) && (isWhole || statusOf(cause) === 'canceled');
      expect({ savePerStep, status, rows, isHeld }).toEqual({
        savePerStep,
        status: statusOf(cause),
        rows: ['user: Pay Bob.', `assistant: ${isSeen ? `${opening} ` : ''}(tool-invocation)`],
        isHeld: false,
      });
      expect(next).toContain('"toolName":"pay"');
      expect(next).toContain('Pay Bob.');
      expect([next.includes(receipt), next.includes('"to":"Bob"')]).toEqual([isWhole, isWhole]);
      expect(next).not.toContain(rejected);
    }
  });
});

const late: Processor = { id: 'late', processOutputResult: ({ messages }) => messages };

describe.each(hosts)('calls of accepted steps stay without words in %s', (host) => {
  it.each([
    ['a guard judges the whole answer', { outputProcessors: [late] }],
    ['the answer is withheld', { hold: 'run' }],
  ])('%s', { timeout: 60_000 }, async (_name, config) => {
    for (const cause of [['503'], ['stop'], ['fails', 'processInputStep'], ['fails', 'processLLMRequest']] as const) {
      const { rows, isHeld, next } = await payThenAsk({ cause, host, config });
      expect({ cause, rows, isHeld }).toEqual({ cause, rows: ['user: Pay Bob.', 'assistant: (tool-invocation)'], isHeld: false });
      expect([next.includes(receipt), next.includes('"to":"Bob"'), next.includes(opening)]).toEqual([true, true, false]);
    }
  });

  it('also those of the last step', async () => {
    const { status, rows, next } = await payThenAsk({
      cause: ['fails', 'processOutputResult'],
      host,
      options: { maxSteps: 1 },
    });
    expect({ status, rows }).toEqual({ status: 'failed', rows: ['user: Pay Bob.', 'assistant: (tool-invocation)'] });
    expect([next.includes(receipt), next.includes('"to":"Bob"')]).toEqual([true, true]);
  });
});

it.each([
  ['another call', 'Ann', 2],
  ['an equal call', 'Bob', 1],
])('a call of a rejected attempt is remembered if the next attempt makes %s', async (_name, to, count) => {
  const memory = openDisk().memory();
  const execute = async () => ({ receipt });
  const pay = createTool({ id: 'pay', description: 'Pays.', inputSchema: z.object({ to: z.string() }), execute });
  let results = 0;
  const outputProcessors: Processor[] = [
    {
      id: 'guard',
      processToolResult: ({ abort }) => ((results += 1) === 1 ? abort('Again.', { retry: true }) : undefined),
      processOutputStep: ({ abort, text, messages }) => (text ? abort('No.') : messages),
    },
  ];
  const steps = [...['Bob', to].map((name) => ({ toolCalls: [{ name: 'pay', args: { to: name } }] })), { text: rejected }];
  const { agent } = remembering(memory, steps, { tools: { pay }, outputProcessors, maxProcessorRetries: 1 });
  expect((await agent.generate('Pay.', { memory: target })).status).toBe('tripwire');
  expect((await savedIn(memory)).at(-1)).toBe(`assistant: ${Array.from({ length: count }, () => '(tool-invocation)').join(' ')}`);
});

describe.each([false, true])('persistence with savePerStep %s', (savePerStep) => {
  const policies: readonly [Exclude<SavedTurn, 'accepted'>, readonly string[]][] = [
    ['drop', []],
    ['user-only', ['user: Pay Bob.']],
    ['placeholder', ['user: Pay Bob.', 'assistant: ']],
  ];
  it.each(policies)('%s applies to every end', { timeout: 60_000 }, async (policy, expected) => {
    const persistence = { tripwire: policy, failed: policy, canceled: policy };
    const turn = policies.findIndex(([name]) => name === policy) + Number(savePerStep);
    for (const cause of inTurn(causes, turn, 3)) {
      const { rows, next } = await payThenAsk({ cause, host: 'generate', options: { savePerStep }, config: { persistence } });
      const wasSaved = savePerStep && !isStrict(cause) && cause[1] !== 'processToolResult'; // with its step, before the end
      const question = wasSaved ? ['user: Pay Bob.'] : [];
      expect({ cause, rows: rows.map((row) => row.replace(/^assistant: .*/s, 'assistant: ')) }).toEqual({
        cause,
        rows: expected.length > 0 ? expected : question,
      });
      expect(next).not.toContain('"toolName":"pay"');
    }
  });
});
