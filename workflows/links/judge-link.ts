import { foldLookalikes } from '../unicode/fold-lookalikes.js';
import { createReader } from '../patterns/reading.js';
import { isBareLink, maxLinkChars } from './link-finder.js';
import { lazyRegex } from '../../src/phase/memo.js';
import { attempted } from '../../src/phase/awaitable.js';

/** The fault of a rejected address, in order of precedence. */
export type LinkFault = 'too-long' | 'invalid' | 'scheme' | 'userinfo' | 'hidden' | 'lookalike' | 'host' | 'carries';

/** The rules for addresses in a text. */
export interface LinkRules {
  /** Lower-case schemes without their colon. */
  readonly schemes: ReadonlySet<string>;
  allows(host: string): boolean;
  /** Whether every host is allowed: then only those that imitate another are rejected. */
  readonly isOpen: boolean;
  /** Whether the address is in Markdown code, where no client makes a link of it: only its host and its data count. */
  readonly isInCode?: boolean;
}

/** An allowed host: itself, or with `*.` its subdomains; `*` for every host. Undefined if the entry is not a host. */
export const readHost = (entry: string): ((host: string) => boolean) | undefined => {
  if (entry === '*') return () => true;
  const isUnder = entry.startsWith('*.');
  const [url, plain] = ['https', 'http'].map((scheme) => parse(`${scheme}://${isUnder ? entry.slice(2) : entry}`));
  if (!url || url.pathname !== '/' || url.search + url.hash + url.username !== '' || url.host.includes('*')) return undefined;
  return isUnder ? (host) => host.endsWith(`.${url.host}`) : (host) => host === url.host || host === plain?.host; // without port 80
};

/** Schemes that browsers treat as web addresses, with or without slashes after the colon. */
const special = new Set(['http', 'https', 'ws', 'wss', 'ftp']);
/** Schemes of connection strings, which no client follows: their hosts count. */
const connections = new Set(
  'irc ircs postgres postgresql mysql mariadb mongodb mongodb+srv redis rediss amqp amqps mqtt mqtts nats kafka jdbc sqlite s3 gs grpc tcp udp unix ws wss git git+https git+ssh git+http ftp ftps sftp rsync svn github gitlab ssh npm node workspace bun jsr docker oci file memory libsql dotenv ui'.split(
    ' ',
  ),
);
/** Schemes that name no host, so that nothing can be sent to one: parts of a mail, references of documents, packages of a system. */
const hostless = /^(?:cid|mid|urn|xref|ref|doc|inv|tag|man|mdn|rfc|info|help|ghelp|apt|doi|isbn|sandbox|streamdown):(?!\/\/)/i;
/** The parameter of a generic function, which Markdown reads as a destination: `withErr[T](err:PrintStream)`. */
const parameter = /^(?!javascript|vbscript|data|blob|filesystem|intent)[a-z]\w{0,31}:(?:=|\(|[A-Z])[\w.,:[\]()=<>&;*-]*$/;
/** Scripts of a page that do nothing, go back, or call a function of its own without a text: `void(0)`, `history.back()`, `openAll(2)`. */
const idleScript =
  /^javascript:\s?(?:;|(?:void|(?!(?:alert|confirm|prompt|eval|open|fetch|import|close|stop)\b)[a-z_$]\w{0,40}|history\.(?:back|go)|window\.print)(?: 0|\((?:-?\d{1,4}|true|false|this)?\)))?;?(?:\s?return (?:true|false);?)?$/i;
/** Of an example rather than of a host that is imitated. */
const exampleUser = /^(?=.*(?:user|pass|secret|login|token))[\w+-]*:[\w+-]*$/i;
const raster = /^data:image\/(?:png|jpe?g|gif|webp|avif|x-icon|bmp)[;,]/i;
const schemeForm = /^([a-z][a-z0-9+-]*):/i;
/** A defanged address, such as `hxxps[:]//evil[.]com`. */
const isDefanged = (text: string): boolean => /\[[.:]\]/.test(text);

/**
 * The fault of an address in any of its readings: as written, with Markdown escapes decoded, and with character codes decoded. Undefined
 * if it is allowed.
 */
export const faultOf = (written: string, rules: LinkRules): LinkFault | undefined => {
  if (rules.isInCode ? !/^https?:/i.test(written) : rules.isOpen && raster.test(written)) return undefined;
  if (written.length >= maxLinkChars && !hasWholeHost(written)) return 'too-long';
  for (const text of rules.isInCode ? [tidy(read(written))] : readingsOf(written)) {
    const fault = faultOfReading(text, rules);
    if (fault) return fault;
    const inner = faultInside(text, rules);
    if (inner) return inner;
  }
  return undefined;
};

const hasWholeHost = (text: string): boolean => /^https?:\/\/[^\s\\/?#@&%]{1,253}[/?#]/i.test(text);

/** More addresses than this inside one are no redirect. */
const maxInside = 16;

/** The fault of the hosts in addresses inside an address, such as a redirect target. */
const faultInside = (text: string, rules: LinkRules): LinkFault | undefined => {
  if (rules.isOpen) return undefined;
  const hosts = [...text.slice(1).matchAll(/[/:=?&#][\\/]{2,8}([^\s\\/?#&"'<>]{1,253})/g)].slice(0, maxInside + 1);
  if (hosts.length > maxInside) return 'invalid';
  for (const [, host = ''] of hosts.slice(startsWithHost(text) ? 1 : 0)) {
    const url = parse(`https://${host}`);
    if (url?.hostname.includes('.') && !rules.allows(url.host)) return 'host';
  }
  return undefined;
};

const startsWithHost = (text: string): boolean => /^(?:[a-z][a-z0-9+-]*:)?[\\/]{2}/i.test(text);

/** The part of an address that may carry data: all but its scheme and, with named hosts, the host's last two labels. */
export const cargoOf = (written: string, { isOpen }: LinkRules): string => {
  const url = urlOf(tidy(read(written)));
  if (!url) return '';
  const { hostname, pathname, search, hash, username, password } = url;
  const labels = isOpen ? hostname : hostname.split('.').slice(0, -2).join('.');
  const parts = [labels, username, password, decode(pathname), decode(search), decode(hash)];
  const values = [...url.searchParams.values()].join('');
  return [...parts, values, pathname.split('/').map(decode).join(''), ...decodedBytes(pathname + search + hash)].join('\n');
};

const readingsOf = (written: string): ReadonlySet<string> => {
  const unescaped = written.replaceAll(/\\([!-/:-@[-`{-~])/g, '$1');
  return new Set([tidy(written), tidy(unescaped), tidy(read(written))]);
};

const read = (text: string): string => {
  if (!/[^\0-$'-[\]-\x7F]/.test(text)) return text; // no character that starts a code
  const { reading, readUntil } = createReader(text, 0);
  readUntil(text.length, 0);
  return reading.text;
};

/** An address as browsers read it: without surrounding white space, and without line breaks and tabs inside. */
const tidy = (text: string): string => {
  const unbroken = text.replaceAll(/[\t\n\r]/g, '');
  let [start, end] = [0, unbroken.length];
  while (start < end && unbroken.charCodeAt(start) <= 0x20) start += 1;
  while (end > start && unbroken.charCodeAt(end - 1) <= 0x20) end -= 1;
  return unbroken.slice(start, end);
};

const faultOfReading = (text: string, rules: LinkRules): LinkFault | undefined => {
  const scheme = schemeForm.exec(text)?.[1]?.toLowerCase();
  if (isEmpty(text, scheme)) return undefined;
  if (scheme !== undefined && !isHostAndPort(text)) {
    if (special.has(scheme)) return mayUse(scheme, rules) ? faultOfHost(text, urlOf(text), rules) : 'scheme';
    return faultOfOpaque(scheme, text, rules);
  }
  if (!isAddress(text)) return undefined;
  return faultOfHost(text, urlOf(text), rules);
};

const named = lazyRegex(String.raw`[\p{L}\p{N}]`);
/** Whether an address has nothing after its scheme, such as `https://`; a script needs no letters. */
const isEmpty = (text: string, scheme: string | undefined): boolean =>
  scheme !== 'javascript' && scheme !== 'vbscript' && !named().test(text.slice(scheme === undefined ? 0 : scheme.length + 1));

const mayUse = (scheme: string, { schemes }: LinkRules): boolean => schemes.has(scheme) || connections.has(scheme);

const isHostAndPort = (text: string): boolean =>
  /^[^/?#:]{1,253}:\d{1,5}(?:[/?#]|$)/.test(text) && text.slice(0, text.indexOf(':')).includes('.');
/** Whether a text without a scheme names a host rather than a path on the same one. */
const isAddress = (text: string): boolean => /^[\\/]{2}/.test(text) || isBareLink(text);

const faultOfOpaque = (scheme: string, text: string, rules: LinkRules): LinkFault | undefined => {
  if (isDefanged(text) || [hostless, parameter, idleScript].some((form) => form.test(text))) return undefined;
  if (!rules.schemes.has(scheme)) return mayUse(scheme, rules) ? faultOfConnection(text, rules) : 'scheme';
  if (scheme === 'data') return /^data:image\/(?:png|jpe?g|gif|webp|avif)[;,]/i.test(text) ? undefined : 'scheme';
  if (scheme !== 'mailto') return undefined;
  const mails = decode(text).match(/[^\s@,;:?&=<>]{1,64}@(?!\(\[)[^\s@,;:?&=<>]{1,253}/g) ?? [];
  return mails.every((mail) => rules.allows(hostOf(mail.slice(mail.lastIndexOf('@') + 1)))) ? undefined : 'host';
};

/** With a list of hosts, a connection needs one of them. */
const faultOfConnection = (text: string, { allows, isOpen }: LinkRules): LinkFault | undefined =>
  isOpen || allows(hostOf(parse(text)?.host ?? '')) ? undefined : 'host';

const hostOf = (name: string): string => parse(`https://${name}`)?.host ?? '';

const urlOf = (text: string): URL | undefined => {
  if (schemeForm.test(text) && !isHostAndPort(text)) return parse(text);
  return parse(`https:${/^[\\/]{2}/.test(text) ? '' : '//'}${text}`);
};

const invisible = lazyRegex(String.raw`\p{Default_Ignorable_Code_Point}`);
const faultOfHost = (text: string, url: URL | undefined, rules: LinkRules): LinkFault | undefined => {
  const { isOpen, isInCode = false } = rules;
  if (!url) return isInCode || isExpression(text, rules) ? undefined : 'invalid'; // no browser opens it
  if (/^\.+$/.test(url.hostname)) return undefined; // left out: `https://.../path`
  if (!isInCode && hasUser(url, isOpen)) return 'userinfo';
  const written = /^[^:/\\?#]*:?[/\\]*([^/\\?#]*)/.exec(text)?.[1] ?? '';
  if (invisible().test(decode(written))) return 'hidden';
  if (!isOpen) return rules.allows(url.host.replace(/\.(?=:|$)/, '')) || isTemplate(text, url, rules) ? undefined : 'host';
  return isDeceptive(written, url, isInCode) ? 'lookalike' : undefined;
};

const hasUser = ({ username, password }: URL, isOpen: boolean): boolean =>
  username + password !== '' && !(isOpen && exampleUser.test(decode(`${username}:${password}`)));

/** Whether a host that no browser reads begins with an allowed name, or with none: `localhost:~w`, `%1`, `[::1]:{}`. */
const isExpression = (text: string, { allows, isOpen }: LinkRules): boolean => {
  if (isOpen || isDefanged(text)) return true;
  const name = /^(?:https?:)?[\\/]{2}([a-z0-9-]+(?:\.[a-z0-9-]+)*)?/i.exec(text)?.[1] ?? '';
  return !name.includes('.') || allows(name.toLowerCase());
};

/**
 * Whether no name server knows a host: an expression from its first or second label, or from an allowed name, to its last
 * (`localhost${path(`, `d+(?:`), or one label before an escape or a placeholder (`nano\\-editor.org`, `api.<region>.example.com`).
 */
const isTemplate = (text: string, { hostname }: URL, rules: LinkRules): boolean => {
  if (/^[a-z][a-z0-9-]*\.?$/.test(hostname)) return hostname.endsWith('.') || /^(?:https?:)?[\\/]{2}[a-z0-9-]+\\/i.test(text);
  const isPart =
    /^\.?(?:[a-z_-][a-z0-9_-]*\.?)?[^a-z0-9._[:-]/.test(hostname) || rules.allows(/^[^${(]*/.exec(hostname)?.[0] ?? '');
  return isPart && /[^a-z0-9._[\]:-]/.test(hostname) && !/\.[a-z0-9_-]+\.?$/.test(hostname);
};

/** For rules that allow every host: names in Punycode, addresses of machines, and names that mix letters of scripts. */
const isDeceptive = (written: string, { hostname }: URL, isInCode: boolean): boolean => {
  if (/^(?:127(?:\.\d{1,3}){3}|0\.0\.0\.0|\[::1?\])$/.test(hostname)) return false; // the reader's own machine
  if (/^\[|^[\d.]+$/.test(hostname)) return !isInCode;
  if (/(?:^|\.)xn--[^.]*\./i.test(written)) return !isInCode;
  const decoded = decode(written);
  return /[ıɡ]/.test(decoded) || foldLookalikes(decoded) !== decoded || decoded.split('.').some(mixesScripts);
};

const [latin, cyrillicOrGreek] = [lazyRegex(String.raw`\p{sc=Latn}`), lazyRegex(String.raw`[\p{sc=Cyrl}\p{sc=Grek}]`)];
const mixesScripts = (label: string): boolean => latin().test(label) && cyrillicOrGreek().test(label);

const parse = (text: string): URL | undefined => (URL.canParse(text) ? new URL(text) : undefined);

const decode = (text: string): string =>
  attempted(() => decodeURIComponent(text.replaceAll('+', ' '))) ??
  text.replaceAll(/%([2-7][0-9a-f])/gi, (_code, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));

const printable = lazyRegex(String.raw`^[\p{L}\p{N}\p{P}\p{S}\p{Z}\s]+$`);
/** The decoded text of base 64 or hexadecimal digits, if it is text. */
export const decodedBytes = (text: string): string[] =>
  (decode(text).match(/[A-Za-z0-9+/_-]{16,}/g) ?? []).flatMap((word) => {
    const bytes = /^[0-9a-f]+$/i.test(word) ? fromHex(word) : fromBase64(word);
    return bytes !== undefined && printable().test(bytes) ? [bytes] : [];
  });

const fromHex = (digits: string): string =>
  new TextDecoder().decode(Uint8Array.from(digits.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16)));

const fromBase64 = (word: string): string | undefined => {
  const bytes = attempted(() => atob(word.replaceAll('-', '+').replaceAll('_', '/')));
  return bytes && new TextDecoder().decode(Uint8Array.from(bytes, (byte) => byte.charCodeAt(0)));
};
