import { Agent } from '@mastra/core/agent';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

import { Agent as Swapped } from '../../src/index.js';
import { apps } from './apps/index.js';
import { differences } from './compare.js';
import { known } from './known-differences.js';
import { play } from './play.js';
import { view } from './view.js';

const page = readFileSync(new URL('../../docs/guide/guarantees.md', import.meta.url), 'utf8');

const used = new Set<string>();

const isKnown = (difference: ReturnType<typeof differences>[number]): boolean => {
  const explaining = known.filter(({ explains }) => explains(difference));
  for (const { line } of explaining) used.add(line);
  return explaining.length > 0;
};

describe.each(Object.entries(apps))('%s', (_name, app) => {
  it('gives its users, its storage, its traces and its models the same on both classes', async () => {
    const stock = view(await play(app, Agent));
    const ours = view(await play(app, Swapped as unknown as typeof Agent)); // the swap of the import
    expect(stock).toMatchObject({ requests: expect.arrayContaining([expect.anything()]) as unknown });
    expect(differences(stock, ours).filter((difference) => !isKnown(difference))).toEqual([]);
  });
});

describe('the differences on purpose', () => {
  it.each(known.map(({ line }) => line))('are on the page about guarantees: %s', (line) => expect(page).toContain(line));

  it('all exist', () => expect(known.map(({ line }) => line).filter((line) => !used.has(line))).toEqual([]));
});
