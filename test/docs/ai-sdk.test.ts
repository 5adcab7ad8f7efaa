import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { phases } from '../../src/index.js';
import { blocksIn, examplesIn, inRoot } from './examples.js';

const document = 'docs/guide/ai-sdk.md';
const text = readFileSync(inRoot(document), 'utf8');

describe('docs/guide/ai-sdk.md', () => {
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

  it('names every hook of the phase table beside an adapter that calls it', () => {
    const rows = text.split('\n').filter((line) => /^\| `(withGuards|to|guard)/u.test(line));
    expect(rows).toHaveLength(4);
    for (const { hook } of Object.values(phases)) expect(rows.join('\n')).toContain(`\`${hook}\``);
  });
});
