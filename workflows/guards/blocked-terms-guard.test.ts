import { describe, expect, it, vi } from 'vitest';
import { assistant, callHook, user } from '../test-setup.js';
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

  it.each(['What an idiotic idea', 'hello', 'go to Hellas', ''])('lets pass %j', async (text) => {
    expect(await callHook(blockedTermsGuard({ terms }), 'processInput', { messages: [user(text)] })).toEqual({
      result: undefined,
    });
  });

  it('finds parts of words where asked to', async () => {
    const guard = blockedTermsGuard({ terms, wholeWords: false });
    expect((await callHook(guard, 'processInput', { messages: [user('idiotic')] })).tripped).toBeDefined();
  });

  it('finds a term that is cut over parts or messages', async () => {
    const guard = blockedTermsGuard({ terms });
    for (const messages of [[user('idi', 'ot')], [user('go to', 'hell')], [user('go to'), user('hell')]])
      expect((await callHook(guard, 'processInput', { messages })).tripped).toBeDefined();
  });

  it('judges the newest turn, and the answer of this run', async () => {
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

  it('takes the terms out with redact', async () => {
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

  it('only reports with warn', async () => {
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
