import { expect, it } from 'vitest';
import { fileName } from './save.js';

it('creates a name that is valid on every system', () => {
  expect(fileName('support-output', 'svg')).toBe('support-output.svg');
  expect(fileName('../a b/c:d?', 'json')).toBe('a-b-c-d.json');
  expect(fileName('///', 'json')).toBe('studio.json');
});
