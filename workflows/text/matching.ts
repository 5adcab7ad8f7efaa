import { stepChars } from '../../src/guard/in-steps.js';
import type { Pattern, TextSpan } from '../../src/guard/pattern.js';

/** The maximum reach of a match after the step of a text in which it starts. */
const maxReach = 2 * stepChars;
/** The text after a match may decide about it. */
const lookahead = 2;

/**
 * Finds matches of an expression so that a long text can be read in steps.
 *
 * @param reach Matches, from any place on, at least the remaining text of a match that started before.
 */
export const matching = (pattern: RegExp, reach: RegExp): Required<Pick<Pattern, 'find' | 'isStepwise'>> => {
  const global = new RegExp(pattern, `${pattern.flags.replaceAll(/[gy]/g, '')}g`);
  const ahead = new RegExp(reach, `${reach.flags}y`);
  return {
    isStepwise: true,
    find: (text, from, until = text.length) => {
      ahead.lastIndex = until;
      ahead.exec(text.slice(0, until + maxReach));
      const scope = text.slice(0, Math.max(until, ahead.lastIndex) + lookahead);
      const spans: TextSpan[] = [];
      global.lastIndex = from;
      for (let match = global.exec(scope); match && match.index < until; match = global.exec(scope)) {
        spans.push({ start: match.index, end: match.index + match[0].length });
        if (match[0] === '') global.lastIndex += 1;
      }
      return spans;
    },
  };
};
