import { describe, expect, it } from 'vitest';

import { assistant, callHook, user } from '../test-setup.js';
import { financialAdviceGuard, financialAdviceReminder, mentionsMoney } from './financial-advice-guard.js';

const base = { role: 'system', content: 'You are helpful.' };

describe('financialAdviceGuard', () => {
  it('appends a system message to the existing ones', async () => {
    const args = { messages: [user('my money')], systemMessages: [base] };
    expect(await callHook(financialAdviceGuard(), 'processInputStep', args)).toEqual({
      result: { systemMessages: [base, { role: 'system', content: financialAdviceReminder }] },
    });
    expect(args.systemMessages).toEqual([base]);
  });

  it('adds the reminder once', async () => {
    const systemMessages = [base, { role: 'system', content: financialAdviceReminder }];
    expect(await callHook(financialAdviceGuard(), 'processInputStep', { systemMessages })).toEqual({ result: undefined });
  });

  it('uses a configured reminder', async () => {
    const guard = financialAdviceGuard({ reminder: 'No advice.', id: 'no-advice' });
    expect(guard.id).toBe('no-advice');
    expect(await callHook(guard, 'processInputStep', {})).toEqual({
      result: { systemMessages: [{ role: 'system', content: 'No advice.' }] },
    });
  });
});

const about = (text: string) => mentionsMoney({ inputData: { messages: [user(text)] } });

describe('mentionsMoney', () => {
  it.each([
    'Should I invest in index funds?',
    'I have $500 to spare',
    'Is 20 € too much?',
    'Should I buy Tesla stock now?',
    'What are mortgage rates like?',
    'How does a Roth IRA work?',
    'Soll ich Aktien kaufen?',
    '¿Conviene invertir en bolsa?',
    'Mon épargne dort.',
  ])('is true for %j', (text) => {
    expect(about(text)).toBe(true);
  });

  it.each([
    'Is the blue chair in stock?',
    'How do I reset my password?',
    'What is the weather in Bonn?',
    'I like the bondage of friendship',
    'Run $HOME/bin/start',
  ])('is false for %j', (text) => {
    expect(about(text)).toBe(false);
  });

  it('reads only the newest user turn', () => {
    expect(mentionsMoney({ inputData: { messages: [user('my loan'), assistant('ok'), user('thanks')] } })).toBe(false);
    expect(mentionsMoney({ inputData: { messages: [user('hi'), assistant('Stocks?'), user('my loan')] } })).toBe(true);
  });

  it.each([undefined, null, 'loan', {}, { messages: null }, { part: { type: 'text-delta' } }])(
    'is false for a payload without messages: %j',
    (inputData) => {
      expect(mentionsMoney({ inputData })).toBe(false);
    },
  );
});
