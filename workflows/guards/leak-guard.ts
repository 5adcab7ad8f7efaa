import type { MastraDBMessage } from '@mastra/core/agent/message-list';
import type { Processor } from '@mastra/core/processors';

import { createPace, finding, inTurn, paced } from '../../src/guard/in-steps.js';
import { whenReady } from '../../src/phase/awaitable.js';
import { readingsOf, textsOf, responseMessages } from '../messages/read-messages.js';
import { type CombinedFinder, combineFinders, countKinds } from '../patterns/combine-finders.js';
import { findersOf, type ValueKindOptions } from '../patterns/value-kinds.js';
import { type PiiKind, piiKinds } from './pii-guard.js';
import { idCountries } from '../patterns/kinds/national-id.js';
import {
  judgeWith,
  type GuardOptions,
  type GuardProcessor,
  traitsOf,
  checkOptions,
  type KindsOf,
  sharedKinds,
} from './guard-options.js';
import { streamHooks, type ValuePolicy } from './value-hooks.js';
import { aName, aText, listOf, oneOf } from '../../src/option-kind.js';
import { lazyRegex } from '../../src/phase/memo.js';

export interface LeakGuardOptions extends GuardOptions, ValueKindOptions {
  /** The kinds that must not be shown. Default: `email`, `card`, `iban`, `ssn`, `phone`. */
  kinds?: readonly PiiKind[];
  /**
   * Allowed values: an address (`jane@example.com`), a mailbox at any domain (`support@`), a domain with all its
   * mailboxes (`example.com`), or a number in any notation. Default: none.
   */
  allow?: readonly string[];
}

/** Metadata of the tripwire; never a value. */
export interface LeakMetadata {
  /** The number of findings by kind. */
  found: Partial<Record<PiiKind, number>>;
}

const optionKinds: KindsOf<LeakGuardOptions> = {
  ...sharedKinds,
  kinds: listOf(oneOf(...piiKinds)),
  allow: listOf(aText),
  defaultCountry: aName,
  countries: listOf(oneOf(...idCountries)),
};

/**
 * A guard (id `leak`) that blocks an answer with a personal address or number, in the stream, after each step and at the end. In
 * the stream it also reads reasoning and the arguments of tool calls, and buffers text that may be the start of a value: no
 * piece of one leaves, however the stream is cut.
 */
export const leakGuard = (
  options: LeakGuardOptions = {},
): GuardProcessor<'processOutputStream' | 'processOutputStep' | 'processOutputResult', LeakMetadata> => {
  checkOptions('leak', options, optionKinds);
  const { kinds = ['email', 'card', 'iban', 'ssn', 'phone'], allow = [] } = options;
  const policy: ValuePolicy<PiiKind, LeakMetadata> = {
    finder: withoutAllowed(combineFinders(findersOf(kinds, options)), parseAllowList(allow)),
    effect: 'block',
    replacement: () => '',
    detection: (found) => ({
      reason: 'The answer contains personal data of a person.',
      metadata: { found: countKinds(found) },
    }),
  };
  const guard: Processor<string, LeakMetadata> = {
    id: options.id ?? 'leak',
    name: 'Leak',
    description: `Blocks answers that contain ${kinds.join(', ')}.`,
    onViolation: options.onViolation,
  };
  const judge = judgeWith<LeakMetadata>(guard, 'block');
  const inAnswer = (messages: readonly MastraDBMessage[], text = '') => {
    const readings = [...readingsOf(responseMessages(messages).flatMap(textsOf)), text];
    const pace = createPace();
    return whenReady(
      inTurn(readings, (reading) => paced(finding(policy.finder, reading), pace)),
      (found) => {
        const leaks = found.find((spans) => spans.length > 0);
        return leaks && policy.detection(leaks, 'answer');
      },
    );
  };
  return Object.assign(guard, { traits: traitsOf.block }, streamHooks(policy, guard), {
    processOutputStep: (args) => whenReady(inAnswer(args.messages, args.text), (detection) => judge(detection, args)),
    processOutputResult: (args) => whenReady(inAnswer(args.messages), (detection) => judge(detection, args)),
  } satisfies Partial<Processor<string, LeakMetadata>>);
};

/** Whether a value may be shown. */
type IsAllowed = (value: string) => boolean;

/**
 * Reads an allow list: a whole address (`jane@example.com`), a mailbox at any domain (`support@`), a domain with all its
 * mailboxes (`@example.com` or `example.com`, without its subdomains), or a number in any notation (`+1 800 555 0199`).
 * Case does not count.
 */
export const parseAllowList = (entries: readonly string[]): IsAllowed => {
  const rules = entries.map((entry) => parseEntry(entry.trim().toLowerCase()));
  return (value) => rules.some((rule) => rule(value.toLowerCase()));
};

const parseEntry = (entry: string): IsAllowed => {
  if (entry.endsWith('@')) return (value) => value.startsWith(entry);
  if (entry.startsWith('@')) return hasDomain(entry);
  if (entry.includes('@')) return (value) => value === entry;
  if (/[a-z]/.test(entry) && entry.includes('.')) return hasDomain(`@${entry}`);
  const wanted = plain(entry);
  return (value) => wanted !== '' && plain(value) === wanted;
};

const hasDomain =
  (domain: string): IsAllowed =>
  (value) =>
    value.includes('@') && value.slice(value.lastIndexOf('@')) === domain;

const signs = lazyRegex(String.raw`[^\p{L}\p{N}]`, 'gu');
const plain = (value: string): string => value.replaceAll(signs(), '');

/** Finds the values of another finder that are not allowed. A possible start of a value is still buffered. */
const withoutAllowed = <Kind extends string>(finder: CombinedFinder<Kind>, isAllowed: IsAllowed): CombinedFinder<Kind> => ({
  ...finder,
  find: (text, from, until) => finder.find(text, from, until).filter(({ start, end }) => !isAllowed(text.slice(start, end))),
  labelled: (text, label) => {
    const span = finder.labelled?.(text, label);
    return span && isAllowed(text.slice(span.start, span.end)) ? undefined : span;
  },
});
