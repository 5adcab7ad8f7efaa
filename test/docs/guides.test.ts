import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { blocksIn, examplesIn, inRoot } from './examples.js';

const guides = readdirSync(inRoot('docs/guide')).map((name) => `docs/guide/${name}`);
const pages = ['docs/verify.md', ...guides].filter((page) => blocksIn(page).some(({ language }) => language === 'ts'));

it('the documents have examples', () => expect(pages.length).toBeGreaterThan(5));

describe.each(pages)('%s', (page) => {
  const examples = examplesIn(page);

  it('its examples pass the type check', () => expect(examples.complaints()).toEqual([]));

  it('its examples print what stands below them', () => {
    const printed = blocksIn(page).flatMap(({ language, code }) => (language === 'text' ? [code] : []));
    expect(printed).toHaveLength(examples.codes.length);
    for (const [at, expected] of printed.entries()) {
      const { stdout, stderr } = examples.run(at);
      expect(stdout, stderr).toBe(expected);
    }
  });
});
