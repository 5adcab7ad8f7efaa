import { describe, expect, it, vi } from 'vitest';
import { assistant, callHook, user } from '../test-setup.js';
import { spamGuard } from './spam-guard.js';

const judge = (text: string, options?: Parameters<typeof spamGuard>[0]) =>
  callHook(spamGuard(options), 'processInput', { messages: [user(text)] });

const links = (count: number) =>
  Array.from({ length: count }, (_, index) => `see https://shop.example/${index} item${index}`).join('\n');

describe('spamGuard', () => {
  it.each<[string, string, string[]]>([
    ['one word over and over', 'buy '.repeat(30), ['repetition']],
    ['one phrase over and over', 'click here now! '.repeat(12), ['repetition']],
    ['one line over and over', 'Get rich with this one trick\nOther words here\n'.repeat(12), ['repetition']],
    ['many links', links(11), ['link-flood']],
    ['links without a scheme', Array.from({ length: 11 }, (_, index) => `www.shop${index}.example`).join(' or '), ['link-flood']],
    [
      'shouting',
      'WHY DOES NOBODY ANSWER ME I HAVE BEEN WAITING FOR THREE WEEKS AND I WANT TO SPEAK TO YOUR MANAGER NOW OR ELSE',
      ['shouting'],
    ],
    [
      'shouting in Russian',
      'ПОЧЕМУ НИКТО НЕ ОТВЕЧАЕТ МНЕ Я ЖДУ УЖЕ ТРИ НЕДЕЛИ И ХОЧУ ПОГОВОРИТЬ С ВАШИМ НАЧАЛЬНИКОМ ПРЯМО СЕЙЧАС НЕМЕДЛЕННО',
      ['shouting'],
    ],
    ['a flood of marks', `help${'!'.repeat(60)}`, ['character-flood']],
    ['a flood of letters', `no${'o'.repeat(60)}`, ['character-flood']],
  ])('finds %s', async (_what, text, signs) => {
    expect((await judge(text)).tripped).toEqual({ reason: 'The input looks like spam.', retry: false, metadata: { signs } });
  });

  it.each([
    'Hello, where is my order?',
    'NO!!! NOT AGAIN!!!',
    'Use SELECT * FROM USERS WHERE ID = 1; it fails.',
    links(10),
    `| a | b |\n${'-'.repeat(120)}\n${'='.repeat(120)}`,
    '0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0',
    'ha ha ha ha',
    '请问我的订单在哪里？'.repeat(2),
    'The quick brown fox jumps over the lazy dog. '.repeat(3),
    '',
  ])('passes %j', async (text) => {
    expect(await judge(text)).toEqual({ result: undefined });
  });

  it('applies configured limits', async () => {
    expect((await judge('no no no', { maxRepeats: 2 })).tripped).toBeDefined();
    expect((await judge(links(2), { maxLinks: 1 })).tripped).toBeDefined();
    expect((await judge('STOP IT', { minShoutingLetters: 5 })).tripped).toBeDefined();
    expect((await judge('Stop IT', { minShoutingLetters: 5, maxShouting: 0.2 })).tripped).toBeDefined();
    expect((await judge('what???', { maxCharRun: 2 })).tripped).toBeDefined();
  });

  it('judges only the newest turn, and only reports with warn', async () => {
    const messages = [user('buy '.repeat(30)), assistant('no'), user('ok')];
    expect(await callHook(spamGuard(), 'processInput', { messages })).toEqual({ result: undefined });
    const onViolation = vi.fn<() => void>();
    expect(await judge('buy '.repeat(30), { strategy: 'warn', onViolation })).toEqual({ result: undefined });
    expect(onViolation).toHaveBeenCalledWith(expect.objectContaining({ processorId: 'spam', detail: { signs: ['repetition'] } }));
  });
});
