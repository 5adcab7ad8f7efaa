import { describe, expect, it } from 'vitest';
import { parseAllowList } from './allow-list.js';

describe('parseAllowList', () => {
  it.each([
    ['jane@example.com', 'Jane@Example.com', true],
    ['jane@example.com', 'jane@example.org', false],
    ['jane@example.com', 'mary.jane@example.com', false],
    ['support@', 'support@anything.example', true],
    ['support@', 'nosupport@anything.example', false],
    ['@example.com', 'jane@example.com', true],
    ['example.com', 'jane@example.com', true],
    ['example.com', 'jane@mail.example.com', false],
    ['example.com', 'jane@badexample.com', false],
    ['example.com', 'jane@example.com.evil.example', false],
    ['+1 800 555 0199', '+1 (800) 555-0199', true],
    ['+1 800 555 0199', '+1 800 555 0198', false],
    ['DE89 3704 0044 0532 0130 00', 'de89370400440532013000', true],
    ['', 'jane@example.com', false],
    ['  ', '', false],
    ['---', 'jane@example.com', false],
  ])('%j allows %j: %s', (entry, value, expected) => {
    expect(parseAllowList([entry])(value)).toBe(expected);
  });
});
