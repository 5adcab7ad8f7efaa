import { describe, expect, it } from 'vitest';
import { assistant, message, messageOf, user } from '../test-setup.js';
import { newestUserTurn, readingsOf, responseMessages, textOf, textsOf, userTurns } from './read-messages.js';

const signal = (type: string) => messageOf('signal', [{ type: 'text', text: type }], { metadata: { signal: { type } } });
const tool = messageOf('assistant', [
  { type: 'text', text: 'a' },
  { type: 'tool-invocation', toolInvocation: { state: 'call', toolCallId: 'c', toolName: 't', args: { text: 'no' } } },
  { type: 'reasoning', reasoning: 'hidden', details: [] },
  { type: 'text', text: 'b' },
]);

describe('textsOf', () => {
  it('returns only the text parts', () => {
    expect(textsOf(tool)).toEqual(['a', 'b']);
    expect(textOf(tool)).toBe('ab');
  });

  it('falls back to the flat content', () => {
    expect(textsOf(messageOf('user', [], { content: 'old' }))).toEqual(['old']);
    expect(textsOf(messageOf('user', [{ type: 'text', text: 'new' }], { content: 'old' }))).toEqual(['new']);
    expect(textsOf(messageOf('user', undefined as never, { content: 'old' }))).toEqual(['old']);
    expect(textsOf(messageOf('user', []))).toEqual([]);
  });
});

describe('userTurns', () => {
  it('splits turns at assistant messages', () => {
    const [a, b, c, d] = [user('a'), user('b'), assistant('c'), user('d')];
    expect(userTurns([a, b, c, d])).toEqual([[a, b], [d]]);
    expect(newestUserTurn([a, b, c, d])).toEqual([d]);
    expect(newestUserTurn([c])).toEqual([]);
    expect(newestUserTurn([a, c])).toEqual([a]);
  });

  it('includes only signals with external text', () => {
    const [userSignal, noted, state] = [signal('user'), signal('notification'), signal('state')];
    expect(userTurns([userSignal, noted, state, message('system', 's'), user('x')])).toEqual([[userSignal, noted, user('x')]]);
  });
});

describe('responseMessages', () => {
  it('returns the assistant messages after the last user message', () => {
    const [a, b, c] = [assistant('old'), assistant('new'), assistant('newer')];
    expect(responseMessages([user('x'), a, user('y'), b, signal('state'), c])).toEqual([b, c]);
    expect(responseMessages([a])).toEqual([a]);
    expect(responseMessages([a, user('y')])).toEqual([]);
  });
});

describe('readingsOf', () => {
  it('returns the parts joined by lines and without a separator', () => {
    expect(readingsOf(['a', 'b'])).toEqual(['a\nb', 'ab']);
    expect(readingsOf(['a'])).toEqual(['a']);
    expect(readingsOf([])).toEqual(['']);
  });
});
