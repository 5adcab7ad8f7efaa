import { expect, test } from 'vitest';
import { combineFinders } from '../patterns/combine-finders.js';
import { defineFinder } from '../patterns/define-finder.js';
import { assistant, callHook } from '../test-setup.js';
import { valueHooks } from './value-hooks.js';

/** A guard that replaces `secret`, and the texts that it searches. */
const searching = (spares?: (value: string) => boolean) => {
  const texts: string[] = [];
  const { unlabelled: _same, ...finder } = combineFinders([['word', defineFinder(() => ({ regex: /secret/ }))]]);
  const find: typeof finder.find = (text, from, until) => {
    texts.push(text);
    return finder.find(text, from, until);
  };
  const guard = { id: 'g' };
  const policy = {
    finder: { ...finder, find },
    effect: 'redact' as const,
    replacement: () => '[WORD]',
    detection: () => ({ reason: 'A word.', metadata: undefined }),
    ...(spares && { spares }),
  };
  return { guard: { ...guard, ...valueHooks(policy, guard) }, texts };
};

test('a text without values is searched once in a run', async () => {
  const { guard, texts } = searching();
  const args = { messages: [assistant('All is well.')], state: {} };
  await callHook(guard, 'processOutputStep', args);
  await callHook(guard, 'processOutputResult', args);
  expect(texts).toEqual(['All is well.']);
  await callHook(guard, 'processOutputResult', { ...args, state: {} });
  expect(texts).toHaveLength(2);
});

test('a text with a value is searched by each hook, also if the value may stay', async () => {
  const kept = searching(() => true);
  const args = { messages: [assistant('A secret.')], state: {} };
  await callHook(kept.guard, 'processOutputStep', args);
  await callHook(kept.guard, 'processOutputResult', args);
  expect(kept.texts).toEqual(['A secret.', 'A secret.']);
});
