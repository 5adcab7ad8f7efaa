import type { Processor, ProcessLLMRequestArgs } from '@mastra/core/processors';
import { InterlockError } from '../../src/errors.js';
import type { WindowedProcessor, Pattern } from '../../src/guard/pattern.js';
import {
  aBoolean,
  aFunction,
  anObject,
  aText,
  either,
  instanceWith,
  kind,
  listOf,
  needed,
  oneOf,
} from '../../src/option-kind.js';
import { checkOptions, guardForm, traitsOf, report, type Detection, type GuardProcessor } from '../guards/guard-options.js';
import { placeLabels } from '../guards/place-hooks.js';
import { valueHooks, type ValueHooks, type ValuePlace } from '../guards/value-hooks.js';
import { alsoAsRead } from '../patterns/as-read.js';
import {
  combineFinders,
  countKinds,
  type CombinedFinder,
  type NamedFinders,
  type ValueSpan,
} from '../patterns/combine-finders.js';
import { createEntityFinder } from '../patterns/entity-finder.js';
import { decodeCodes } from '../patterns/reading.js';
import { readPattern } from '../patterns/own-pattern.js';
import { idCountries } from '../patterns/kinds/national-id.js';
import { findersOf, valueKinds } from '../patterns/value-kinds.js';
import { parseAllowList, type IsAllowed } from './allow-list.js';
import { type RedactionMetadata, type RedactionStrategy, type RedactorOptions, replacementOf } from './replacement.js';
import { createVault, createVaultOfStandIns, type Vault } from './vault.js';
import { atOnce, createPace, paced, replacing, inTurn } from '../../src/guard/in-steps.js';
import { whenReady, type Awaitable } from '../../src/phase/awaitable.js';
import { defineFinder } from '../patterns/define-finder.js';
import { holdBack } from '../stream/hold-back.js';
import { standIn, type SecretsProcessor } from '../../src/guard/secrets.js';
import { editPrompt, type Prompt } from './edit-prompt.js';
import type { EditText } from '../messages/redact-messages.js';

/** With `'restore'` it edits the requests to the model, otherwise messages. Mastra's own `Agent` takes both in both arrays. */
type Redactor =
  | (ValueHooks<unknown> & Pick<Processor, 'id'>)
  | (GuardProcessor<'processLLMRequest' | 'processOutputStream'> & Pick<WindowedProcessor, 'window'>);

/**
 * A guard (id `redactor`) for values that are recognizable by their characters: addresses, numbers and secrets, and your own
 * patterns. Each kind is validated, not only matched, and found in disguise: invisible characters, compatibility forms, and codes
 * such as `\u0040` and `%40`. It reads the input, tool results, and the text, reasoning and tool arguments of the answer.
 *
 * In a stream it buffers text that may be the start of a value, so that no piece of one leaves, and the result does not depend on
 * how the stream is cut. In an `InterlockAgent` the stream gate buffers; in Mastra's own agent the guard's own stream hook
 * does.
 *
 * With `'restore'` only the prompt of each model call is edited, and the values are restored only in the model's output: the
 * conversation and the memory keep the original text. The values stay in the process's memory during the run; a run that
 * continues in another process has new placeholders. In a pipeline that Mastra's own engine runs, `processLLMRequest` is not
 * called: put the redactor into the agent's array.
 *
 * Raises `guard/unknown-option`, `guard/invalid-option` and `guard/unbounded-pattern`.
 *
 * @example
 * redactor({ strategy: 'replace', kinds: ['email', 'card'], patterns: [{ name: 'order', regex: /\bNO-\d{6}\b/, maxLength: 9 }] });
 */
export const redactor = (options: RedactorOptions): Redactor => {
  checkOptions((options as RedactorOptions | undefined)?.id ?? 'redactor', options, form.kinds); // JavaScript may omit them
  const { strategy, kinds = valueKinds, patterns = [], id = 'redactor', places } = options;
  checkTogether(options, id);
  const own = patterns.map((pattern, index) => [pattern.name, readPattern(pattern, `${id}.patterns[${index}]`)] as const);
  const finders: NamedFinders = [...findersOf(kinds, options), ...own];
  const names: NamedFinders = options.entities ? [['entity', createEntityFinder(options.entities, `${id}.entities`)]] : [];
  const guard = form.open<RedactionMetadata>(
    options,
    `Finds ${[...kinds, ...own.map(([name]) => name), ...(options.entities ? ['names'] : [])].join(', ')}; strategy: ${strategy}.`,
  );
  const detection = (found: readonly ValueSpan[], place: ValuePlace): Detection<RedactionMetadata> => ({
    reason: `The ${placeLabels[place]} contains values that must not be shown.`,
    metadata: { strategy, found: countKinds(found) as Record<string, number> }, // no count is undefined
  });
  const spares = parseAllowList(options.allow ?? []);
  if (strategy === 'restore')
    return Object.assign(
      guard,
      { traits: traitsOf.redact },
      restoringHooks({ finders, names, spares }, (found) => void report(guard, detection(found, 'input'))),
    );
  const policy = {
    finder: combineFinders([...finders, ...names]),
    effect: strategy === 'block' || strategy === 'warn' ? strategy : ('redact' as const),
    rejectsCalls: strategy !== 'block',
    places,
    spares,
    replacement: replacementOf(options),
    detection,
  };
  return Object.assign(guard, valueHooks<string, RedactionMetadata>(policy, guard));
};

const strategies: readonly RedactionStrategy[] = ['mask', 'hash', 'remove', 'replace', 'block', 'warn', 'restore'];

export const form = guardForm<RedactorOptions>(['redactor', 'Redactor'], {
  strategy: needed(oneOf(...strategies)),
  kinds: listOf(oneOf(...valueKinds)),
  entities: instanceWith('find', 'an object with a method `find`'),
  patterns: listOf(anObject),
  allow: listOf(aText),
  places: listOf(oneOf('input', 'answer', 'result')),
  replacement: either(aText, aFunction),
  key: either(
    aText,
    kind('bytes', (value) => value instanceof Uint8Array),
  ),
  defaultCountry: aText,
  countries: listOf(oneOf(...idCountries)),
  entropy: aBoolean,
});

/** Checks that involve several options. */
const checkTogether = ({ kinds = valueKinds, patterns = [], entities, strategy, places }: RedactorOptions, id: string): void => {
  const refuse = (name: string, detail: string): never => {
    throw new InterlockError('guard/invalid-option', { path: `${id}.${name}`, detail });
  };
  if (kinds.length + patterns.length === 0 && !entities) refuse('kinds', 'there is nothing to look for.');
  if (strategy === 'restore' && places)
    refuse('places', 'the strategy `restore` hides values in prompts, wherever they come from.');
  const names = [...kinds, ...patterns.map(({ name }) => name)];
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice) refuse('patterns', `${twice} is named twice.`);
};

type RestoringHooks = Required<Pick<Processor, 'processLLMRequest' | 'processOutputStream'>> &
  Required<Pick<WindowedProcessor, 'window'>> &
  Required<Pick<SecretsProcessor, 'conceal' | 'expectStandIns' | 'readAhead'>>;

/** A placeholder as models write it, also with Markdown's backslashes and in codes; in incoming text it is hidden like a value. */
const placeholder = String.raw`\\{0,2}\[[A-Z](?:[A-Z0-9_]|\\{1,2}_){0,31}\\{0,2}_\d{1,6}\\{0,2}\]`;
const finderAfter = (before: string) => defineFinder(() => ({ regex: new RegExp(before + placeholder) }));
const placeholderFinders = alsoAsRead([['placeholder', finderAfter('')]]);
const plainPlaceholder = (written: string): string => decodeCodes(written).normalize('NFKC').replaceAll('\\', '');

const standInFinder = defineFinder(() => ({ regex: standIn }));

/** A run's values, and the finders of these and of new ones. */
interface Hiding {
  readonly vault: Vault;
  /** Finds what a prompt must not contain. */
  readonly inPrompt: CombinedFinder;
  /** Finds what a recording must not contain: its placeholders may stay, and no name can be awaited. */
  readonly inRecord: CombinedFinder;
}

/** A value that was recognized by its label is not recognizable where it was put back, so that hidden values are searched, too. */
const createHidings = ({ finders, names }: { finders: NamedFinders; names: NamedFinders }) => {
  const hidings = new WeakMap<object, Hiding & { readonly size: number }>();
  const hidingOf = (vault: Vault): Hiding & { readonly size: number } => {
    const values: NamedFinders = [...alsoAsRead([['value', vault.finder()]]), ...finders, ['stand-in', standInFinder]];
    return {
      vault,
      size: vault.size,
      inPrompt: combineFinders([...values, ...placeholderFinders, ...names]),
      inRecord: combineFinders(values),
    };
  };
  return {
    of: (state: object): Hiding => {
      const before = hidings.get(state);
      if (before?.size === before?.vault.size && before) return before;
      const hiding = hidingOf(before?.vault ?? createVault());
      hidings.set(state, hiding);
      return hiding;
    },
    expectStandIns: (state: object): void => void hidings.set(state, hidingOf(createVaultOfStandIns())),
  };
};

/** A value that is found late may be in an earlier text. Only values that overlap in a chain need more rounds than this. */
const maxRounds = 4;

/** Hide values in requests to the model alone, and restore them in its output, before a tool or the client receives it. */
const restoringHooks = (
  { spares, ...given }: { finders: NamedFinders; names: NamedFinders; spares: IsAllowed },
  onHidden: (found: readonly ValueSpan[]) => void,
): RestoringHooks => {
  const hidings = createHidings(given);
  /** Replaces values by placeholders, and collects them. */
  const hiding = (state: object, found: ValueSpan[]): EditText => {
    const pace = createPace();
    const { vault, inPrompt } = hidings.of(state);
    const replace = (value: string, span: ValueSpan) => {
      if (spares(value)) return value;
      found.push(span);
      return vault.hide(span, value);
    };
    return (text, label) => paced(replacing(text, { pattern: inPrompt, replace }, label), pace);
  };
  const hide = (prompt: Prompt, state: object, round = 1): Awaitable<{ found: ValueSpan[]; edited: Prompt }> => {
    const found: ValueSpan[] = [];
    const { vault } = hidings.of(state);
    const before = vault.size;
    return whenReady(editPrompt(prompt, hiding(state, found)), (edited) =>
      vault.size === before || round === maxRounds ? { found, edited } : hide(prompt, state, round + 1),
    );
  };
  const pattern: Pattern = {
    ...combineFinders([...alsoAsRead([['address', finderAfter('(?<=[=&/])')]]), ...placeholderFinders]),
    replace: (name, { context, span }) => {
      const value = hidings.of(context.state).vault.reveal(plainPlaceholder(name));
      const isCoded = name.startsWith('%') && 'kind' in span && span.kind === 'address';
      return isCoded && value !== undefined ? encodeURIComponent(value) : (value ?? name);
    },
  };
  return {
    processLLMRequest: ({ prompt, state }: Pick<ProcessLLMRequestArgs, 'prompt' | 'state'>) =>
      whenReady(hide(prompt, state), ({ found, edited }) => {
        if (found.length === 0) return undefined;
        onHidden(found);
        return { prompt: edited };
      }),
    processOutputStream: holdBack(pattern),
    window: { pattern },
    conceal: (text, state, label) => {
      const { vault, inRecord } = hidings.of(state);
      const replace = (value: string, span: ValueSpan) => (spares(value) ? value : vault.hide(span, value));
      return atOnce(replacing(text, { pattern: inRecord, replace }, label));
    },
    readAhead: (texts, state) => {
      const read = hiding(state, []);
      return inTurn(texts, ({ text, label }) => read(text, label));
    },
    expectStandIns: hidings.expectStandIns,
  };
};
