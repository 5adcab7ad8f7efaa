import { expect, it } from 'vitest';
import { localClassifier, localEntities } from './index.js';

it.each([
  ['timeoutMs', Infinity],
  ['timeoutMs', 2 ** 31],
  ['loadTimeoutMs', Infinity],
])('a local model rejects %s %d: a timer with it would fire at once', (name, value) => {
  const options = { model: 'any', [name]: value };
  const refusal = (owner: string) => expect.objectContaining({ code: 'guard/invalid-option', path: `${owner}.${name}` });
  expect(() => localClassifier(options)).toThrowError(refusal('localClassifier'));
  expect(() => localEntities(options)).toThrowError(refusal('localEntities'));
});
