import type { Steps } from '../../src/guard/in-steps.js';
import { eachCharacter, rememberKinds } from './character-kinds.js';
import { letter } from './letters.js';

/** The letters of a text, and those in none of the requested scripts. */
interface LetterCount {
  readonly letters: number;
  readonly foreign: number;
}

const [other, own, foreign] = [0, 1, 2];

/** Counts letters of other scripts than these. Letters of no single script do not count. */
export const letterCounter = (scripts: readonly string[]): ((text: string) => Steps<LetterCount>) => {
  const ownScript = new RegExp(`[${scripts.map((script) => `\\p{scx=${script}}`).join('')}\\p{sc=Zyyy}]`, 'u');
  const kindOf = rememberKinds((character) => {
    if (!letter().test(character)) return other;
    return ownScript.test(character) ? own : foreign;
  });
  return function* (text) {
    const counts = [0, 0, 0];
    yield* eachCharacter(text, (code) => {
      const kind = kindOf(code);
      counts[kind] = (counts[kind] ?? 0) + 1;
    });
    return { letters: (counts[own] ?? 0) + (counts[foreign] ?? 0), foreign: counts[foreign] ?? 0 };
  };
};

/** Whether the engine supports the script, by its Unicode name or code such as `Latin` or `Latn`. */
export const isScript = (name: string): boolean => {
  try {
    return new RegExp(`\\p{scx=${name}}`, 'u').source !== '';
  } catch {
    return false;
  }
};
