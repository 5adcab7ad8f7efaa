import { beforeAll, describe, expect, it } from 'vitest';

import { documents, examplesIn, writeExamples, type Example } from './examples.js';

const examples = documents.flatMap((document) => examplesIn(document));
const written = writeExamples(examples);

describe('the programs in the documents', () => {
  let printed: ReadonlyMap<Example, string>;
  beforeAll(async () => {
    printed = await written.run();
  }, 300_000);

  it('are in many documents', () => expect(new Set(examples.map(({ document }) => document)).size).toBeGreaterThan(8));

  it('pass the type check', async () => expect(await written.complaints()).toEqual([]), 300_000);

  it.each(examples.map((example) => [example.document, example.number, example] as const))(
    '%s: number %i prints the text below it',
    (_document, _number, example) => expect(printed.get(example)).toBe(example.prints),
  );
});
