import { Session, type Profiler } from 'node:inspector/promises';
import { setFlagsFromString } from 'node:v8';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as everyGuard from '../../workflows/guards/index.js';
import { findValues } from '../../workflows/patterns/test-setup.js';
import { isDeep, isWhole } from '../modes.js';
import { guards, shapes, textOf, type AskGuard, type Shape } from './guard-rows.js';

/** Exports of the entry other than guards. */
const others = new Set([
  'pipeline',
  'guard',
  'otherwise',
  'rejectToolCall',
  'requireApproval',
  'isInterlockError',
  'InterlockError',
  'judgeModel',
  'offTopicPolicy',
  'injectionScore',
  'defaultGuards', // tested by the rows below
]);

/**
 * Counts how often each function and block of the guards' own code runs, which is the same on every machine if nothing is
 * optimized (inlined functions are not counted). Built-in functions are not counted either; test/fuzz/regular-expressions.test.ts
 * checks regular expressions.
 */
const session = new Session();
const blocksOf = ({ functions }: Profiler.ScriptCoverage): number =>
  functions.flatMap(({ ranges }) => ranges).reduce((sum, { count }) => sum + count, 0);
const isOurs = ({ url }: Profiler.ScriptCoverage): boolean => /\/(workflows|src)\/(?!test)/.test(url);
/** The work since the last count; each count starts the next. */
const workOf = async (ask: AskGuard, text: string): Promise<number> => {
  await ask(text);
  const { result } = await session.post('Profiler.takePreciseCoverage');
  return result.filter(isOurs).reduce((sum, script) => sum + blocksOf(script), 0);
};

const optimizers = ['opt', 'maglev', 'sparkplug'];
beforeAll(async () => {
  for (const name of optimizers) setFlagsFromString(`--no-${name}`);
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
});
afterAll(async () => {
  await session.post('Profiler.stopPreciseCoverage');
  session.disconnect();
  for (const name of optimizers) setFlagsFromString(`--${name}`);
});

const links: readonly Shape[] = ['links', 'images', 'brackets', 'addresses in addresses', 'queries', 'percents', 'tags'];
const values: readonly Shape[] = [
  'a table of addresses',
  'digits and dashes',
  'codes',
  'percents',
  'labels',
  'base 64',
  'zero-width spaces',
];
const query: readonly Shape[] = ['quotes', 'comments', 'tables of a query', 'parentheses'];
/** The shapes that are hardest for a guard, from the hardest on: `npm test` tries two. Others take turns, and `npm run fuzz` tries all of them. */
const hardest: Readonly<Partial<Record<string, readonly Shape[]>>> = {
  blockedTermsGuard: ['terms', 'parts of terms', 'look-alikes'],
  canaryGuard: ['short sentences', 'instructions', 'base 64'],
  jsonGuard: ['objects', 'brackets', 'quotes'],
  judgeGuard: ['quotes', 'objects', 'short sentences'],
  linkGuard: links,
  pathRule: ['folders', 'percents', 'codes'],
  promptInjectionGuard: ['instructions', 'look-alikes', 'tags', 'base 64', 'zero-width spaces'],
  redactor: values,
  sqlRule: query,
  toolDescriptionGuard: ['instructions', 'tags'],
  toolPolicy: query,
  toolSecretsGuard: values,
  topicGuard: ['terms', 'parts of terms'],
  unicodeGuard: ['zero-width spaces', 'soft hyphens', 'look-alikes', 'isolates', 'codes'],
  urlRule: links,
};
const shapesFor = (name: string): readonly Shape[] => {
  const all = Object.keys(shapes) as Shape[];
  const turn = Object.keys(guards).indexOf(name) % 8;
  const hard = hardest[name]?.slice(0, isWhole ? Infinity : 2);
  return all.filter(
    (shape, index) => isDeep || (isWhole && index % 8 === turn) || shape === 'prose' || hard?.includes(shape) === true,
  );
};

/** The first length of a text, and eight times as long if the longest value of a guard decides about the shorter one. */
const chars = 1_000;

/** The growth of the work for a text of twice the length. */
const growth = async (ask: AskGuard, unit: string, length: number): Promise<number> => {
  const [once, twice] = [await workOf(ask, textOf(unit, length)), await workOf(ask, textOf(unit, 2 * length))];
  return twice / (once + 1_000);
};

describe('P12: twice the text is at most 2.5 times the work', () => {
  it('every guard of the package has a row', () => {
    const functions = Object.entries(everyGuard).flatMap(([name, value]) => (typeof value === 'function' ? [name] : []));
    expect(functions.filter((name) => !others.has(name)).toSorted()).toEqual(
      [...new Set(Object.keys(guards).map((name) => name.replace(/ .*/, '')))].toSorted(),
    );
  });

  it.each(Object.entries(guards))('%s', async (name, ask) => {
    await workOf(ask, textOf('Hello. ', chars)); // one-time setup
    const tooMuch: string[] = [];
    for (const shape of shapesFor(name)) {
      const unit = shapes[shape];
      if ((await growth(ask, unit, chars)) <= 2.5) continue;
      const times = await growth(ask, unit, 8 * chars);
      if (times > 2.5) tooMuch.push(`${shape}: ${times.toFixed(2)} times`);
    }
    expect(tooMuch).toEqual([]);
  });

  it('a guard that rereads the whole text for each character exceeds the limit', async () => {
    const again: AskGuard = (text) =>
      Array.from(text.slice(0, text.length / 10), (_sign, at) => findValues(`${at} ${text}`, ['email'])).length;
    expect(await growth(again, shapes['a table of addresses'], 1_000)).toBeGreaterThan(3.5);
  });
});
