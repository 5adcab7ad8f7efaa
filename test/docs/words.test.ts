import { globSync, readFileSync } from 'node:fs';

import { parseSync, Visitor, type CallExpression } from 'oxc-parser';
import { describe, expect, it } from 'vitest';

import { errorTable } from '../../src/errors.js';
import { inRoot } from './examples.js';

/** Words that hide the noun or the verb of a sentence, and what to write instead. */
const discouraged: Readonly<Record<string, string>> = {
  who: 'name the role: the caller, the user, the process',
  whom: 'name the role',
  whoever: 'name the role',
  nobody: 'use the passive, or "no" and a noun',
  somebody: 'name the role',
  anybody: 'name the role',
  everybody: 'name the role',
  told: 'gets, is reported, is listed',
  stands: 'is, is in',
  begun: 'started',
  behaviour: 'behavior',
  beside: 'next to, during, in parallel with, compared with',
  colour: 'color',
  colours: 'colors',
  labelled: 'labeled',
  licence: 'license',
  lane: 'array',
  lanes: 'arrays',
  arm: 'case',
  arms: 'cases',
  'ready-made': 'built-in',
  refused: 'rejected',
  refuses: 'rejects',
  'stock agent': "Mastra's own agent",
  'stock mastra': "Mastra's own agent",
  unhonoured: 'not called',
  withheld: 'buffered',
  withholds: 'buffers',
};

const anyDiscouraged = new RegExp(String.raw`\b(?:${Object.keys(discouraged).join('|')})\b`, 'gi');

const clause = /\b(?:what|whatever|where|whose|whoever)\b/i;

/** A declared name with a verb or a clause in place of the noun, such as `told`, `askedFor` or `whatIsLeft`. */
const clauseName =
  /\b(?:const|let|function|interface|type|class|readonly)\s+(?:[{[][^}\]\n]*?[{[\s])?((?:told|said|asked|heard|saw|spoken|beside|begun|who|whom|what|whatever|stands)(?:[A-Z]\w*)?|\w+(?:Told|Said|Asked|Heard|Saw|Spoken|Beside|Begun))\b/g;

const namesIn = (text: string): string[] => Array.from(text.matchAll(clauseName), ([, name = '']) => name);

const pages = globSync(['*.md', 'docs/*.md', 'docs/{guide,reference}/**/*.md', 'examples/{,*/}README.md', '.github/**/*.md'], {
  cwd: inRoot('.'),
}).map((path) => path.replaceAll('\\', '/'));

/** Sentences without code, and without the targets and names of links. */
const proseOf = (text: string): string =>
  text
    .replaceAll(/^```[^]*?^```$/gm, '')
    .replaceAll(/`[^`\n]*`/g, '')
    .replaceAll(/\]\([^)]*\)|<a id="[^"]*">/g, ']');

const sources = globSync(
  [
    '*.ts',
    '{src,schemas,workflows,bin,playground,scripts,scorecard,bench,test}/**/*.{ts,tsx,mjs,js}',
    'examples/**/*.{ts,tsx}',
    'site/{live,.vitepress}/**/*.{ts,mjs}',
  ],
  { cwd: inRoot('.') },
)
  .map((path) => path.replaceAll('\\', '/'))
  .filter((path) => !/node_modules\/|\/(?:dist|cache|\.next)\/|^test\/docs\/words/.test(path));

const testFunctions: ReadonlySet<string> = new Set(['it', 'test', 'describe']);

/** The title of a test or of a group of tests; undefined for other calls. */
const titleOf = ({ callee, arguments: [title] }: CallExpression): string | undefined => {
  let called: { readonly type: string } = callee;
  while (called.type !== 'Identifier') {
    if (called.type === 'MemberExpression') called = (called as typeof called & { object: typeof called }).object;
    else if (called.type === 'CallExpression') called = (called as CallExpression).callee;
    else if (called.type === 'TaggedTemplateExpression') called = (called as typeof called & { tag: typeof called }).tag;
    else return undefined;
  }
  if (!testFunctions.has((called as typeof called & { name: string }).name)) return undefined;
  if (title?.type === 'TemplateLiteral') return title.quasis.map(({ value }) => value.raw).join(' ');
  return title?.type === 'Literal' && typeof title.value === 'string' ? title.value.replaceAll(/\$\w+/g, '') : undefined;
};

/** The sources whose strings a user reads: output of the command line, labels of the studio. */
const isShown = (path: string): boolean => /^(?:bin|playground\/(?:web|server))\//.test(path) && !path.includes('.test.');

/** The comments and test titles of a source file, and its sentences and labels that a user reads: texts with a space. */
const proseInCode = (path: string, text: string): string[] => {
  if (text.search(anyDiscouraged) < 0 && text.search(clause) < 0) return []; // most files, without parsing them
  const { program, comments } = parseSync(path, text);
  const [titles, shown]: [string[], string[]] = [[], []];
  const show = (value: unknown): void => void (typeof value === 'string' && value.trim().includes(' ') && shown.push(value));
  new Visitor({
    CallExpression: (call) => {
      const title = titleOf(call);
      if (title !== undefined) titles.push(title);
    },
    Literal: ({ value }) => show(value),
    TemplateElement: ({ value }) => show(value.cooked),
    JSXText: ({ value }) => show(value),
  }).visit(program);
  return [...comments.map(({ value }) => value.replaceAll(/\{@link [^}]*\}/g, '')), ...titles, ...(isShown(path) ? shown : [])];
};

const wordsIn = (text: string): string[] => {
  const prose = proseOf(text);
  return Array.from(prose.matchAll(anyDiscouraged), ({ 0: word, index }) => {
    const [before = ''] = /.{0,40}$/.exec(prose.slice(0, index)) ?? [];
    const [after = ''] = /^.{0,40}/.exec(prose.slice(index + word.length)) ?? [];
    return `${(before + word + after).trim()} (${word.toLowerCase()}: ${discouraged[word.toLowerCase()]})`;
  });
};

/** Comments and titles that begin with a clause instead of a noun or a verb. */
const clausesIn = (texts: readonly string[]): string[] =>
  texts.filter((text) => new RegExp(`^[\\s*]*${clause.source}`, 'i').test(text)).map((text) => text.trim());

describe('plain English', () => {
  it('finds a discouraged word in prose, not in code or the target of a link', () => {
    expect(wordsIn('It is told to [them](told.md), `told`.')).toEqual([
      'It is told to [them], . (told: gets, is reported, is listed)',
    ]);
  });

  it.each(pages)('%s', (page) => {
    expect(wordsIn(readFileSync(inRoot(page), 'utf8'))).toEqual([]);
  });

  it('finds a discouraged word in comments and test titles, not in strings', () => {
    const source = [
      "// is told\nconst told = 'told';",
      "it.each(['told'])('stands %s, $beside', () => {});",
      'describe(`whom ${told}`);',
    ].join('\n');
    expect(proseInCode('a.test.ts', source).flatMap(wordsIn)).toEqual([
      'is told (told: gets, is reported, is listed)',
      'stands %s, (stands: is, is in)',
      'whom (whom: name the role)',
    ]);
  });

  it('finds a discouraged word in a label of the studio and in output of the command line', () => {
    const label = 'const view = <p title="The stock agent">Text is withheld</p>;';
    expect(proseInCode('playground/web/a.tsx', label).flatMap(wordsIn)).toEqual([
      "The stock agent (stock agent: Mastra's own agent)",
      'Text is withheld (withheld: buffered)',
    ]);
    expect(proseInCode('bin/a.ts', 'out(`${name} is refused`);').flatMap(wordsIn)).toEqual(['is refused (refused: rejected)']);
  });

  it('comments and test titles', () => {
    const found = sources.flatMap((path) => {
      const prose = proseInCode(path, readFileSync(inRoot(path), 'utf8'));
      return [...prose.flatMap(wordsIn), ...clausesIn(prose)].map((words) => `${path}: ${words}`);
    });
    expect(found).toEqual([]);
  });

  it('finds a comment and a title that begin with a clause', () => {
    const prose = proseInCode('a.test.ts', "/** What is kept. */\nit('where it ends', () => {}); // kept");
    expect(clausesIn(prose)).toEqual(['* What is kept.', 'where it ends']);
  });

  it('finds a declared name that is no noun', () => {
    const source = 'const told = 1; let { id, saidIn } = x; type RunAsked = 1; const retold = tellers; fetch(what);';
    expect(namesIn(source)).toEqual(['told', 'saidIn', 'RunAsked']);
  });

  it('declared names', () => {
    const found = sources.flatMap((path) =>
      namesIn(readFileSync(inRoot(path), 'utf8')).map((name) => `${path}: ${name} (name the value by a noun)`),
    );
    expect(found).toEqual([]);
  });

  it('the table of errors', () => {
    expect(Object.entries(errorTable).flatMap(([code, { say }]) => wordsIn(say).map((found) => `${code}: ${found}`))).toEqual([]);
  });
});
