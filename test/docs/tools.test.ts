import { describe, expect, it } from 'vitest';

import { blocksIn, examplesIn } from './examples.js';

const document = 'docs/guide/tools.md';

describe('docs/guide/tools.md', () => {
  const examples = examplesIn(document);

  it('its examples pass the type check', () => expect(examples.complaints()).toEqual([]));

  it('its examples print what stands below them', () => {
    const printed = blocksIn(document).flatMap(({ language, code }) => (language === 'text' ? [code] : []));
    expect(printed).toHaveLength(examples.codes.length);
    for (const [at, expected] of printed.entries()) {
      const { stdout, stderr } = examples.run(at);
      expect(stdout, stderr).toBe(expected);
    }
  });
});
