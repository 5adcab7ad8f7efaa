import { InterlockError } from '../../src/errors.js';
import { createPace, finding, paced, type Steps } from '../../src/guard/in-steps.js';
import type { TextSpan } from '../../src/guard/pattern.js';
import { placeholder, standIn } from '../../src/guard/secrets.js';
import type { ValueSpan } from './combine-finders.js';
import type { Finder } from './define-finder.js';
import { letter, letterOrDigit } from '../text/characters.js';
import { firstIndex } from './reading.js';

/** A name in a text, in UTF-16 units. */
export interface Entity extends TextSpan {
  /** Its kind in lowercase letters, digits and `-`, such as `person`. */
  readonly kind: string;
}

/** Names of kinds of entities; they become placeholders. */
export const kindForm = /^[a-z][a-z0-9-]{0,31}$/;

/** Finds names in texts: `localEntities` of `mastra-interlock/classifier`, or your own around a service. */
export interface EntityRecognizer {
  /** Returns the entities of each text, in order. It must read a long text whole. The guard fails closed if it throws. */
  find(texts: readonly string[]): Promise<readonly (readonly Entity[])[]>;
}

/** Replacements that a model may mistake for names. */
const replaced = new RegExp(`\\[[A-Z][A-Z0-9_]{0,31}(?::[0-9a-f]{1,64})?\\]|${placeholder.source}|${standIn.source}`, 'g');
const maxReplacedChars = 100;

/** The number of remembered characters, at least one text: a conversation is read again with each call of the model. */
const maxKnownChars = 2_000_000;

/** The smallest number of remembered texts, whatever their length. */
const minKnownTexts = 8;

/** Creates the finder of a recognizer's entities, which remembers texts: `find` cannot wait. */
export const createEntityFinder = (recognizer: EntityRecognizer, path: string): Finder => {
  const known = new Map<string, readonly ValueSpan[]>();
  let knownChars = 0;
  const remember = (text: string, spans: readonly ValueSpan[]): void => {
    if (!known.has(text)) knownChars += text.length;
    known.set(text, spans);
    for (const [oldest] of known) {
      if (knownChars <= maxKnownChars || known.size <= minKnownTexts) break;
      known.delete(oldest);
      knownChars -= oldest.length;
    }
  };
  const unavailable = (detail: string): InterlockError => new InterlockError('guard/unavailable', { path, detail });
  const read = async (text: string): Promise<void> => {
    const [entities] = await recognizer.find([text]);
    if (!entities?.every((entity) => isEntityOf(text, entity)))
      throw unavailable('the recognizer returned no list of entities for the text.');
    remember(text, await paced(withoutReplaced(text, entities), createPace()));
  };
  return {
    maxLength: 'part',
    lookbehind: 1,
    lookahead: 1,
    open: (_text, from) => from,
    prepare: (text) => {
      if (known.has(text)) return undefined;
      if (letter().test(text)) return read(text);
      remember(text, []);
      return undefined;
    },
    find: (text, from, until = text.length) => {
      const spans = known.get(text);
      if (!spans) throw unavailable('a text was not read by the recognizer.');
      const indexFrom = (place: number) => firstIndex(spans, ({ start }) => start >= place);
      return spans.slice(indexFrom(from), indexFrom(until));
    },
  };
};

const isEntityOf = ({ length }: string, { start, end, kind }: Entity): boolean =>
  Number.isInteger(start) && Number.isInteger(end) && start >= 0 && start < end && end <= length && kindForm.test(kind);

const replacementFinder = {
  isStepwise: true,
  find: (text: string, from: number, until = text.length): TextSpan[] =>
    Array.from(text.slice(from, until + maxReplacedChars).matchAll(replaced), ({ 0: { length }, index }) => ({
      start: from + index,
      end: from + index + length,
    })).filter(({ start }) => start < until),
};

/** Entities in order, without replacements in them. */
function* withoutReplaced(text: string, entities: readonly Entity[]): Steps<ValueSpan[]> {
  const replacements = yield* finding(replacementFinder, text);
  let next = 0;
  const left: ValueSpan[] = [];
  const add = (kind: string, start: number, end: number): void => {
    const from = Math.max(start, left.at(-1)?.end ?? 0);
    if (letterOrDigit().test(text.slice(from, end))) left.push({ kind, start: from, end });
  };
  for (const { kind, start, end } of entities.toSorted((a, b) => a.start - b.start || b.end - a.end)) {
    yield end - start;
    let at = start;
    while (next < replacements.length && (replacements[next]?.end ?? 0) <= start) next += 1;
    for (let index = next; (replacements[index]?.start ?? Infinity) < end; index += 1) {
      add(kind, at, replacements[index]?.start ?? end);
      at = replacements[index]?.end ?? end;
    }
    add(kind, at, end);
  }
  return left;
}
