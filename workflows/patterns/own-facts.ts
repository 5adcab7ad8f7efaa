import { factsOf } from './derive-facts.js';
import type { Facts } from './facts.js';

/** The facts of this package's own expressions by their text; `isOpened` if the source of the open ones was needed. */
export const ownFacts = new Map<string, Facts & { isOpened?: boolean }>();

/** The facts of one of this package's own expressions. The build puts a table in the place of this file: the package derives none of them. */
export const ownFactsOf = (regex: RegExp): Facts => {
  const facts: Facts & { isOpened?: boolean } = ownFacts.get(String(regex)) ?? factsOf(regex);
  ownFacts.set(String(regex), facts);
  const openSource = () => {
    facts.isOpened = true;
    return facts.openSource();
  };
  return { ...facts, openSource };
};
