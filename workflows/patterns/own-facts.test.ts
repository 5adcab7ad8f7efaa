import { expect, test } from 'vitest';
import { factsModule } from '../../scripts/facts-table.js';
import { redactor, toolSecretsGuard, unicodeGuard } from '../guards/index.js';
import type { Facts } from './facts.js';
import { ownFacts, type ownFactsOf } from './own-facts.js';

const regexOf = (text: string): RegExp => new RegExp(text.slice(1, text.lastIndexOf('/')), text.slice(text.lastIndexOf('/') + 1));

test('the table of the build has the facts of each expression', async () => {
  const url = `data:text/javascript,${encodeURIComponent(await factsModule())}`;
  const built = ((await import(url)) as { ownFactsOf: typeof ownFactsOf }).ownFactsOf;
  for (const strategy of ['replace', 'restore'] as const) redactor({ strategy, entropy: true });
  for (const each of [toolSecretsGuard, unicodeGuard]) each();
  expect(ownFacts.size).toBeGreaterThan(50);
  for (const [text, facts] of ownFacts) {
    const known = built(regexOf(text));
    for (const name of ['alphabet', 'reach', 'least', 'beginnings'] satisfies (keyof Facts)[])
      expect(known[name](), text).toEqual(facts[name]());
    if (facts.isOpened) expect(known.openSource(), text).toBe(facts.openSource());
  }
});
