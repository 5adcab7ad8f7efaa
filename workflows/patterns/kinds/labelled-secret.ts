import { asciiSet } from '../ascii-set.js';
import { defineFinder, openRun, type ReadMatch } from '../define-finder.js';
import { isPlaceholder } from '../validators.js';
import { columnFinder } from './table-column.js';

/** Labels of passwords, also in other languages. */
const password =
  'pass(?:word|wd|phrase|code)?|pwd|passwort|kennwort|zugangs(?:code|wort)|contrase(?:ñ|n)a|(?<![a-z])clave(?: de acceso)?|senha|mot[ _-]de[ _-]passe|(?<![a-z])mdp(?![a-z])|wachtwoord|has(?:ł|l)o|пароль|(?<![a-z])pw(?![a-z])|密码|パスワード|비밀번호|şifre|parola|كلمة (?:ال)?(?:مرور|سر)|(?:ال)?رمز (?:ال)?(?:سري|مرور)|पासवर्ड|कूटशब्द';
/** The purpose of a password: `the password of the database is …`. */
const purpose = String.raw`(?:[ \t]{1,2}(?:for|of|to|für|fuer|zum|zur|von|du|de|del|des|pour|para|da|do|voor|الخاصة?)(?:[ \t]{1,2}[^\s:=,;.|]{1,20}){1,3})?`;
/** Labels of other secrets: their values are longer, and have digits. */
const secret = String.raw`secret|token|credentials?|(?:api|access|auth|account|admin|app|application|deploy|encryption|signing|private|master|secret|license|service|write)[ _-]?key|connection[ _-]?string|(?:php|j)?sess(?:ion)?(?:[_-]?id)?|(?:connect\.)?(?<![a-z])sid|csrf|xsrf`;
const suffix = '(?:[_-](?:key|id|hash|value|token|secret|prod|production|dev|test|live|main|staging|default|[0-9]{1,2}))?';
const quote = String.raw`(?:\\{0,2}["'\x60])?`;
/** The field that has the value of the name before it: `"name": "DB_PASSWORD", "value": "…"`. */
const valueField = String.raw`(?:["']?,?\s{1,24}["']?value)?`;
const between = String.raw`${valueField}${quote}\]?(?:\*\*|__)?(?:[ \t]{0,8}(?:=>|:=|==?|>|:(?:\*\*|__)?)|[ \t]{1,3}(?:is|ist|lautet|es|est|é|هي|هو|है)(?=[ \t:]):?|[ \t]?(?:是|为|は|는|은):?|(?<=[\u0900-\u097F])(?=[ \t]))(?:\*\*|__)?[ \t]{0,6}${quote}`;
/** The characters of a value without quotes; an `&` must not start the next field of a query. */
const sign = String.raw`(?:[!#$%*+\-./0-9:=?@A-Z^_a-z~]|&(?!\w{1,32}=|amp;))`;
const signs = asciiSet((character) => /[!#$%*+\-./0-9:=?@A-Z^_a-z~&"'\x60\\[\]]/.test(character));

const minPasswordChars = 6;
const minSecretChars = 10;
/** The most characters of a value: longer than any session token of a cloud. */
const maxChars = 16_384;

/** References to a value, placeholders, versions, types, addresses, tags of YAML, identifiers of Windows accounts, and constants. */
const noValue =
  /^(?:(?:process|import|os|config|settings|env|secrets|vars|self|this|options|ctx|req|request|res|data|props|params|user|args|app|input|state)\.|[$%{<*.]|\*|[a-z][a-z+.-]{1,20}:\/\/|~?\/|\.\.?\/|(?:your|my|the|some|example|sample|dummy|fake|placeholder|change|enter|insert|x{3,}|redacted|hidden|null|none|undefined|true|false|string|required|op[tc]ional)(?:[-_.:!?*]|$))|^[\^~>=<v]{0,2}\d+(?:\.[\dx*]+)+|^\d+(?:px|em|rem|ms|s|m|h|d|%)?$|^\[[A-Z_]+|^(?:sha(?:1|256|384|512)|md5)[-:]|^(?:big)?u?(?:int|float)\d{1,3}(?:clamped)?(?:array|_\w{1,2})?$|^[\w:]{1,64}\/\d$|^[a-z]{1,32}=\d{1,3}$|^-?anonymous@|^!{1,2}(?:vault|unsafe|secret|ref|sub|env|getatt|importvalue)$|^urn:|^base\d\d-|^S-1-\d|^0x[\da-f]{1,8}$|^:|\(|\*{3}/i;
/** A name in a program, also with a digit at its end. */
const name =
  /^(?:[a-z]+\d{0,2}(?:[A-Z][a-z]+)+\d{0,2}|[A-Z]+=|[A-Za-z]+(?:%20[A-Za-z]+)+|[A-Z]+(?:_[A-Z0-9]+)+|[a-z]+(?:[_-][a-z]+)+\d{0,2}|[a-z]+(?:[_-][a-z]+\d{0,3}){3,}|&?[A-Za-z_$][\w$]*(?:(?:\.|::)[A-Za-z_$][\w$]*)+)$/;
const ownName = /pass|token|secret|key|user|auth|pwd|sess/i;

/** A value without the punctuation of its sentence. */
const withoutEnd = (written: string): string => {
  let end = written.length;
  while (end > 0 && '.:?'.includes(written.charAt(end - 1))) end -= 1;
  return written.slice(0, end);
};

/** A hash from `redactor`: its label would be read as that of a secret, and the hash would be hashed again. */
const isHashed = (text: string, start: number, value: string): boolean =>
  /^[0-9a-f]{12}$/.test(value) &&
  text[start + value.length] === ']' &&
  /\[[A-Z][A-Z_ -]{0,40}:$/.test(text.slice(Math.max(0, start - 44), start));

const read =
  (minChars: number): ReadMatch =>
  (text, { start, end }) => {
    const written = text.slice(start, end);
    const value = withoutEnd(written).replace(/(?<=\w)[.:]\*\*$|\*\*$/, '');
    if (
      value.length < minChars ||
      !/[A-Za-z]/.test(value) ||
      noValue.test(value) ||
      name.test(value) ||
      isPlaceholder(value) ||
      /(?:badge\.svg\?|alt=media&(?:amp;)?)token=$/.test(text.slice(Math.max(0, start - 20), start)) ||
      isHashed(text, start, value)
    )
      return undefined;
    const isMixed = /\d/.test(value) || (minChars === minPasswordChars && /[!#$%^&*+=?@~]/.test(value));
    const isOwnName = ownName.test(value) && /^[A-Za-z_-]{1,64}\d{0,2}(?:[A-Z$][\w$]{0,64})?$/.test(value);
    return isMixed && !isOwnName ? start + value.length : undefined;
  };

const finderOf = (labels: string, minChars: number, rest = '') =>
  defineFinder(() => {
    const lead = new RegExp(String.raw`(?:${labels})${suffix}${rest}${between}`, 'i');
    return {
      lead,
      regex: new RegExp(`(?=[a-z._/:-]{0,64}[^a-z._/:\\s-])${sign}{${minChars},${maxChars}}`, 'i'),
      read: read(minChars),
      open: openRun(signs, 260, { lead, most: maxChars + 132 }),
    };
  });

/** The value of `--password`, `--api-key` and the like on a command line, and of `-p` where it is a password. */
const flag =
  /(?=-)(?<!\S)(?:--(?:[a-z]{1,16}-){0,3}(?:pass(?:word|wd|phrase)?|token|secret|api-?key)[ \t=]{1,3}|(?<=\b(?:mysql(?:dump|admin)?|mariadb|sshpass|mongosh?)\b[^\n|;&]{0,60}[ \t])-p[ \t]?)["']?/i;
const flagFinder = defineFinder(() => ({
  lead: flag,
  regex: new RegExp(`${sign}{${minPasswordChars},${maxChars}}`, 'i'),
  read: read(minPasswordChars),
  open: openRun(signs, 260, { lead: flag, most: maxChars + 132 }),
}));

/** The password of `curl -u user:password` and of a line of `.netrc`. */
const userFinder = defineFinder(() => ({
  lead: /(?<!\S)(?:(?:-u|--user)[ \t=]{1,3}["']?[\w.@+-]{1,64}:|login[ \t]{1,4}[\w.@+-]{1,64}\s{1,4}password[ \t]{1,4})/,
  regex: new RegExp(`${sign}{${minPasswordChars},128}`, 'i'),
  read: read(minPasswordChars),
  open: openRun(signs, 260),
}));

/** Values with a label for a password, token or secret that also look like one. */
export const labelledSecretFinders = [
  finderOf(password, minPasswordChars, purpose),
  finderOf(secret, minSecretChars),
  userFinder,
  flagFinder,
];

const [passwordName, keyName] = [password, String.raw`token|secret|(?:api|access|auth|private|secret)[ _-]?key`].map(
  (labels) => new RegExp(`^(?:[a-z]{1,24}[ _-]){0,2}(?:${labels})${suffix}$`, 'i'),
);

/** Passwords and keys in a column with such a name. */
export const secretColumnFinder = columnFinder({
  hint: new RegExp(`${password}|token|secret|key`, 'i'),
  isLabel: (column) => [passwordName, keyName].some((label) => label?.test(column)),
  read: (text, cell, column) =>
    /\s/.test(text.slice(cell.start, cell.end))
      ? undefined
      : read(passwordName?.test(column) ? minPasswordChars : minSecretChars)(text, cell),
});

/** Bits per character: random base 64 has about 4.5, prose and names less than 3.6. */
const minBits = 3.9;
const minHexBits = 3;

const bitsOf = (value: string): number => {
  const counts = new Map<string, number>();
  for (const character of value) counts.set(character, (counts.get(character) ?? 0) + 1);
  return [...counts.values()].reduce((bits, count) => bits - (count / value.length) * Math.log2(count / value.length), 0);
};

const readRandom: ReadMatch = (text, { start, end }) => {
  const value = text.slice(start, end);
  if (/^[0-9a-f]+$/i.test(value))
    return value.length >= 32 && /[a-f]/i.test(value) && bitsOf(value) >= minHexBits ? end : undefined;
  const kinds = [/[a-z]/, /[A-Z]/, /\d/].filter((kind) => kind.test(value)).length;
  const isPath = /^(?:[A-Za-z]+|\d+)(?:[/_-](?:[A-Za-z]+|\d+))+$/.test(value);
  return kinds === 3 && !isPath && bitsOf(value) >= minBits ? end : undefined;
};

/** Values that look random, without a label: also hashes and commits. */
export const randomValueFinder = defineFinder(() => ({
  regex: /(?<![A-Za-z0-9+/_=-])[A-Za-z0-9+/_-]{20,256}={0,2}(?![A-Za-z0-9+/_=-])/,
  read: readRandom,
  open: openRun(
    asciiSet((character) => /[A-Za-z0-9+/_=-]/.test(character)),
    260,
  ),
}));
