import { expect, it } from 'vitest';
import { fileName } from './file-name.js';

it('makes a name that any system takes', () => {
  expect(fileName('support-output', 'svg')).toBe('support-output.svg');
  expect(fileName('../a b/c:d?', 'json')).toBe('a-b-c-d.json');
  expect(fileName('///', 'json')).toBe('studio.json');
});
