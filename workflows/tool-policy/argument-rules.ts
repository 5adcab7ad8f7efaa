import ipaddr from 'ipaddr.js';

import { lazyRegex } from '../../src/phase/memo.js';
import { InterlockError } from '../../src/errors.js';
import {
  aBoolean,
  aFunction,
  asGuardFault,
  aText,
  fieldsOf,
  listOf,
  throwFaults,
  wholeNumberFrom,
  type OptionKind,
} from '../../src/option-kind.js';
import { readHost } from '../links/judge-link.js';

/**
 * Checks one argument of a tool call. Returns the fault in a few words, which the model gets, or undefined if the argument is
 * allowed. The words must not repeat the value.
 */
export type ArgumentRule = (value: unknown) => string | undefined | Promise<string | undefined>;

/** The values at a path, or `unread` if an argument is there in a form that has no such path. */
interface AtPath {
  readonly values: readonly unknown[];
  readonly unread: boolean;
}

const nothing: AtPath = { values: [], unread: false };
const unreadable: AtPath = { values: [], unread: true };

const joined = (found: readonly AtPath[]): AtPath => ({
  values: found.flatMap(({ values }) => values),
  unread: found.some(({ unread }) => unread),
});

/**
 * The values at a path such as `filter.urls.*`: `*` is each entry of a list or object. An unexpected list is read entry by entry, and a
 * key with dots is read like its path. An absent argument has no values; text in place of an object, or a key that differs in case only, is
 * unread.
 */
const valuesAt = (value: unknown, path: readonly string[]): AtPath => {
  const [name, ...rest] = path;
  if (value === undefined) return nothing;
  if (name === undefined)
    return Array.isArray(value) ? joined(value.map((entry) => valuesAt(entry, path))) : { values: [value], unread: false };
  if (value === null) return nothing;
  if (typeof value !== 'object') return unreadable;
  if (name === '*') return joined(Object.values(value).map((entry) => valuesAt(entry, rest)));
  if (Array.isArray(value) && !/^\d+$/.test(name)) return joined(value.map((entry) => valuesAt(entry, path)));
  const fields = value as Record<string, unknown>;
  const keys = path.map((_, at) => path.slice(0, at + 1).join('.'));
  const found = keys.flatMap((key, at) => (Object.hasOwn(fields, key) ? [valuesAt(fields[key], path.slice(at + 1))] : []));
  if (found.length > 0) return joined(found);
  const likely = new Set(keys.map((key) => key.toLowerCase()));
  return Object.keys(fields).some((key) => likely.has(key.toLowerCase())) ? unreadable : nothing;
};

/** The fault of a call's arguments, with its path; undefined if they are allowed. */
export const faultIn = async (args: unknown, rules: Readonly<Record<string, ArgumentRule>>): Promise<string | undefined> => {
  for (const [path, rule] of Object.entries(rules)) {
    const { values, unread } = valuesAt(args, path.split('.'));
    if (unread) return `${path} must be a value at this path`;
    for (const value of values) {
      const fault = await rule(value);
      if (fault !== undefined) return `${path} ${fault}`;
    }
  }
  return undefined;
};

/** Whether an argument has no rule: none for its path, and none for what contains it. */
export const hasUnlisted = (value: unknown, paths: readonly (readonly string[])[]): boolean => {
  if (paths.some((path) => path.length === 0)) return false;
  if (value === null) return paths.length === 0;
  if (typeof value !== 'object') return true;
  return Object.entries(value).some(([key, entry]) => {
    const names = key.split('.');
    const inner = paths.flatMap((path) => {
      const fits = path[0] === '*' || names.every((name, at) => path[at] === name);
      if (!fits) return Array.isArray(value) ? [path] : [];
      return [path.slice(path[0] === '*' ? 1 : names.length)];
    });
    return entry !== undefined && hasUnlisted(entry, inner);
  });
};

/** Each argument needs a rule with `unlisted: 'deny'`, and passes its own. */
export const faultOfArguments = async (
  args: unknown,
  rules: Readonly<Record<string, ArgumentRule>>,
  unlisted: 'deny' | 'allow',
): Promise<string | undefined> => {
  const paths = Object.keys(rules);
  if (paths.length === 0 && unlisted === 'allow') return undefined;
  if (typeof args !== 'object' || args === null || Array.isArray(args)) return 'its arguments are not an object';
  const lists = paths.map((path) => path.split('.'));
  if (unlisted === 'deny' && hasUnlisted(args, lists)) return 'it has an argument without a rule';
  return faultIn(args, rules);
};

/**
 * Rejects options that a rule would ignore or misread: with a misspelt name or a wrong value it would allow more. Raises
 * `guard/unknown-option`, `guard/invalid-option`.
 */
export const checkRuleOptions = <Options extends object>(
  rule: string,
  options: Options,
  kinds: { readonly [Name in keyof Options]-?: OptionKind },
): void => throwFaults(fieldsOf(kinds).faultsOf(options, rule).map(asGuardFault));

export const someTexts = listOf(aText);
export const someChars = wholeNumberFrom(0);

export interface PathRuleOptions {
  /** Allowed folders: `/srv/data`, or `.` for paths relative to the tool's working directory. Default `.`. */
  readonly roots?: readonly string[];
  /** Allowed file endings, such as `.md`. Default: any. */
  readonly endings?: readonly string[];
  /** Whether names that start with a dot, such as `.env` and `.ssh`, are allowed. Default false. */
  readonly hidden?: boolean;
  /** The maximum number of characters. Default 1,024. */
  readonly maxChars?: number;
}

/** The device names of Windows, with any ending. */
const device = /^(?:con|prn|aux|nul|com\d|lpt\d|conin\$|conout\$|clock\$) *(?:\.|$)/i;

/** A short name of Windows, which may hide a longer one: `ENV~1` is `.env`. */
const shortName = /^[^.]{0,7}~\d/;

/**
 * A rule for an argument that a tool opens as a file. Only plain paths pass: no step upwards, no codes, no backslash, no drive,
 * stream or device, no home folder, no dash at the start, no letter that another program could read as a separator. It does not
 * read the disk: a symbolic link under a root may lead elsewhere, so let the tool resolve the path (`fs.realpath`) and compare
 * it again.
 */
export const pathRule = (options: PathRuleOptions = {}): ArgumentRule => {
  checkRuleOptions('pathRule', options, { roots: someTexts, endings: someTexts, hidden: aBoolean, maxChars: someChars });
  const { roots = ['.'], endings, hidden = false, maxChars = 1024 } = options;
  const folders = roots.map((root) => root.replace(/\/$/, ''));
  const mayBeRelative = folders.includes('.');
  return (value) => {
    if (typeof value !== 'string' || value === '') return 'must be a path as text';
    if (value.length > maxChars) return `must have at most ${maxChars} characters`;
    if (!isPlain(value)) return 'must be a path in its plain form';
    const segments = value.split('/').filter((segment) => segment !== '' && segment !== '.');
    if (segments.some((segment) => /^\.+$/.test(segment) || /[. ]$/.test(segment) || segment.startsWith(' ')))
      return 'must not have steps upwards, nor names that end in a dot or space';
    if (segments.some((segment) => device.test(segment))) return 'must not be a device';
    if (!hidden && segments.some((segment) => segment.startsWith('.') || shortName.test(segment)))
      return 'must not have hidden names';
    const path = `${value.startsWith('/') ? '/' : ''}${segments.join('/')}`;
    const isInside = value.startsWith('/')
      ? folders.some((root) => isUnder(path, root))
      : mayBeRelative || folders.some((root) => isUnder(path, root));
    if (!isInside) return 'must be a path under an allowed folder';
    return endings && !endings.some((ending) => value.endsWith(ending)) ? `must end in ${endings.join(' or ')}` : undefined;
  };
};

/** Absolute roots contain only absolute paths; a root of `/` contains all of them. */
const isUnder = (path: string, root: string): boolean =>
  (root !== '.' && path === root) || path.startsWith(`${root.replace(/^\.\//, '')}/`);

const unprintable = lazyRegex(String.raw`[\p{C}\p{Zl}\p{Zp}\\%:*?"<>|]|\p{Default_Ignorable_Code_Point}`);
const isPlain = (value: string): boolean =>
  !unprintable().test(value) &&
  value.normalize('NFKC') === value &&
  !/^[~-]|[\u2044\u2215\u29F5\u29F8\uFF0F\u2024\u2025\u2026]/u.test(value) &&
  !value.startsWith('//');

export interface UrlRuleOptions {
  /** Allowed hosts: `example.com`, `example.com:8443`, `*.example.com`. Default: every host that is not private. */
  readonly hosts?: readonly string[];
  /** Allowed schemes, without their colon. Default `https`. */
  readonly schemes?: readonly string[];
  /** Whether addresses of this machine, of private networks and of cloud metadata are allowed. Default false. */
  readonly private?: boolean;
  /**
   * Resolves a host name to its addresses, like `dns.promises.resolve`: each of them must be public. Without it a name that
   * leads to a private address passes. Connect to one of these addresses, or with an agent that checks the address again, since
   * a name can change in between. Default: none.
   */
  readonly resolve?: (host: string) => Promise<readonly string[]>;
  /** The maximum number of characters. Default 2,048. */
  readonly maxChars?: number;
}

const urlRuleKinds = {
  hosts: someTexts,
  schemes: someTexts,
  private: aBoolean,
  resolve: aFunction,
  maxChars: someChars,
};

/**
 * A rule for an argument that a tool opens as an address. Only one spelling passes: no user name, no white space, no backslash,
 * no code or letter outside ASCII in the host, and numbers as four decimals. Redirects are not checked: the tool must not follow
 * them.
 */
export const urlRule = (options: UrlRuleOptions = {}): ArgumentRule => {
  checkRuleOptions('urlRule', options, urlRuleKinds);
  const { schemes = ['https'], maxChars = 2048, resolve, hosts } = options;
  const matchers = hosts?.map((entry) => {
    const matcher = readHost(entry);
    if (matcher) return matcher;
    throw new InterlockError('guard/invalid-option', { path: 'urlRule.hosts', detail: `${entry} is not a host.` });
  });
  return async (value) => {
    if (typeof value !== 'string') return 'must be an address as text';
    if (value.length > maxChars) return `must have at most ${maxChars} characters`;
    const url = plainUrl(value);
    if (!url) return 'must be an address in its plain form';
    if (!schemes.includes(url.protocol.slice(0, -1))) return `must begin with ${schemes.join(' or ')}`;
    if (matchers && !matchers.some((fits) => fits(url.host))) return 'must be an address of an allowed host';
    if (options.private) return undefined;
    if (isPrivateHost(url.hostname)) return 'must not be an address of a private network';
    if (!resolve || isNumeric(url.hostname)) return undefined;
    const addresses = await resolve(url.hostname);
    return addresses.length > 0 && addresses.every(isPublicAddress) ? undefined : 'must not lead to a private network';
  };
};

/** An address that every program reads the same way; undefined for any other. */
const plainUrl = (value: string): URL | undefined => {
  const [, authority, rest = ''] = /^[a-z][a-z0-9+.-]*:\/\/([^/?#]+)(.*)/is.exec(value) ?? [];
  // Some programs read a host after the @ of `https://example.com#@10.0.0.1`.
  if (
    authority === undefined ||
    (!rest.startsWith('/') && rest.includes('@')) ||
    /[\s\\]|[^\x21-\x7E]/.test(value) ||
    !URL.canParse(value)
  )
    return undefined;
  const url = new URL(value);
  const written = authority.toLowerCase();
  return written === url.host || written === `${url.hostname}:${defaultPorts[url.protocol] ?? ''}` ? url : undefined;
};

const defaultPorts: Readonly<Record<string, string>> = {
  'http:': '80',
  'https:': '443',
  'ws:': '80',
  'wss:': '443',
  'ftp:': '21',
};

/** Names outside the public network: of this machine, of one label, and endings of local networks and clouds. */
const localNames =
  /(?:^|\.)(?:localhost|localdomain|local|internal|intranet|lan|home|corp|private|home\.arpa|test|invalid|onion|svc|cluster|consul|arpa|alt|i2p)$/;
/** Public names that lead to private addresses: those that services give to any address, and those of metadata in clouds. */
const leadingNames =
  /(?:^|\.)(?:(?:nip|sslip|xip)\.io|traefik\.me|localtest\.me|lvh\.me|vcap\.me|lacolhost\.com|rbndr\.us|1u\.ms|metadata\.(?:goog|nicob\.net|tencentyun\.com|platformequinix\.com|packet\.net))$/;

const isNumeric = (hostname: string): boolean => ipaddr.isValid(unbracketed(hostname));
const unbracketed = (hostname: string): string => hostname.replace(/^\[|\]$/g, '');

const isPrivateHost = (hostname: string): boolean => {
  if (isNumeric(hostname)) return !isPublicAddress(unbracketed(hostname));
  return hostname.endsWith('.') || !hostname.includes('.') || localNames.test(hostname) || leadingNames.test(hostname);
};

/** Addresses in public ranges that only a cloud's own machines reach. */
const metadata = new Set(['168.63.129.16', '100.100.100.200', '192.0.0.192']);

/** Whether an address, in any spelling, is public; for version 6 the allocated range, 2000::/3. */
const isPublicAddress = (text: string): boolean => {
  if (!ipaddr.isValid(text)) return false;
  const address = ipaddr.process(text);
  if (address instanceof ipaddr.IPv6 && (address.parts[0] ?? 0) >> 13 !== 1) return false;
  return !metadata.has(address.toString()) && address.range() === 'unicast';
};
