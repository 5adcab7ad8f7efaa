import { readFileSync } from 'node:fs';

import { describe, expect, it } from 'vitest';

import { errorTable } from '../../src/errors.js';
import type { FindingCode } from '../../src/pipeline/verify/checks.js';
import { checks } from '../../src/pipeline/verify/checks.js';
import { inRoot } from './examples.js';

const document = 'docs/guide/verify.md';
const text = readFileSync(inRoot(document), 'utf8');

describe('docs/guide/verify.md', () => {
  it('lists exactly the known findings, each with its severity and remedy', () => {
    const rows = Array.from(text.matchAll(/^\| `([\w/-]+)` \| (\w+) \| (.+) \|$/gm), ([, code, severity, sentence]) => [
      code,
      severity,
      sentence,
    ]);
    const expected = (Object.keys(checks) as FindingCode[]).map((code) => [code, checks[code].severity, errorTable[code].say]);
    expect(rows.filter(([code]) => code?.includes('/'))).toEqual(expected);
  });
});
