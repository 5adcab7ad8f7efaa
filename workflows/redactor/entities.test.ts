import { createTool } from '@mastra/core/tools';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { collectTraces, formatTrace, replay, traceOfKind } from '../../src/replay.js';
import { guard as guarded, InterlockAgent, pipeline, type GuardPolicy } from '../../src/index.js';
import { assertChunkInvariant, assertNoFragment, scriptedModel } from '../../src/testing/index.js';
import { twoWayCuts, unitCuts } from '../../src/testing/cuts.js';
import { delta, sendAll, texts, thought } from '../../src/stream/gate/test-setup.js';
import { shapesOf } from '../../test/modes.js';
import { hosts, runOn } from '../guards/test-setup.js';
import type { EntityRecognizer } from '../patterns/entity-finder.js';
import { callHook, user } from '../test-setup.js';
import { redactor } from './redactor.js';

const names = { 'Jane Doe': 'person', Paris: 'location', 'Initech GmbH': 'organization' } as const;

/** Knows a few names, after a wait; lists the texts that it reads. */
const recognizer = (): EntityRecognizer & { calls: string[] } => {
  const self = {
    calls: [] as string[],
    find: async (given: readonly string[]) => {
      await new Promise((resolve) => setTimeout(resolve, 0));
      self.calls.push(...given);
      return given.map((text) =>
        Object.entries(names).flatMap(([name, kind]) =>
          [...text.matchAll(new RegExp(name, 'g'))].map(({ index }) => ({ start: index, end: index + name.length, kind })),
        ),
      );
    },
  };
  return self;
};

const text = 'Ask Jane Doe of Initech GmbH (jane@example.com) in Paris.';
const replaced = 'Ask [PERSON] of [ORGANIZATION] ([EMAIL]) in [LOCATION].';
const strategies = ['mask', 'hash', 'remove', 'replace', 'block'] as const;

describe('entities of a redactor', { timeout: 60_000 }, () => {
  it.each(strategies)('%s: the result does not depend on the chunks', async (strategy) => {
    await assertChunkInvariant([redactor({ strategy, entities: recognizer(), key: 'pepper' })], [text], {
      shapes: shapesOf(strategies.indexOf(strategy)),
      randomCuts: 3,
    });
  });

  it('no fragment of a name leaves, in every shape', async () => {
    for (const [turn, value] of Object.keys(names).entries())
      await assertNoFragment([redactor({ strategy: 'block', kinds: [], entities: recognizer() })], [{ text, value }], {
        shapes: shapesOf(turn),
        randomCuts: 3,
      });
  });

  it('replaces names in text, reasoning and parallel texts', async () => {
    const guard = redactor({ strategy: 'replace', entities: recognizer() });
    for (const pieces of [[text], unitCuts(text), ...twoWayCuts(text)]) {
      const chunks = pieces.flatMap((piece) => [delta(piece), thought(piece), delta(piece, 'two')]);
      expect(texts((await sendAll([guard], chunks)).emitted), JSON.stringify(pieces)).toMatchObject({
        'text one': replaced,
        'reasoning one': replaced,
        'text two': replaced,
      });
    }
  });

  it('replaces the rest of a name that began in the part before', async () => {
    const guard = redactor({ strategy: 'replace', kinds: [], entities: recognizer() });
    const { emitted } = await sendAll([guard], [delta('Ask Jane'), delta(' Doe now', 'two')]);
    expect(texts(emitted)['text two']).toBe('[PERSON] now');
  });

  it('does not take its own replacements for names', async () => {
    const eager: EntityRecognizer = {
      find: (given) =>
        Promise.resolve(
          given.map((one) =>
            [...one.matchAll(/[A-Z]\w+/g)].map(({ 0: name, index }) => ({
              start: index,
              end: index + name.length,
              kind: 'person',
            })),
          ),
        ),
    };
    const { result } = await callHook(redactor({ strategy: 'replace', entities: eager }), 'processInput', {
      messages: [user('Jane, [PERSON_7] and ada@example.com')],
    });
    expect(JSON.stringify(result)).toContain('[PERSON], [PERSON_7] and [EMAIL]');
  });

  it('reads a text once, however it was cut, and a conversation once', async () => {
    const entities = recognizer();
    const guard = redactor({ strategy: 'replace', kinds: [], entities });
    await sendAll(
      [guard],
      unitCuts('No name in here. '.repeat(50)).map((piece) => delta(piece)),
    );
    expect(entities.calls).toHaveLength(1);
    const messages = [user('No name.'), user('None here.')];
    for (let round = 0; round < 5; round += 1) await callHook(guard, 'processInput', { messages });
    expect(entities.calls).toHaveLength(3);
  });

  it('costs time linear in a long text with many names, in steps', async () => {
    const guard = redactor({ strategy: 'replace', entities: recognizer() });
    const long = text.repeat(4_000);
    let [longestMs, since] = [0, performance.now()];
    const timer = setInterval(() => {
      longestMs = Math.max(longestMs, performance.now() - since);
      since = performance.now();
    }, 1);
    const { emitted } = await sendAll([guard], [delta(long)]);
    clearInterval(timer);
    expect(texts(emitted)['text one']).toBe(replaced.repeat(4_000));
    expect(longestMs).toBeLessThan(1_500); // the loop is not blocked for the whole text
  });
});

describe.each(hosts)('entities of a redactor in %s', (host) => {
  const run = (
    strategy: 'replace' | 'block' | 'restore',
    rest: Partial<Parameters<typeof runOn>[1]> = {},
    entities: EntityRecognizer = recognizer(),
  ) => runOn(host, { steps: [{ text: 'Hi.' }], guards: [redactor({ strategy, kinds: [], entities })], ...rest });

  it('replaces names in the input, in results and in the answer; a call with one does not run', async () => {
    const outcome = await run('replace', {
      prompt: 'I am Jane Doe.',
      tools: { find: { at: 'Paris' } },
      steps: [{ toolCalls: [{ name: 'find', args: { of: 'them' } }] }, { text: ['In Pa', 'ris.'] }],
    });
    expect(outcome.prompts[0]).toContain('I am [PERSON].');
    expect(outcome.ran).toEqual(['find {"of":"them"}']);
    expect(outcome.prompts[1]).toContain('[LOCATION]');
    expect(outcome.prompts[1]).not.toContain('Paris');
    expect(outcome.text).toBe('In [LOCATION].');
    const steps = [{ toolCalls: [{ name: 'find', args: { of: ['Initech GmbH'] } }] }, { text: 'No.' }];
    expect((await run('replace', { tools: { find: {} }, steps })).ran).toEqual([]);
  });

  it('restore: the model sees no name, the tool and the caller do', async () => {
    const outcome = await run('restore', {
      prompt: 'I am Jane Doe.',
      tools: { find: { at: 'Paris' } },
      steps: [{ toolCalls: [{ name: 'find', args: { of: '[PERSON_1]' } }] }, { text: ['[PERSON', '_1] is in [LOCATION_1].'] }],
    });
    expect(outcome.prompts.join('')).not.toMatch(/Jane|Doe|Paris/);
    expect(outcome.ran).toEqual(['find {"of":"Jane Doe"}']);
    expect(outcome.text).toBe('Jane Doe is in Paris.');
  });

  it('block: stops at a name in the input', async () => {
    const outcome = await run('block', { prompt: 'I am Jane Doe.' });
    expect(outcome.stopped).toContain('must not be shown');
    expect(outcome.prompts).toEqual([]);
  });

  it.each([
    ['rejects', () => Promise.reject(new Error('no model'))],
    ['returns nothing', () => Promise.resolve([])],
    ['returns places outside of the text', () => Promise.resolve([[{ start: 0, end: 999, kind: 'person' }]])],
  ])('fails closed if the recognizer %s', async (_what, find) => {
    const input = await run('replace', { prompt: 'I am Jane Doe.' }, { find }).catch((error: unknown) => ({
      error,
      prompts: [] as string[],
      text: '',
    }));
    expect(input.prompts).toEqual([]);
    let calls = 0;
    const late: EntityRecognizer = { find: (given) => ((calls += 1) > 1 ? find() : Promise.resolve(given.map(() => []))) };
    const answer = await run('replace', { steps: [{ text: 'It is Jane Doe.' }] }, late).catch((error: unknown) => ({
      error,
      text: '',
    }));
    expect(answer.text ?? '').not.toContain('Jane');
  });
});

describe('entities in an agent', () => {
  it('reports a recognizer that fails on the answer as an outage, and nothing of the answer leaves', async () => {
    const entities: EntityRecognizer = { find: () => Promise.reject(new Error('no model')) };
    const agent = new InterlockAgent({
      id: 'a',
      name: 'a',
      instructions: '',
      model: scriptedModel({ steps: [{ text: 'It is Jane Doe.' }] }),
      outputProcessors: [redactor({ strategy: 'replace', entities })],
    });
    const stream = await agent.stream('Hi');
    let left = '';
    for await (const part of stream.fullStream) if (part.type === 'text-delta') left += part.payload.text;
    expect(left).toBe('');
    expect(stream.status).toBe('failed');
    expect((stream.error as { code?: string } | undefined)?.code).toBe('guard/unavailable');
  });

  const hanging: EntityRecognizer = { find: () => new Promise(() => undefined) };
  const failing: EntityRecognizer = { find: () => Promise.reject(new Error('no model')) };
  const answerOf = async (entities: EntityRecognizer, policy: Omit<GuardPolicy, 'overlap'>) => {
    const found: string[] = [];
    const agent = new InterlockAgent({
      id: 'a',
      name: 'a',
      instructions: '',
      model: scriptedModel({ steps: [{ text: ['It is Jane', ' Doe.'] }] }),
      outputProcessors: [guarded(redactor({ strategy: 'replace', kinds: [], entities }), policy)],
      onRunEvent: (event) => {
        if (event.type === 'guard-shadow' && event.phase === 'outputStream') found.push(event.verdict);
      },
    });
    const stream = await agent.stream('Hi');
    let left = '';
    for await (const part of stream.fullStream) if (part.type === 'text-delta') left += part.payload.text;
    const { bypasses, error } = await stream.getFullOutput().catch((raised: unknown) => ({ error: raised, bypasses: [] }));
    return {
      left,
      status: stream.status,
      code: (error as { code?: string } | undefined)?.code,
      isBypassed: bypasses.length > 0,
      found,
    };
  };

  const shown = { left: 'It is Jane Doe.', status: 'success' };
  const recognizers = { hangs: hanging, fails: failing, 'finds a name': recognizer() };
  it.each([
    ['hangs', { deadlineMs: 20 }, { left: '', status: 'failed', code: 'guard/deadline' }],
    ['hangs', { deadlineMs: 20, onUnavailable: 'trip' }, { left: '', status: 'tripwire' }],
    ['hangs', { deadlineMs: 20, onUnavailable: 'pass' }, { ...shown, isBypassed: true }],
    ['fails', { onUnavailable: 'trip' }, { left: '', status: 'tripwire' }],
    ['fails', { onUnavailable: 'pass' }, { ...shown, isBypassed: true }],
    ['fails', { shadow: true }, { ...shown, isBypassed: false, found: expect.arrayContaining(['unavailable']) }],
    ['finds a name', { shadow: true }, { ...shown, isBypassed: false, found: expect.arrayContaining(['edit']) }],
    ['finds a name', { deadlineMs: 5_000, onUnavailable: 'pass' }, { left: 'It is [PERSON].', isBypassed: false }],
  ] as const)('a recognizer that %s follows the policy of its guard in a stream: %o', async (what, policy, expected) => {
    const answer = await answerOf(recognizers[what], policy);
    await expect.poll(() => answer).toMatchObject(expected); // a shadow may report after the run
  });

  it('merges names with the edits of a parallel guard', async () => {
    const parallel = pipeline('both').parallel([
      redactor({ strategy: 'replace', kinds: [], entities: recognizer() }),
      redactor({ id: 'emails', strategy: 'replace', kinds: ['email'] }),
    ]);
    const model = scriptedModel({ steps: [{ text: [text] }] });
    const agent = new InterlockAgent({ id: 'a', name: 'a', instructions: '', model, outputProcessors: [parallel.commit()] });
    const { text: answer } = await agent.generate('Hi');
    expect(answer).toBe(replaced);
  });

  it('rejects options that make no sense', () => {
    expect(() => redactor({ strategy: 'mask', entities: {} as never })).toThrow('guard/invalid-option');
    expect(() => redactor({ strategy: 'mask', kinds: [] })).toThrow('guard/invalid-option');
  });
});

describe('restore, with a recording', () => {
  it('records no name of the input, of a tool or of the answer, and replays', async () => {
    const entities = recognizer();
    const create = () => {
      const guard = redactor({ strategy: 'restore', kinds: ['email'], entities });
      const model = scriptedModel({
        steps: [{ toolCalls: [{ name: 'find', args: { of: '[PERSON_1]' } }] }, { text: ['[PERSON', '_1] is in [LOCATION_1].'] }],
      });
      const find = createTool({
        id: 'find',
        description: 'Finds.',
        inputSchema: z.object({ of: z.string() }),
        execute: () => Promise.resolve({ at: 'Paris' }),
      });
      return new InterlockAgent({
        id: 'a',
        name: 'a',
        instructions: '',
        model,
        tools: { find },
        inputProcessors: [guard],
        outputProcessors: [guard],
      });
    };
    const recording = collectTraces();
    const result = await create().generate('I am Jane Doe, jane@example.com.', { record: recording.record });
    expect(result.text).toBe('Jane Doe is in Paris.');
    const recorded = formatTrace(recording.trace);
    expect(recorded).not.toMatch(/Jane|Doe|Paris|jane@/);
    expect(traceOfKind(recording.trace, 'result')[0]?.text).toBe('[PERSON_1] is in [LOCATION_1].');
    const replayed = await replay(recording.trace, create());
    expect(replayed.endedAt).toBeUndefined();
    expect(formatTrace(replayed.trace)).not.toMatch(/Jane|Doe|Paris/);
  });
});
