import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { assertChunkInvariant } from '../../src/testing/index.js';
import { localEntities, type LocalEntitiesOptions } from '../../workflows/classifier/index.js';
import { hosts, runOn } from '../../workflows/guards/test-setup.js';
import { redactor } from '../../workflows/redactor/redactor.js';
import { tinyClassifier, tinyEntities, writeTinyModel } from './tiny-model.js';

const folder = mkdtempSync(join(tmpdir(), 'interlock-entities-'));
const home = process.cwd();
beforeAll(() => {
  process.chdir(import.meta.dirname); // the package is installed here
  writeTinyModel(join(folder, 'names'), tinyEntities);
  writeTinyModel(join(folder, 'tiny'), tinyClassifier);
});
afterAll(() => {
  process.chdir(home);
  rmSync(folder, { recursive: true });
});

const tiny = (options: Partial<LocalEntitiesOptions> = {}) => localEntities({ model: 'names', modelPath: folder, ...options });
const found = async (entities: ReturnType<typeof tiny>, text: string) =>
  (await entities.find([text]))[0]?.map(({ start, end, kind }) => [text.slice(start, end), kind]);

describe('localEntities', () => {
  it.each<[string, [string, string][]]>([
    ['Jane Doe met Ada Lovelace in Paris.', [['Jane Doe', 'person'], ['Ada Lovelace', 'person'], ['Paris', 'location']]], // prettier-ignore
    [
      'JANE DOE’s boss at "Initech"',
      [
        ['JANE DOE', 'person'],
        ['Initech', 'organization'],
      ],
    ],
    [
      'Zoe\u0308 and ZOË',
      [
        ['Zoe\u0308', 'person'],
        ['ZOË', 'person'],
      ],
    ],
    [
      '🙂🙂 李雷来了 🙂 Paris',
      [
        ['李雷', 'person'],
        ['Paris', 'location'],
      ],
    ],
    ['a French lamp', []],
    ['', []],
  ])('finds whole names with their places: %s', async (text, expected) => {
    await using entities = tiny();
    expect(await found(entities, text)).toEqual(expected);
  });

  it('finds a name at any offset of a long text, once', async () => {
    await using entities = tiny({ strideTokens: 8, batchSize: 16 });
    for (const before of [0, 5, 27, 28, 29, 30, 31, 2_661, 2_665, 4_000]) {
      const text = `${'lamp '.repeat(before)}🙂 Jane Doe${' lamp'.repeat(100)}`;
      expect(await found(entities, text), `${before} words before`).toEqual([['Jane Doe', 'person']]);
    }
  });

  it('finds the labels that it is given, from a minimum score on', async () => {
    await using entities = tiny({ labels: { MISC: 'nationality', ORG: 'firm' }, minScore: 0.4 });
    expect(await found(entities, 'Jane, a French maybe')).toEqual([['French', 'nationality']]);
    await using eager = tiny({ labels: { ORG: 'firm' }, minScore: 0.3 });
    expect(await found(eager, 'Jane, a French maybe')).toEqual([['maybe', 'firm']]);
  });

  it('fails closed', async () => {
    const unavailable = (detail: string) => ({ code: 'guard/unavailable', message: expect.stringContaining(detail) as string });
    await using unlabelled = tiny({ labels: { PER: 'person', DATE: 'date' } });
    await expect(unlabelled.find(['a'])).rejects.toMatchObject(
      unavailable('no label DATE; its labels are O, PER, LOC, ORG, MISC'),
    );
    await using classifier = tiny({ model: 'tiny' });
    await expect(classifier.find(['a'])).rejects.toMatchObject(unavailable('localEntities'));
    expect(() => tiny({ labels: { PER: 'Person!' } })).toThrow('guard/invalid-option');
    expect(() => tiny({ labels: {} })).toThrow('guard/invalid-option');
    expect(() => tiny({ minScore: 2 })).toThrow('guard/invalid-option');
  });
});

describe('redactor with localEntities', () => {
  it('gives the same result for all chunks', async () => {
    await using entities = tiny();
    const guard = redactor({ strategy: 'replace', entities });
    await assertChunkInvariant([guard], ['Ask Jane Doe (jane@example.com) in Paris.'], {
      randomCuts: 2,
      shapes: ['text', 'reasoning'],
    });
  });

  it.each(hosts)('hides names from the model in %s, and restores them', async (host) => {
    await using entities = tiny();
    const outcome = await runOn(host, {
      steps: [{ text: ['Dear [PERS', 'ON_1]'] }],
      prompt: 'I am Jane Doe of Initech, 🙂 Paris.',
      guards: [redactor({ strategy: 'restore', entities })],
    });
    expect(outcome.prompts[0]).toContain('I am [PERSON_1] of [ORGANIZATION_1], 🙂 [LOCATION_1].');
    expect(outcome.text).toBe('Dear Jane Doe');
  });
});
