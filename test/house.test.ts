import { describe, expect, it } from 'vitest';

import { faultsOf, updated, type House } from '../scripts/house/ratchet.js';

const known: House = {
  figures: { lines: 10, 'casts in src': 4, 'casts per 1,000 lines of src': 8 },
  records: { lines: 'docs/decisions/old.md' },
};
const now = (figures: Partial<Record<string, number>>) => ({ ...known.figures, ...figures }) as House['figures'];

describe('the ratchet of the sources', () => {
  it('lets figures stay and fall', () => {
    expect(faultsOf(known, now({}))).toEqual([]);
    expect(faultsOf(known, now({ lines: 9 }))).toEqual([]);
    expect(updated(known, now({ lines: 9 }))).toEqual({ ...known, figures: now({ lines: 9 }) });
  });

  it('names a figure that rises, and the command for a record', () => {
    expect(faultsOf(known, now({ lines: 11 }))).toEqual([expect.stringMatching(/^lines: 10 may not rise to 11\..*--record/)]);
  });

  it('lets a figure rise with a record, which the file then names', () => {
    expect(faultsOf(known, now({ lines: 11 }), 'docs/decisions/new.md')).toEqual([]);
    expect(updated(known, now({ lines: 11 }), 'docs/decisions/new.md').records).toEqual({ lines: 'docs/decisions/new.md' });
  });

  it('lets a rate rise only if its count does not', () => {
    expect(faultsOf(known, now({ 'casts per 1,000 lines of src': 9 }))).toEqual([]);
    expect(faultsOf(known, now({ 'casts per 1,000 lines of src': 9, 'casts in src': 5 }))).toHaveLength(1);
  });

  it('names a figure that is not measured any more', () => {
    const { lines: _lines, ...rest } = known.figures;
    expect(faultsOf(known, rest)).toEqual([expect.stringContaining('lines: it is in scripts/house.json')]);
  });
});
