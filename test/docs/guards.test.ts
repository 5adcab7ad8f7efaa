import { describe, expect, it } from 'vitest';

import * as workflows from '../../workflows/index.js';
import { inRoot } from './examples.js';
import { readFileSync } from 'node:fs';

const document = 'docs/guide/guards.md';

describe('docs/guide/guards.md', () => {
  const text = readFileSync(inRoot(document), 'utf8');

  it.each([
    ...workflows.valueKinds,
    ...Object.keys(workflows).filter((name) => name.endsWith('Guard') && name !== 'financialAdviceGuard'),
  ])('tells of %s', (name) => expect(text).toContain(`\`${name}\``));
});
