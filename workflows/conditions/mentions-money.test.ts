import { describe, expect, it } from 'vitest';
import { assistant, user } from '../test-setup.js';
import { mentionsMoney } from './mentions-money.js';

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
