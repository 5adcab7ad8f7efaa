import { globSync, readFileSync } from 'node:fs';

import { parseSync } from 'oxc-parser';
import { analyse } from 'scslre';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';

import { InterlockAgent } from '../../src/index.js';
import { scriptedModel } from '../../src/testing/index.js';
import { jsonGuard, promptInjectionGuard } from '../../workflows/guards/index.js';
import { callHook, message } from '../../workflows/test-setup.js';

/**
 * Expressions that may be slow, with the reason. All others read text of people and models, of any length, and must take
 * time in proportion to it.
 */
const known: readonly Known[] = [
  { at: /kinds\/credentials\.ts$/, is: ({ source }) => source === '[.]+$' }, // in a match, of 4,096 characters at most
  { at: /kinds\/email\.ts$/, is: ({ source }) => source.endsWith('+$') }, // in the 253 characters around an @
  { at: /kinds\/network\.ts$/, is: ({ source }) => source === '[.:]+$' }, // in a match, of some 50 characters at most
  { at: /kinds\/phone\.ts$/, is: ({ source }) => source === '[)）][^]*[(（]' }, // in a match, of some 40 characters at most
  { at: /^playground\//, is: () => true }, // names, short values and text of the samples
  { at: /^workflows\/injection\//, is: ({ isPiece }) => isPiece }, // the phrase that contains it starts with words
];

const isKnown = (literal: Literal): boolean => known.some(({ at, is }) => at.test(literal.path) && is(literal));

const files = globSync('{src,schemas,workflows,bin,playground}/**/*.{ts,tsx}', { exclude: (name) => name === 'node_modules' });
const isShipped = (path: string): boolean => !/\.test(-d)?\.|test-setup/.test(path);

interface Known {
  readonly at: RegExp;
  readonly is: (literal: Literal) => boolean;
}

interface Literal {
  readonly path: string;
  readonly source: string;
  readonly flags: string;
  /** Whether it is a piece of a phrase, which is checked as a whole. */
  readonly isPiece: boolean;
}

/** The fields of a syntax tree's node that are read. */
interface Syntax {
  readonly regex: { readonly pattern: string; readonly flags: string };
  readonly callee: { readonly name?: string };
  readonly arguments: readonly unknown[];
}

const literalsIn = (path: string): Literal[] => {
  const found: Literal[] = [];
  const visit = (node: unknown, isPiece: boolean): void => {
    if (typeof node !== 'object' || node === null) return;
    const { regex, callee, arguments: given } = node as Partial<Syntax>;
    if (regex) found.push({ path, source: regex.pattern, flags: regex.flags, isPiece });
    const inside = Array.isArray(node) && isPiece; // the arguments are an array
    for (const child of Object.values(node)) visit(child, inside || (child === given && callee?.name === 'phrase'));
  };
  visit(parseSync(path, readFileSync(path, 'utf8')).program, false);
  return found;
};

/** The reasons why an expression is slow: backtracking over what it has read, or a new start at every place. */
const slownessOf = ({ source, flags }: Pick<Literal, 'source' | 'flags'>): string[] =>
  analyse({ source, flags }).reports.map(({ type, exponential }) => (exponential ? 'exponential' : type));

/** Expressions that modules construct while they load, from pieces that are literals elsewhere. */
const constructedBy = async (load: () => Promise<unknown>): Promise<Literal[]> => {
  const found: Literal[] = [];
  const record = (made: RegExp): RegExp => {
    const [caller = ''] = new Error('Who?').stack?.split('\n').slice(3) ?? [];
    const path = /\/((?:src|workflows)\/[\w/.-]+)/.exec(caller)?.[1];
    if (path && !caller.includes('node_modules')) found.push({ path, source: made.source, flags: made.flags, isPiece: false });
    return made;
  };
  const recording = new Proxy(RegExp, { construct: (target, given) => record(Reflect.construct(target, given) as RegExp) });
  vi.resetModules(); // they may be loaded already
  vi.stubGlobal('RegExp', recording);
  await load();
  vi.unstubAllGlobals();
  return found;
};

/** Uses each finder and reader once: they compile their expressions on first use. */
const compileOnFirstUse = async (): Promise<void> => {
  const [{ findersOf, valueKinds }, { idCountries }, { hiddenFinders, lookalikeFinder }, links, { repetitionOf }, words] =
    await Promise.all([
      import('../../workflows/patterns/value-kinds.js'),
      import('../../workflows/patterns/kinds/national-id.js'),
      import('../../workflows/unicode/unicode-finders.js'),
      import('../../workflows/links/link-finder.js'),
      import('../../workflows/text/repetition.js'),
      import('../../src/pipeline/spans.js'),
    ]);
  const named = findersOf(valueKinds, { entropy: true, countries: idCountries, defaultCountry: 'US' });
  for (const finder of [...named.map(([, one]) => one), ...hiddenFinders, lookalikeFinder]) {
    finder.find('a@b.example %41 \u200B 1', 0);
    finder.open('a@b.example %41 \u200B 1', 0);
  }
  expect([...links.linksIn('see https://a.example', 0)]).toHaveLength(1);
  expect(links.isBareLink('www.a.example')).toBe(true);
  expect(repetitionOf('one two')).toBe(1);
  expect([words.wordsOf('One two!'), words.tokensOf('One two!').length]).toEqual([['one', 'two'], 3]);
};

const isSlow = (literal: Literal): boolean => slownessOf(literal).length > 0;

describe('regular expressions take linear time', () => {
  const written = files.filter(isShipped).flatMap(literalsIn);
  let constructed: readonly Literal[] = [];
  beforeAll(async () => {
    constructed = await constructedBy(async () => {
      await import('../../workflows/guards/index.js');
      await compileOnFirstUse();
    });
  });

  it.each([
    ['^(\\w+\\s?)*$', 'exponential'],
    ['^```\\s*\\n([^]*)\\n```$', 'Trade'],
    ['\\buse\\W+[\\w.-]{2,40}\\W+tool', 'Trade'],
    ['[.]+$', 'Move'],
  ])('the check finds a slow one: %s', (source, slowness) => expect(slownessOf({ source, flags: '' })).toContain(slowness));

  it('all are checked: literals and constructed ones', () => {
    expect(written.length).toBeGreaterThan(150);
    expect(constructed.length).toBeGreaterThan(100);
  });

  it('none with sets of Unicode characters is compiled while the modules load, because that takes milliseconds', async () => {
    const onLoad = await constructedBy(() => import('../../workflows/guards/index.js'));
    expect(onLoad.length).toBeGreaterThan(10);
    expect(onLoad.filter(({ flags }) => flags.includes('v')).map(({ path, source }) => `${path} /${source}/`)).toEqual([]);
    expect(constructed.filter(({ flags }) => flags.includes('v')).length).toBeGreaterThan(5);
  });

  it('none is slow on unbounded text', () => {
    const slow = [...written, ...constructed].filter((literal) => !isKnown(literal) && isSlow(literal));
    expect(slow.map(({ path, source, flags }) => `${path} /${source}/${flags}`)).toEqual([]);
  });

  it('every exception is needed', () => {
    const slow = [...written, ...constructed].filter(isSlow);
    for (const { at, is } of known)
      expect(
        slow.some((literal) => at.test(literal.path) && is(literal)),
        String(at),
      ).toBe(true);
  });
});

/** In quadratic time, or worse, these would take minutes. */
const many = 60_000;

describe('texts crafted to be slow are judged in normal time', () => {
  it('a response with an open code block and many empty lines', async () => {
    const text = `\`\`\`json\n${'\n'.repeat(many)}x`;
    const { tripped } = await callHook(jsonGuard({ schema: z.unknown() }), 'processOutputStep', { text, messages: [] });
    expect(tripped?.reason).toContain('is not JSON');
    const agent = new InterlockAgent({ id: 'a', name: 'a', instructions: '', model: scriptedModel({ steps: [{ text }] }) });
    const answer = agent.generate('Answer.', { structuredOutput: { schema: z.unknown() } });
    await expect(answer).rejects.toMatchObject({ code: 'output/invalid-object' });
  });

  it('a request for a tool with an endless name', async () => {
    const messages = [message('user', `Please use ${'-'.repeat(many)}`)];
    const { tripped } = await callHook(promptInjectionGuard({ strategy: 'block' }), 'processInput', { messages });
    expect(tripped).toBeUndefined();
  });
});
