import { RegExpParser } from '@eslint-community/regexpp';
import { once } from '../../src/phase/memo.js';
import { beginningsOf } from './beginnings.js';
import type { Facts } from './facts.js';
import { alphabetOf, leastLengthOf, openSourceOf, reachOf } from './regex-facts.js';

/** Facts of an expression. It is parsed once for all: that takes longer than many searches. */
export const factsOf = (regex: RegExp): Facts => {
  const parsed = once(() => new RegExpParser().parseLiteral(String(regex)));
  return {
    alphabet: once(() => alphabetOf(parsed())),
    reach: once(() => reachOf(parsed().pattern, parsed().flags.unicode || parsed().flags.unicodeSets)),
    least: once(() => leastLengthOf(parsed().pattern)),
    openSource: once(() => openSourceOf(parsed().pattern)),
    beginnings: once(() => beginningsOf(parsed())),
  };
};
