import type { Processor } from '@mastra/core/processors';
import { streamText } from 'ai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { stepChars } from '../../src/guard/in-steps.js';
import type { Pattern, WindowedProcessor } from '../../src/guard/pattern.js';
import { guardedToolLoop, toStreamTransform, withGuards } from '../../src/ai-sdk/index.js';
import { InterlockAgent } from '../../src/index.js';
import type { InterlockConfig } from '../../src/mastra/agent/config.js';
import { scriptedModel } from '../../src/testing/index.js';
import { blockedTermsGuard, canaryGuard, promptInjectionGuard, redactor, unicodeGuard } from '../../workflows/guards/index.js';
import { isDeep } from '../modes.js';
import { callHook, user } from '../../workflows/test-setup.js';

/** Text that makes a guard search often: values, and beginnings of values. */
const shapes: Readonly<Record<string, string>> = {
  prose: 'The parcel left on Monday and arrives in three days. ',
  'a table of addresses': '17,Jane Roe,jane.roe17@example.com,active\n',
  addresses: 'a@b.com, ',
  'digits and dashes': '4-4-4-',
  'digits and blanks': '4 4 ',
  'groups of digits': '4539 1488 ',
  colons: ':',
  'zero-width spaces': '\u200b',
  'soft hyphens': 'so\u00adft hy\u00adphens ',
  'look-alikes': 'іgnоrе ',
  codes: '\\u0040',
  'full-width digits': '４-',
  'beginnings of blocks': '-----BEGIN A-----',
  isolates: '\u2066',
  terms: 'forbidden ',
};
const textOf = (unit: string, length: number): string => unit.repeat(Math.ceil(length / unit.length)).slice(0, length);

const guards = {
  redactor: () => redactor({ strategy: 'replace' }),
  'redactor of answers': () => redactor({ strategy: 'block', places: ['answer'], allow: ['b.com', 'example.com'] }),
  unicodeGuard: () => unicodeGuard(),
  blockedTermsGuard: () => blockedTermsGuard({ terms: ['forbidden'], strategy: 'redact' }),
} satisfies Record<string, () => Processor>;

/** The event loop's turns, and the characters read since the last one. */
const loop = { turns: 0, read: 0, mostRead: 0, isOver: false };
const tick = (): void => {
  loop.turns += 1;
  loop.read = 0;
  if (!loop.isOver) setImmediate(tick);
};
beforeAll(() => void setImmediate(tick));
afterAll(() => void (loop.isOver = true));

/** A guard whose pattern counts the characters that it reads. */
const counting = (guard: WindowedProcessor): { guard: Processor; work: () => number } => {
  const { pattern } = guard.window as { pattern: Pattern };
  let work = 0;
  const count = (chars: number): void => {
    work += chars;
    loop.read += chars;
    loop.mostRead = Math.max(loop.mostRead, loop.read);
  };
  const counted: Pattern = {
    ...pattern,
    find: (text, from, until = text.length) => {
      count(until - from);
      return pattern.find(text, from, until);
    },
    open: (text, from) => {
      count(Math.min(text.length - from, stepChars));
      return pattern.open?.(text, from) ?? from;
    },
  };
  return { guard: Object.assign(guard, { window: { pattern: counted } }), work: () => work };
};

const workOf = async (name: keyof typeof guards, pieces: string[], mode: 'generate' | 'stream'): Promise<number> => {
  const { guard, work } = counting(guards[name]());
  const model = scriptedModel({ steps: [{ text: pieces }] });
  const agent = new InterlockAgent({ id: 'a', name: 'A', instructions: 'Help.', model, outputProcessors: [guard] });
  if (mode === 'generate') await agent.generate('Go.');
  else for await (const _ of (await agent.stream('Go.')).fullStream) void _;
  return work();
};

const cut = (text: string, size: number): string[] => text.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? [];

describe('P12: the cost of a guard is linear and bounded', () => {
  describe.each(Object.keys(guards) as (keyof typeof guards)[])('%s', (name) => {
    it.each(['generate', 'stream'] as const)('twice the text is at most 2.5 times the work, in %s', async (mode) => {
      const tooMuch: string[] = [];
      const turn = Object.keys(guards).indexOf(name) + (mode === 'generate' ? 0 : 2);
      for (const [index, [shape, unit]] of Object.entries(shapes).entries()) {
        if (!isDeep && index % 4 !== turn % 4) continue; // p12-guards.test.ts has the hardest shapes of each guard
        for (const size of mode === 'generate' ? [Infinity] : [64, Infinity]) {
          const least = size === Infinity ? 6_000 : 1_500;
          const piecesOf = (length: number) => (size === Infinity ? [textOf(unit, length)] : cut(textOf(unit, length), size));
          const [once, twice] = [await workOf(name, piecesOf(least), mode), await workOf(name, piecesOf(2 * least), mode)];
          const gathered = size === Infinity ? 1_000 : 4 * least; // during a guard's pause; varies with the timing
          if (twice > 2.5 * once + gathered) tooMuch.push(`${shape} in pieces of ${size}: ${once}, then ${twice}`);
        }
      }
      expect(tooMuch).toEqual([]);
    });
  });

  it('lets other work run while it reads a long answer', async () => {
    Object.assign(loop, { read: 0, mostRead: 0 });
    await workOf('redactor', [textOf(shapes['a table of addresses'] ?? '', 120_000)], 'generate');
    expect(loop.mostRead).toBeLessThanOrEqual(4 * stepChars);
  });

  it('pauses within a step and finds text across a pause', async () => {
    const guard = canaryGuard({ minOverlap: 32 });
    const secret = 'The word that opens the vault is swordfish, and only the keeper knows it.';
    const messageList = { getAllSystemMessages: () => [{ role: 'system', content: secret }] };
    const clean = textOf(shapes['prose'] ?? '', 200_000);
    const before = loop.turns;
    expect(await callHook(guard, 'processOutputStep', { messageList, text: clean })).not.toHaveProperty('tripped');
    expect(loop.turns - before).toBeGreaterThan(200_000 / stepChars / 2);
    const text = clean.slice(0, stepChars - 30) + secret + clean;
    expect(await callHook(guard, 'processOutputStep', { messageList, text })).toHaveProperty('tripped');
  });

  it('judges short sentences together', () => {
    const { pattern } = canaryGuard().window as { pattern: Pattern };
    expect(pattern.find('a.'.repeat(500), 0).length).toBeLessThan(20);
  });

  describe('a provider that never waits', () => {
    const deltas = Array.from({ length: 5_000 }, () => 'word ');
    const guarded: Processor = { id: 'reads-chunks', processOutputStream: ({ part }) => Promise.resolve(part) };
    const ofSentences: WindowedProcessor = { ...guarded, id: 'reads-sentences', window: 'sentence' };
    const model = () => scriptedModel({ steps: [{ text: deltas }] });
    const agentWith = (config: InterlockConfig) =>
      new InterlockAgent({ id: 'a', name: 'A', instructions: 'Help.', model: model(), ...config });
    const read = async (stream: AsyncIterable<unknown>): Promise<void> => {
      for await (const _ of stream) void _;
    };
    const readings: Readonly<Record<string, () => Promise<unknown>>> = {
      'InterlockAgent, stream': async () => read((await agentWith({}).stream('Go.')).fullStream),
      'InterlockAgent, a guard of chunks': async () =>
        read((await agentWith({ outputProcessors: [guarded] }).stream('Go.')).fullStream),
      'InterlockAgent, a guard of sentences': async () =>
        read((await agentWith({ outputProcessors: [ofSentences] }).stream('Go.')).fullStream),
      'InterlockAgent, no reader': () =>
        agentWith({})
          .stream('Go.')
          .then(({ text }) => text),
      'InterlockAgent, a cached answer': async () => {
        const chunks = deltas.map((text) => ({ type: 'text-delta', payload: { id: '1', text } }));
        const finish = { type: 'finish', payload: { stepResult: { reason: 'stop' }, output: {}, metadata: {} } };
        const response = { chunks: [...chunks, finish] } as never; // a guard may have made them itself
        await read(
          (await agentWith({ inputProcessors: [{ id: 'cache', processLLMRequest: () => ({ response }) }] }).stream('Go.'))
            .fullStream,
        );
      },
      withGuards: () => read(streamText({ model: withGuards(model(), [guarded]), prompt: 'Go.' }).fullStream),
      toStreamTransform: () =>
        read(streamText({ model: model(), prompt: 'Go.', experimental_transform: toStreamTransform([guarded]) }).fullStream),
      guardedToolLoop: async () =>
        read((await guardedToolLoop({ model: model(), guards: [guarded] }).stream({ prompt: 'Go.' })).fullStream),
    };

    it.each(Object.entries(readings))('lets other work run: %s', async (_name, run) => {
      const before = loop.turns;
      await run();
      expect(loop.turns - before).toBeGreaterThan(deltas.length / 512);
    });
  });

  const long = { redactor: guards.redactor, unicodeGuard: guards.unicodeGuard, promptInjectionGuard };
  describe.each(Object.entries(long))('%s, on long texts', (_name, make) => {
    const text = textOf(shapes['prose'] ?? '', 200_000);
    const turnsIn = async (hook: 'processInput' | 'processToolResult', args: object): Promise<number> => {
      const before = loop.turns;
      await callHook(make(), hook, args);
      return loop.turns - before;
    };
    const atLeast = 200_000 / stepChars / 2;

    it('pauses within a message', async () => {
      expect(await turnsIn('processInput', { messages: [user(text)] })).toBeGreaterThan(atLeast);
    });

    it('pauses within many short strings of a tool result', async () => {
      const result = cut(text, 1_000).map((part, index) => `${index} ${part}`); // equal ones are read once
      expect(await turnsIn('processToolResult', { result, toolCallId: 'c', toolName: 't' })).toBeGreaterThan(atLeast);
    });
  });
});
