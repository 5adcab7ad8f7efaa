import { describe, expect, it } from 'vitest';

import * as workflows from '../../workflows/index.js';
import { blocksIn, examplesIn } from './examples.js';
import { readFileSync } from 'node:fs';

const document = 'docs/guide/guards.md';

describe('docs/guide/guards.md', () => {
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

  const text = readFileSync(document, 'utf8');

  it.each([
    ...workflows.valueKinds,
    ...Object.keys(workflows).filter((name) => name.endsWith('Guard') && name !== 'financialAdviceGuard'),
  ])('tells of %s', (name) => expect(text).toContain(`\`${name}\``));
});
