import { readFileSync } from 'node:fs';

import { describe, expect, it } from 'vitest';

import { errorTable, type FindingCode } from '../../src/index.js';
import { checks } from '../../src/pipeline/verify/checks.js';
import { blocksIn, examplesIn, inRoot } from './examples.js';

const document = 'docs/verify.md';
const text = readFileSync(inRoot(document), 'utf8');

describe('docs/verify.md', () => {
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

  it('lists every finding with its severity and what to do, and no other', () => {
    const rows = Array.from(text.matchAll(/^\| `([\w/-]+)` \| (\w+) \| (.+) \|$/gm), ([, code, severity, say]) => [
      code,
      severity,
      say,
    ]);
    const expected = (Object.keys(checks) as FindingCode[]).map((code) => [code, checks[code].severity, errorTable[code].say]);
    expect(rows.filter(([code]) => code?.includes('/'))).toEqual(expected);
  });
});
