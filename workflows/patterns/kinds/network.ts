import { defineFinder, type ReadMatch } from '../define-finder.js';
import { unspaced } from '../../text/characters.js';
import { isIP, isMACAddress } from '../validators.js';
import { lazyRegex } from '../../../src/phase/memo.js';

const maxChars = 45;
/** `version 1.2.3.4`, `"FileVersion": "1.2.3.4"`, `==1.2.3.4`, `V8 1.2.3.4` and `#section-1.2.3.4` are not addresses. */
const versionLabel = lazyRegex(
  String.raw`(?:(?:^|[^\p{L}])(?:v|vers?|release|build|firmware|driver|sdk|kernel|section|chapter|clause|figure|oid|§|v8(?: to)?)|version)["']?\s{0,2}[.:=(-]?\s{0,3}["'\x60]?$|(?:[=^~<>]=|\^|~>?)\s?$`,
  'iu',
);
/** `Kapitel 4.1.2.3`, and the next of a list: `sections 8.2.4.4 and 8.2.4.5`. Addresses have larger numbers. */
const sectionLabel = lazyRegex(
  String.raw`(?:^|[^\p{L}])(?:sections?|sect?|chap(?:ters?)?|clauses?|tables?|articles?|artikel|appendix|annex|anhang|fig|tabelle|tabla|tableau|abb|kapitel|abschnitte?|ziffer|punkt|sección|secciones|apartado|capítulo|chapitre|rubrique|paragraphe?|rfc\s?\d{1,5}|القسم|الفصل|अध्याय|अनुभाग)\.?[:,]?\s{0,3}(?:\d{1,2}(?:\.\d{1,2}){1,5}(?:,|\s\p{L}{1,4}|-)\s?){0,2}$`,
  'iu',
);
const sectionNumber = /^(?!10\.)(?:\d{1,2}\.){3}\d{1,2}$/;
/** A product and its version, as in `Chrome/136.0.0.0`. */
const product = /(?:^|[\s(;"'])[A-Z][A-Za-z]{1,16}\/$/;
/** A version of a package: small numbers, and the number of its build. */
const build = /^(?!10\.)(?:[0-4]?\d\.){3}[0-4]?\d-[\da-z]/i;
/** The number of a section at the start of a line: `6.2.4.1. Files`. */
const section = /\n[ \t#*]{0,8}(?!10\.)(?:\d{1,2}\.){3}\d{1,2}(?:\.\s| [A-Z])$/;
const labelChars = 40;
const wordChar = String.raw`[[\p{L}\p{N}_]--${unspaced}]`;
const wordStart = lazyRegex(`^${wordChar}`, 'v');
/** An address of version 4 may follow a label: `db:10.1.2.3`. */
const groupBefore = String.raw`(?<![\p{L}_])[0-9A-Fa-f]{1,4}[:.]{1,3}(?!(?<=:)\d{1,3}\.)`;
/** Four numbers, or as many colons as an address of version 6 has. */
const shape = /^(?:\d{1,3}(?:\.\d{1,3}){3}|(?=[^:]*:[^:]*:)[0-9A-Fa-f:.]{3,45})$/;
/** Addresses without an owner: unspecified, loopback and network masks. */
const reserved = /^(?:0\.0\.0\.0|127\.|255\.255\.)|^::1?$/;

const readAddress: ReadMatch = (text, { start, end }) => {
  for (const value of readings(text.slice(start, end))) {
    if (!isAddress(value)) continue;
    const after = start + value.length;
    const before = text.slice(Math.max(0, start - labelChars), start);
    const isPartOfMore =
      wordStart().test(text.slice(after, after + 2)) ||
      build.test(text.slice(start, after + 2)) ||
      section.test(text.slice(Math.max(0, start - 9), after + 2));
    const isSection = sectionNumber.test(value) && sectionLabel().test(before);
    const isVersion = value.includes('.') && (versionLabel().test(before) || product.test(before));
    return isPartOfMore || isSection || isVersion ? undefined : after;
  }
  return undefined;
};

/** The address without the punctuation of its sentence, and without a port. */
const readings = (body: string): string[] => {
  const bare = body.replace(/[.:]+$/, '');
  const port = /^(?<host>[\d.]+):\d{1,5}$/.exec(bare)?.groups?.['host'];
  return [body, bare, ...(port ? [port] : [])];
};

const isAddress = (value: string): boolean => {
  if (value.length > maxChars || !shape.test(value) || reserved.test(value) || !isIP(value)) return false;
  return value.includes('.') || looksLikeIpV6(value);
};

/** `a::b` and `1::2` are more often scopes in code than addresses. */
const looksLikeIpV6 = (value: string): boolean => {
  const groups = value.split(':');
  return /\d/.test(value) && (groups.length === 8 || groups.some((group) => group.length >= 3));
};

/** IP addresses of both versions that `validator.isIP` accepts, without version numbers and without loopback addresses. */
export const ipFinder = defineFinder(() => ({
  regex: new RegExp(
    String.raw`(?=[0-9A-Fa-f]{1,4}[:.]|::(?!:))(?<!${wordChar})(?<!\d\.)(?<!${groupBefore})(?:[0-9A-Fa-f]|::)[0-9A-Fa-f:.]{2,${maxChars + 3}}(?=[^]{0,2})`,
    'v',
  ),
  lookbehind: labelChars,
  read: readAddress,
}));

const separated = String.raw`[0-9A-Fa-f]{2}(?:(?::[0-9A-Fa-f]{2}){5}|(?:-[0-9A-Fa-f]{2}){5})(?![:-]?[0-9A-Za-z_])`;
const dotted = String.raw`[0-9A-Fa-f]{4}\.[0-9A-Fa-f]{4}\.[0-9A-Fa-f]{4}(?!\.?[0-9A-Za-z_])`;
/** Ids that many devices share, or that no device has. */
const shared = /^(?:[f]+|[0]+)$/i;

/** Hardware addresses in the notation of IEEE 802, and in Cisco's dotted groups; validated by `validator.isMACAddress`. */
export const macFinder = defineFinder(() => ({
  regex: new RegExp(
    String.raw`(?<![0-9A-Za-z_])(?<!(?<![0-9A-Za-z_])[0-9A-Fa-f]{2}[:-])(?<![0-9A-Fa-f]\.)(?:${separated}|${dotted})`,
  ),
  read: (text, { start, end }) => {
    const written = text.slice(start, end);
    const digits = written.replaceAll(/[^0-9A-Fa-f]/g, '');
    const isNumber = written.includes('.') && !/[A-Fa-f]/.test(digits); // 1234.5678.9012 may be anything
    return isNumber || shared.test(digits) || !isMACAddress(digits, { no_separators: true }) ? undefined : end;
  },
}));
