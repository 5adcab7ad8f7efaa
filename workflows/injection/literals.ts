import { RegExpParser, type AST } from '@eslint-community/regexpp';

/** Represents any character outside ASCII. */
export const beyondAscii = '\u0080';

/** Words in small letters, one of which is in every match. */
type OneOf = readonly string[];

/**
 * Words that every match of an expression contains, in any case: one word of each list. It may return too few lists, but never
 * too many; none for an expression whose matches have nothing in common.
 */
export const literalsOf = ({ source, flags }: RegExp): readonly OneOf[] => {
  const { pattern, flags: parsed } = new RegExpParser().parseLiteral(`/${source}/${flags}`);
  const isFolding = parsed.ignoreCase && (parsed.unicode || parsed.unicodeSets); // there a `k` may be a character outside ASCII
  const lists = inPattern(pattern);
  return isFolding ? lists.filter((words) => words.every((word) => word === beyondAscii)) : lists;
};

const inPattern = ({ alternatives }: { readonly alternatives: readonly AST.Alternative[] }): OneOf[] => {
  const each = alternatives.map(({ elements }) => inSequence(elements));
  return each.length === 1 ? (each[0] ?? []) : oneOfEach(each);
};

/** The most selective list of each alternative, joined. */
const oneOfEach = (alternatives: readonly (readonly OneOf[])[]): OneOf[] => {
  const best = alternatives.map((lists) => lists.toSorted((a, b) => worth(b) - worth(a))[0]);
  return best.every((words) => words !== undefined) ? [[...new Set(best.flat())]] : [];
};

const worth = (words: OneOf): number => Math.min(...words.map(({ length }) => length)) - words.length / 100;

const inSequence = (elements: readonly AST.Element[]): OneOf[] => {
  const lists: OneOf[] = [];
  let run = '';
  const endRun = (): void => {
    if (run !== '') lists.push([run]);
    run = '';
  };
  for (const element of elements) {
    const letter = element.type === 'Character' ? letterOf(element.value) : undefined;
    if (letter !== undefined && letter !== beyondAscii) run += letter;
    else {
      endRun();
      lists.push(...(letter === undefined ? inElement(element) : [[letter]]));
    }
  }
  endRun();
  return lists;
};

const letterOf = (code: number): string => (code < 0x80 ? String.fromCharCode(code).toLowerCase() : beyondAscii);

const inElement = (element: AST.Element): OneOf[] => {
  if (element.type === 'Group' || element.type === 'CapturingGroup') return inPattern(element);
  return element.type === 'Quantifier' && element.min > 0 ? inSequence([element.element]) : [];
};
