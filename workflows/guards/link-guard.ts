import { InterlockError } from '../../src/errors.js';
import type { TextSpan, WindowedProcessor } from '../../src/guard/pattern.js';
import { aText, listOf, numberFrom, oneOf } from '../../src/option-kind.js';
import { cargoOf, faultOf, readHost, type LinkFault, type LinkRules } from '../links/judge-link.js';
import { linkLookbehind, linksIn, maxLinkChars, openLink } from '../links/link-finder.js';
import { codeStateOf, createMarkdownCode, maxCodeAhead } from '../links/markdown-code.js';
import { perConversation } from '../messages/read-messages.js';
import { alsoAsRead } from '../patterns/as-read.js';
import { combineFinders, countKinds, type CombinedFinder, type ValueSpan } from '../patterns/combine-finders.js';
import type { Finder } from '../patterns/define-finder.js';
import { indexOverlap, plainSigns } from '../text/overlap.js';
import { guardForm, type GuardOptions, type GuardProcessor, type JudgeStrategy } from './guard-options.js';
import { valueHooks, type ValuePolicy } from './value-hooks.js';

/** The replacement of a rejected address. */
type LinkStrategy = JudgeStrategy | 'strip' | 'defang';

export interface LinkGuardOptions extends GuardOptions {
  /**
   * Hosts that may be linked to or loaded from: `example.com` for that host on its default port, `example.com:8443`,
   * `*.example.com` for hosts under it, `*` for all but those that imitate another. Addresses of machines count only when
   * listed. Default: none.
   */
  readonly hosts?: readonly string[];
  /**
   * Allowed schemes, without their colon. `data` allows only images, which pass without it as `![…](data:image/…)`; `mailto` checks each domain against `hosts`. Default
   * `https`, `http`, `mailto`, `tel`.
   */
  readonly schemes?: readonly string[];
  /**
   * The minimum number of consecutive letters and digits with which an address that repeats the conversation is rejected (system
   * messages, user turns, tool results; also in base 64 and hexadecimal). An address that the conversation contains as a whole
   * passes. At least 8; `Infinity` turns it off. Default 32.
   */
  readonly maxCarried?: number;
  /**
   * `block` stops the run, `strip` replaces the address with `replacement`, `defang` makes it readable but not clickable
   * (`hxxps[:]//evil[.]com`), `warn` only calls `onViolation`. Default `'block'`.
   */
  readonly strategy?: LinkStrategy;
  /** The replacement for an address with `strip`, and with `defang` if the address has no host. Default `[link removed]`. */
  readonly replacement?: string;
}

/** Metadata of the tripwire and of `onViolation`; never an address. */
export interface LinkMetadata {
  readonly strategy: LinkStrategy;
  /** The number of rejected addresses by fault. */
  readonly found: Partial<Record<LinkFault, number>>;
}

export const form = guardForm<LinkGuardOptions>(['link', 'Links'], {
  hosts: listOf(aText),
  schemes: listOf(aText),
  maxCarried: numberFrom(8),
  strategy: oneOf('block', 'warn', 'strip', 'defang'),
  replacement: aText,
});

/** The maximum length of the newest conversation that is compared with addresses. */
const maxConversationChars = 262_144;

/**
 * A guard (id `link`) against addresses that take data out or lead elsewhere, in answers, reasoning, sources, tool arguments and
 * tool results: Markdown, HTML, CSS and bare addresses, with the encodings that browsers decode. In a stream it buffers a
 * possible beginning of one.
 *
 * Addresses relative to the page pass. Redirects of an allowed host are not followed, and data in short pieces over many
 * addresses is not detected.
 *
 * Raises `guard/invalid-option` for an unreadable host or scheme.
 *
 * @example
 * linkGuard({ hosts: ['example.com', '*.example.com'], strategy: 'strip' });
 */
export const linkGuard = (
  options: LinkGuardOptions = {},
): GuardProcessor<'processOutputStep' | 'processOutputResult' | 'processToolResult'> & Pick<WindowedProcessor, 'window'> => {
  form.check(options);
  const { hosts = [], strategy = 'block', replacement = '[link removed]', maxCarried = 32 } = options;
  const rules = readRules(options);
  const guard = form.open<LinkMetadata>(options, `Allows only addresses of these hosts: ${hosts.join(', ') || 'none'}.`);
  const faultBy = (own: LinkRules) =>
    remembering(
      (value: string): LinkFault | undefined =>
        faultOf(value, own) ?? (plainSigns(cargoOf(value, own)).length >= maxCarried ? 'carries' : undefined),
    );
  const carries = perConversation((texts) => carriedBy(texts, maxCarried));
  const policy: ValuePolicy<LinkFault, LinkMetadata> = {
    finder: faultFinder({ inText: faultBy(rules), inCode: faultBy({ ...rules, isInCode: true }), isOpen: rules.isOpen }),
    effect: strategy === 'strip' || strategy === 'defang' ? 'redact' : strategy,
    replacement: (_span, value) => (strategy === 'defang' ? defanged(value, replacement) : replacement),
    spares: (value, { kind }, list) => kind === 'carries' && !carries(list)(value, cargoOf(value, rules)),
    detection: (found, place) => ({
      reason: `The ${place} has an address that is not allowed.`,
      metadata: { strategy, found: countKinds(found) },
    }),
  };
  const { processInput: _input, ...hooks } = valueHooks<LinkFault, LinkMetadata>(policy, guard);
  return Object.assign(guard, hooks);
};

const readRules = ({ hosts = [], schemes = ['https', 'http', 'mailto', 'tel'], id = 'link' }: LinkGuardOptions): LinkRules => {
  const throwInvalid = (path: string, detail: string): never => {
    throw new InterlockError('guard/invalid-option', { path: `${id}.${path}`, detail });
  };
  const matchers = hosts.map((entry, at) => readHost(entry) ?? throwInvalid(`hosts.${at}`, `${entry} is not a host.`));
  for (const [at, scheme] of schemes.entries())
    if (!/^[a-z][a-z0-9+.-]*$/.test(scheme)) throwInvalid(`schemes.${at}`, `${scheme} is not a URL scheme.`);
  return { schemes: new Set(schemes), allows: (host) => matchers.some((fits) => fits(host)), isOpen: hosts.includes('*') };
};

interface Faults {
  readonly inText: (value: string) => LinkFault | undefined;
  /** The same in Markdown code. */
  readonly inCode: (value: string) => LinkFault | undefined;
  /** Whether every host is allowed. */
  readonly isOpen: boolean;
}

/** Finds rejected addresses, and those long enough to carry data. */
const faultFinder = ({ inText, inCode, isOpen }: Faults): CombinedFinder<LinkFault> => {
  const written: Finder = {
    maxLength: maxLinkChars,
    lookbehind: linkLookbehind,
    lookahead: 1,
    find: (text, from, until) => {
      const spans: { start: number; end: number }[] = [];
      const links = linksIn(text, from, until);
      for (let link = links.next(); !link.done;) {
        const { start, end, isPlace } = link.value;
        const value = text.slice(start, end);
        const isLink = !isInlineImage(text, start) && (isPlace || (!isOpen && start === 0) || becomesLink(value, isOpen));
        const isFound = end > start && isLink && inText(value) !== undefined;
        if (isFound) spans.push({ start, end });
        link = links.next(isFound ? end : undefined);
      }
      return spans;
    },
    open: openLink,
  };
  const { unlabelled: _same, ...finder } = combineFinders(alsoAsRead([['host' as LinkFault, written]]));
  const isInCode = createMarkdownCode();
  const found = (text: string, spans: readonly TextSpan[]): ValueSpan<LinkFault>[] =>
    spans.flatMap((span) => {
      if (isAfterCode(text, span.start)) return [];
      const value = text.slice(span.start, span.end);
      const kind = isInCode(text, span) ? inCode(value) : (inText(value) ?? 'host');
      return kind ? [{ ...span, kind }] : [];
    });
  return {
    ...finder,
    lookahead: Math.max(finder.lookahead, maxCodeAhead + 1),
    stateOf: codeStateOf,
    find: (text, from, until) => found(text, finder.find(text, from, until)),
    open: (text, from) => {
      const open = finder.open(text, from);
      const undecided = finder.find(text, from, open).find((span) => isInCode(text, span) === undefined);
      return undecided?.start ?? open;
    },
  };
};

/**
 * Whether clients make a link of an address in running text; others need a place for a destination. With every host allowed, a
 * service in a network of one's own is none.
 */
const becomesLink = (value: string, isOpen: boolean): boolean =>
  !/^[a-z][a-z0-9+-]{0,31}:\/\//i.test(value) || (/^(?:https?|ftp|wss?):/i.test(value) && !(isOpen && ownNetwork.test(value)));
const ownNetwork = /^https?:\/\/(?:10\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.)[\d.]{3,11}:\d/i;

/** Whether Markdown shows an image that its address contains, which contacts no host. */
const isInlineImage = (text: string, start: number): boolean =>
  text.startsWith('data:image/', start) &&
  /!\[[^\]\n]{0,48}\]\(\s{0,8}<?$/.test(text.slice(Math.max(0, start - linkLookbehind), start));

/** Whether an address begins with a domain behind a code, and so inside another address: `badge/runs%20on-deno.land`. */
const isAfterCode = (text: string, start: number): boolean =>
  /%[0-9a-f]{2}$/i.test(text.slice(Math.max(0, start - 3), start)) &&
  !/^(?:[a-z][a-z0-9+.-]*:|[\\/])/i.test(text.slice(start, start + maxSchemeChars));
const maxSchemeChars = 40;

/** Caches results: each address is checked by the finder, for its kind, and before its replacement. */
const remembering = <T>(compute: (value: string) => T): ((value: string) => T) => {
  const known = new Map<string, T>();
  return (value) => {
    if (known.size > maxRemembered) known.clear();
    if (!known.has(value)) known.set(value, compute(value));
    return known.get(value) as T; // set above
  };
};

const maxRemembered = 64;

/** Whether an address repeats content of the run. An address that the content contains as a whole reveals nothing new. */
const carriedBy = (texts: readonly string[], maxCarried: number): ((value: string, cargo: string) => boolean) => {
  if (maxCarried === Infinity) return () => false;
  const newest = newestOf(texts);
  const longestRun = indexOverlap(newest.map(withoutLinks), maxCarried);
  return (value, cargo) => !newest.some((text) => text.includes(value)) && longestRun(plainSigns(cargo)) > 0;
};

const newestOf = (texts: readonly string[]): string[] => {
  let remaining = maxConversationChars;
  return texts.toReversed().map((text) => {
    const start = text.slice(0, Math.max(0, remaining));
    remaining -= start.length;
    return start;
  });
};

const withoutLinks = (text: string): string =>
  text
    .split(/\s/)
    .filter((word) => !word.includes('://') && !word.includes('www.'))
    .join(' ');

/** An address that can be read but not followed: in the form in which it would be opened, with its host in ASCII. */
const defanged = (value: string, replacement: string): string => {
  const url = URL.canParse(value.trim()) ? new URL(value.trim()).href : value;
  if (!/^(?:https?|ftp|wss?):/i.test(url)) return replacement;
  return url
    .replace(/^http/i, 'hxxp')
    .replaceAll(/[:.]/g, '[$&]')
    .replaceAll(/[&\\%<>"']/g, '_');
};
