import ipaddr from 'ipaddr.js';
import { InterlockError } from '../../src/errors.js';
import { readHost } from '../links/judge-link.js';
import type { ArgumentRule } from './argument-rule.js';

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

/**
 * A rule for an argument that a tool opens as an address. Only one spelling passes: no user name, no white space, no backslash,
 * no code or letter outside ASCII in the host, and numbers as four decimals. Redirects are not checked: the tool must not follow
 * them.
 */
export const urlRule = (options: UrlRuleOptions = {}): ArgumentRule => {
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
