import { describe, expect, it, vi } from 'vitest';
import { assertChunkInvariant, assertNoFragment, checkFragments } from '../../src/testing/index.js';
import { shapesOf } from '../../test/modes.js';
import { assistant, callHook, chunk, cutsOf, streamThrough, emittedText, user } from '../test-setup.js';
import { blockedTermsGuard } from './blocked-terms-guard.js';

const terms = ['idiot', 'go to hell'];

describe('blockedTermsGuard', () => {
  it.each(['You IDIOT', 'go  to\nhell', 'idi\u200Bot', 'ｉｄｉｏｔ', 'an idiot, an idiot'])('blocks %j', async (text) => {
    const { tripped } = await callHook(blockedTermsGuard({ terms }), 'processInput', { messages: [user(text)] });
    expect(tripped).toMatchObject({
      reason: 'The input contains blocked language.',
      retry: false,
      metadata: { strategy: 'block' },
    });
  });

  it.each(['What an idiotic idea', 'hello', 'go to Hellas', ''])('passes %j', async (text) => {
    expect(await callHook(blockedTermsGuard({ terms }), 'processInput', { messages: [user(text)] })).toEqual({
      result: undefined,
    });
  });

  it('finds parts of words with wholeWords: false', async () => {
    const guard = blockedTermsGuard({ terms, wholeWords: false });
    expect((await callHook(guard, 'processInput', { messages: [user('idiotic')] })).tripped).toBeDefined();
  });

  it('finds a term that is split across parts or messages', async () => {
    const guard = blockedTermsGuard({ terms });
    for (const messages of [[user('idi', 'ot')], [user('go to', 'hell')], [user('go to'), user('hell')]])
      expect((await callHook(guard, 'processInput', { messages })).tripped).toBeDefined();
  });

  it('judges only the newest turn and the answer of the current run', async () => {
    const guard = blockedTermsGuard({ terms });
    const messages = [user('idiot'), assistant('idiot'), user('ok'), assistant('fine')];
    expect(await callHook(guard, 'processInput', { messages })).toEqual({ result: undefined });
    expect(await callHook(guard, 'processOutputStep', { messages, text: 'fine' })).toEqual({ result: undefined });
    const rude = [...messages, assistant('idiot')];
    expect((await callHook(guard, 'processOutputStep', { messages: rude })).tripped?.reason).toBe(
      'The answer contains blocked language.',
    );
    expect((await callHook(guard, 'processOutputStep', { messages, text: 'idiot' })).tripped).toBeDefined();
  });

  it('replaces the terms with redact', async () => {
    const onViolation = vi.fn<() => void>();
    const guard = blockedTermsGuard({ terms, strategy: 'redact', onViolation });
    const messages = [user('You idiot, go to hell!')];
    expect(await callHook(guard, 'processInput', { messages })).toMatchObject({
      result: [{ id: messages[0]?.id, content: { parts: [{ type: 'text', text: 'You ***, ***!' }] } }],
    });
    expect(onViolation).toHaveBeenCalledWith(expect.objectContaining({ detail: { strategy: 'redact', count: 2 } }));
    const answer = { messages: [user('x'), assistant('idiot')], text: 'idiot' };
    expect(await callHook(guard, 'processOutputStep', answer)).toMatchObject({
      result: [{}, { content: { parts: [{ text: '***' }] } }],
    });
    expect(await callHook(guard, 'processInput', { messages: [user('fine')] })).toEqual({ result: undefined });
  });

  it('only reports violations with warn', async () => {
    const onViolation = vi.fn<() => void>();
    const guard = blockedTermsGuard({ terms, strategy: 'warn', onViolation });
    expect(await callHook(guard, 'processInput', { messages: [user('idiot idiot')] })).toEqual({ result: undefined });
    expect(onViolation).toHaveBeenCalledWith(expect.objectContaining({ detail: { strategy: 'warn', count: 2 } }));
  });

  it('does nothing without terms', async () => {
    const guard = blockedTermsGuard({ terms: [] });
    expect(await callHook(guard, 'processInput', { messages: [user('anything')] })).toEqual({ result: undefined });
  });
});

describe('in a stream', () => {
  const cases = [
    { text: 'Well, go to hell?', value: 'go to hell' },
    { text: 'You idi\u200Bot!', value: 'idi\u200Bot' },
  ];

  it.each(['block', 'redact'] as const)(
    '%s: no fragment of a term leaves an agent regardless of chunk boundaries',
    async (strategy) => {
      const guards = [blockedTermsGuard({ terms, strategy })];
      const turn = strategy === 'block' ? 0 : 1;
      await assertChunkInvariant(guards, ['You idiot, go to Hellas.'], { shapes: shapesOf(turn), randomCuts: 5 });
      await assertNoFragment(guards, cases, { shapes: shapesOf(turn + 1), randomCuts: 2 });
    },
  );

  it('checkFragments reports failures for a guard without a stream hook', async () => {
    const [one] = cases;
    const { failures } = await checkFragments(
      [blockedTermsGuard({ terms, strategy: 'warn' })],
      { text: one?.text ?? '', value: one?.value ?? '' },
      { shapes: ['text'], randomCuts: 0 },
    );
    expect(failures.length).toBeGreaterThan(10);
  });

  const emittedBy = async (pieces: readonly string[], options: Partial<Parameters<typeof blockedTermsGuard>[0]> = {}) => {
    const guard = blockedTermsGuard({ terms, strategy: 'redact', ...options });
    const ran = await streamThrough(guard, [...pieces.map((each) => chunk.delta(each)), chunk.end()]);
    return { ...ran, text: emittedText(ran.emitted) };
  };

  it.each([
    ['You idiot, go to hell!', 'You ***, ***!'],
    ['idiots, idiot idiot_ "idiot"', 'idiots, *** idiot_ "***"'],
    ['go  to\n\nhell and go to', '*** and go to'],
    ['an ｉｄｉｏｔ, 𝐢𝐝𝐢𝐨𝐭 and ⓘⓓⓘⓞⓣ!', 'an ***, *** and ***!'],
    ['go to heﬂ, go\u3000to hell', 'go to heﬂ, ***'],
  ])('replaces the terms in %j regardless of chunk boundaries', async (text, expected) => {
    for (const pieces of [[text], ...cutsOf(text), text.split('')])
      expect((await emittedBy(pieces)).text, pieces.join('|')).toBe(expected);
  });

  it.each([
    ['naïve', 'so nai\u0308ve', 'so ***'],
    ['naïve', 'so naïve', 'so ***'],
    ['office', 'my oﬃce', 'my ***'],
    ['坏词', '这是坏词吗', '这是***吗'],
    ['дурак', 'Ты Дурак, дураками', 'Ты ***, дураками'],
    ['c++', 'C++, c+', '***, c+'],
    ['가', '가 각', '*** 각'],
    ['🐍🐍', 'a 🐍🐍, 🐍', 'a ***, 🐍'],
  ])('finds %j in %j regardless of chunk boundaries', async (term, text, expected) => {
    for (const pieces of [[text], ...cutsOf(text), text.split('')])
      expect((await emittedBy(pieces, { terms: [term] })).text, pieces.join('|')).toBe(expected);
  });

  it('releases text at the end of each word', async () => {
    const guard = blockedTermsGuard({ terms, strategy: 'block' });
    const pieces = ['It is fine, ', 'go t', 'o the shop and ', 'go to hel', 'sinki.'].map((each) => chunk.delta(each));
    const seen: string[] = [];
    for (let count = 1; count <= pieces.length; count++)
      seen.push(emittedText((await streamThrough(guard, pieces.slice(0, count))).emitted));
    expect(seen).toEqual([
      'It is fine, ',
      'It is fine, ',
      'It is fine, go to the shop and ',
      'It is fine, go to the shop and ',
      'It is fine, go to the shop and go to helsinki.',
    ]);
  });

  it('reports the count and never the term with block', async () => {
    const { text, tripped } = await emittedBy(['So. go to', ' hell now'], { strategy: 'block' });
    expect(text).toBe('So. ');
    expect(tripped).toEqual({
      reason: 'The answer contains blocked language.',
      retry: false,
      metadata: { strategy: 'block', count: 1 },
    });
  });

  it('has no stream hook and no window with warn', () => {
    expect(blockedTermsGuard({ terms, strategy: 'warn' })).not.toHaveProperty('processOutputStream');
    expect(blockedTermsGuard({ terms, strategy: 'warn' })).not.toHaveProperty('window');
  });

  it('finds a term longer than the stream bound after the step', async () => {
    const text = `go${' '.repeat(80)}to hell`;
    expect((await emittedBy([text], { strategy: 'block' })).tripped).toBeUndefined();
    const args = { messages: [user('x'), assistant(text)] };
    expect((await callHook(blockedTermsGuard({ terms }), 'processOutputStep', args)).tripped).toBeDefined();
  });
});
