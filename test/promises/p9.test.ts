import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

import { sdkExceptions, stockExceptions, type Exception } from './p9-exceptions.js';
import { interlockHosts, sdkHosts, stockHosts } from './p9-hosts.js';
import { allRows, expectedOf, nameOf, rows, type Row } from './p9-rows.js';

const named = (of: readonly Row[]) => of.map((row) => ({ row, name: nameOf(row) }));

describe('P9 stream = generate', () => {
  it('the table has rows for every hook and verdict', () => {
    expect(new Set(rows.map(({ phase, verdict }) => `${phase} ${verdict}`)).size).toBeGreaterThanOrEqual(50);
    expect(new Set(rows.map(nameOf)).size).toBe(rows.length);
  });

  describe.each(interlockHosts)('$name', ({ run }) => {
    it.each(named(rows))('$name', async ({ row }) => expect(await run(row)).toEqual(expectedOf(row)));
  });
});

/** Checks the rows that a host promises, and its exceptions: an exception that no longer applies must be removed. */
const describeHost = (hosts: typeof stockHosts, exceptions: readonly Exception[]): void => {
  const isExcepted = (row: Row): boolean => exceptions.some(({ holds }) => holds(row));
  describe.each(hosts)('$name', ({ run }) => {
    it.each(named(rows.filter((row) => !isExcepted(row))))('promises $name', async ({ row }) => {
      expect(await run(row)).toEqual(expectedOf(row));
    });

    it.each(exceptions)('does not promise: $why', async ({ holds }) => {
      const excepted = allRows.filter(holds);
      expect(excepted.length).toBeGreaterThan(0);
      for (const row of excepted) expect(await run(row), nameOf(row)).not.toEqual(expectedOf(row));
    });
  });
};

describe('the same table in Mastra’s own agent, through guardsFor', () => {
  describeHost(stockHosts, stockExceptions);
});
describe('the same table in the AI SDK, through guardedToolLoop', () => {
  describeHost(sdkHosts, sdkExceptions);
});

describe('docs/guide/guarantees.md', () => {
  const guide = readFileSync(new URL('../../docs/guide/guarantees.md', import.meta.url), 'utf8');

  it.each([...stockExceptions, ...sdkExceptions])('contains: $why', ({ why }) => expect(guide).toContain(why));
});
