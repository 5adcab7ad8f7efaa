import type { TextSpan } from '../../src/guard/pattern.js';
import { lazyRegex, once } from '../../src/phase/memo.js';

/** Longer addresses are rejected, because browsers and proxies treat them differently. */
export const maxLinkChars = 2048;
/** The length of text before an address that is read: `formaction = "`. */
export const linkLookbehind = 64;
/** The maximum length of a last word that may still become an address; a host name has at most 253 characters. */
const maxOpenChars = 320;

/** An address as written. */
interface LinkSpan extends TextSpan {
  /** Whether it is where Markdown, HTML or CSS expect a destination. */
  readonly isPlace: boolean;
  /** Whether the text ends before the address does. */
  readonly isOpen: boolean;
}

/** Attributes of HTML that are loaded, followed or submitted to. */
const attributes =
  'href|src|srcset|imagesrcset|action|formaction|poster|ping|background|longdesc|manifest|codebase|dynsrc|lowsrc|cite|data';
/** Schemes without `//` that act wherever they are clicked; others count only where a destination is expected. */
const opaque =
  'javascript|vbscript|mailto|blob|filesystem|view-source|intent|data(?<!(?:[=&]|\\burl\\(\\s{0,8}["\']?)data)(?=:(?:text/(?:html|xml)|image/svg|application/x(?:html|ml))|:[;,])';
/** Domain endings that chat clients turn into links without a scheme. */
const endings =
  'com|org|net|edu|gov|mil|biz|io|ai|co|dev|app|xyz|shop|club|icu|gg|uk|de|fr|nl|ch|se|dk|fi|cz|ru|ua|tr|cn|jp|kr|br|mx|ca|au|nz|za|ir|eu|lu|pt|gr|hu|ro|bg|hr|lt|lv|ee|ie|il|ae|sa|sg|hk|tw|th|vn|ph';
/** Endings that are also words, members of objects or endings of files: they need a path or a query. */
const endingsOfWords =
  'info|name|int|site|online|store|tech|cloud|live|link|click|top|page|space|fun|tv|to|cc|it|es|be|at|no|in|us|ly|la|li|id|my|me|is|im|pro|mobi|tel|travel|jobs|museum|aero|coop|cat|asia|post|art|bid|bond|blog|buzz|cam|cash|cfd|chat|city|cyou|date|design|digital|download|email|events|expert|express|finance|foo|games|group|guru|help|host|how|land|lat|life|lol|loan|ltd|market|media|men|monster|mov|news|ninja|one|party|photos|pics|pink|plus|press|quest|racing|red|rest|review|rocks|run|sbs|school|science|services|skin|social|solutions|stream|studio|support|systems|team|tips|today|tools|toys|trade|vip|wang|watch|web|website|wiki|win|work|works|world|wtf|yachts|zip|zone|su|ws|ga|gq|ml|cf|tk|pw|st|vc|by|kz|rs|si|sk|pl|ar|cl|pe|uy|ec|ke|ng|pk|lk|np|bd|qa|kw|om|jo|lb|eg|ma|tn|ge|am|az|uz|mn|kg|md|al|mk|ba|cy|mt|gl|gi|fo';
const label = String.raw`[\p{L}\p{N}](?:[\p{L}\p{M}\p{N}_-]{0,62})`;

/** The text before a destination, which is not part of it. */
const before = String.raw`\]\(\s{0,8}<?|\]:\s{0,8}<?|(?<!new )\burl\(\s{0,8}["']?(?!["']?data:image/)|\bcontent\s{0,4}=\s{0,4}["']?\s{0,4}[\d.]{1,8}\s{0,4}[;,]\s{0,4}(?![\s;,])|(?<!\.)\b(?:${attributes})\s{0,8}=\s{0,8}["']?`;
/** Names of objects in programs; their members make them look like domains: `self.name`. */
const objects =
  'app|args|body|config|console|const|context|ctx|data|document|el|element|entry|env|err|error|event|evt|field|file|form|input|item|key|list|math|me|model|module|msg|node|np|obj|object|options|os|params|parent|pd|process|props|ref|req|request|res|response|result|results|row|schema|self|session|settings|state|sys|table|target|task|this|tool|user|utils|value|window';
/** Such names, and `ASP.NET`, unless text follows that could carry data. */
const inCode = String.raw`(?:(?:(?:${objects})\.){1,6}(?!com|org|net)(?:${endings}|${endingsOfWords})|(?:ado|asp|ml|vb)\.net)(?![\p{L}\p{N}/#:@_-]|\?\S|\.[\p{L}\p{N}])`;
/** A domain without a scheme. */
const bare = String.raw`(?!${inCode})(?:${label}\.){1,6}(?:(?:${endings}|(?<=-[^\s]{1,60})(?:${endingsOfWords}))(?![\p{L}\p{N}_@(=[+*&-]|\.[\p{L}\p{N}])|(?:${endings}|${endingsOfWords})(?::\d{1,5})?(?:\/(?=[\p{L}\p{N}?#%&=])|\?(?=[\p{L}\p{N}#%&=])))`;
/** An expression, and its form for texts in ASCII, which V8 compiles and runs several times as fast. */
const bothForms = (source: string, flags: string) => {
  const ascii = source
    .replaceAll(String.raw`\p{L}`, 'a-z')
    .replaceAll(String.raw`\p{N}`, '0-9')
    .replaceAll(String.raw`\p{M}`, '');
  return { any: once(() => new RegExp(source, `${flags}iu`)), ascii: once(() => new RegExp(ascii, `${flags}i`)) };
};
const bareForms = bothForms(`^(?:www\\.|${bare})`, '');
/** Whether a text without a scheme starts with a domain that clients turn into a link. */
export const isBareLink = (text: string): boolean => (nonAscii.test(text) ? bareForms.any() : bareForms.ascii()).test(text);

/** The beginnings of addresses. */
const beginnings = [
  String.raw`https?:(?=[\\/%&])|(?:https?|wss?|ftp):(?<![\p{L}\p{N}_-](?:https?|wss?|ftp):)(?=[\\/%&]|${label}\.[\p{L}\p{N}])`,
  String.raw`(?<![\p{L}\p{N}+-])(?:${opaque}):(?=[^\s"'<>)])`,
  String.raw`(?<![\p{L}\p{N}+\\-])[a-z][a-z0-9+-]{0,31}:(?=\/\/)`,
  String.raw`(?<=^|[(<="'` +
    '`' +
    String.raw`]|\]:\s{0,8}|,\s{0,8})(?:\/{2,16}(?=[[%&\\]|\d{7}|(?:${label}\.){1,6}${label}(?![\p{L}\p{N}_-]*\())|(?:(?<!\()[\\/]{2,16}|\/{2,16})(?=(?:${label}\.){1,6}${label}[\\/?#:]))(?=[^\s\\/"'<>)*])`,
  String.raw`(?<![\p{L}\p{N}\\])\\{2}(?=(?:${label}\.){1,6}${label}\\)`, // a Windows share
  String.raw`(?<![\p{L}\p{N}@./\\:-])www\.(?=[\p{L}\p{N}])`,
  String.raw`(?<![\p{L}\p{N}@./\\:_-])(?:${bare})`,
].join('|');
/** A space ends the search of a word that has none of them. */
const startForms = bothForms(`(${before})|${beginnings}|[\\0- ]`, 'g');
/** One of these is in the beginning of every address, or in its first word. */
const hint = /[=\\]|:(?=\S)|\](?=[:(])|[Uu][Rr][Ll]\(|\/[/\\]|\.[^\s.]/g;
/**
 * The beginning of a destination that leads elsewhere; others are relative to the page. A scheme may be split over lines and written in
 * codes.
 */
const leadsElsewhere = /^[\0- ]*(?:[\\/&%]|(?:[a-z0-9+.-][\t\n\r]*){1,48}(?::(?!:)|[&%\\\u0080-\uFFFF]|$)|[\u0080-\uFFFF]|$)/i;
const maxSchemeChars = 128;

/**
 * The addresses that start in a text from `from` up to `until`: with a scheme, relative to the protocol, a bare domain, and
 * destinations in Markdown, HTML and CSS. They may overlap: an address in another's query is found as well, unless the caller
 * continues after the first.
 */
export function* linksIn(text: string, from: number, until = text.length): Generator<LinkSpan, void, number | undefined> {
  const scope = text.slice(0, Math.min(text.length, until + maxLinkChars + 1));
  let place = Math.max(0, from - linkLookbehind);
  for (let match = beginningIn(scope, place); match && match.index < until; match = beginningIn(scope, place)) {
    let next = match.index + 1;
    const isPlace = match[1] !== undefined;
    const start = isPlace ? match.index + match[0].length : match.index;
    if (start >= from && start < until && (!isPlace || leadsElsewhere.test(scope.slice(start, start + maxSchemeChars))))
      next = Math.max(next, (yield spanAt(scope, start, isPlace)) ?? 0);
    place = next;
  }
}

/** The next beginning of an address, in the words with a hint: most words have none. */
const beginningIn = (text: string, from: number): RegExpExecArray | undefined => {
  const { any, ascii } = startForms;
  for (let place = from; place < text.length;) {
    hint.lastIndex = place;
    const at = hint.exec(text)?.index;
    if (at === undefined) return undefined;
    const [least, most] = [Math.max(place, at - linkLookbehind), Math.min(text.length, at + maxWordChars)];
    let [start, end] = [at, at + 1];
    while (start > least && (text[at] === '=' || !isSpace(text, start - 1))) start -= 1; // spaces may stand before an `=`
    while (end < most && !isSpace(text, end)) end += 1;
    const isCut = end === most;
    const startForm = nonAscii.test(text.slice(Math.max(0, start - 2), isCut ? end + maxWordChars : end)) ? any() : ascii();
    const match = firstIn(startForm, text.slice(0, end + (isCut ? maxWordChars : linkLookbehind)), { start, end });
    if (match) return match;
    place = end;
  }
  return undefined;
};

/** The first match that starts in a range: a later one would be cut off, and spaces only end the search. */
const firstIn = (form: RegExp, text: string, { start, end }: TextSpan): RegExpExecArray | undefined => {
  form.lastIndex = start;
  let match = form.exec(text);
  while (match && match.index < end && isSpace(text, match.index)) match = form.exec(text);
  return match && match.index < end ? match : undefined;
};

/** A longer word is read in pieces; more than the beginning of an address has. */
const maxWordChars = 512;
const isSpace = (text: string, at: number): boolean => text.charCodeAt(at) <= 32;
const nonAscii = /[^\0-\x7F]/;

/** The end of an address that starts at a position. */
const spanAt = (text: string, start: number, isPlace: boolean): LinkSpan => {
  const most = Math.min(text.length, start + maxLinkChars);
  const stop = stopAt(text, start, isPlace);
  let end = start;
  let depth = 0;
  for (; end < most; end += 1) {
    const sign = text.charAt(end);
    if (stop !== undefined && sign === partners[stop]) depth += 1;
    if (sign === stop && (depth -= 1) < 0) break;
    if (isBreak(sign, stop, isPlace) || (!isPlace && endsProse(text, start, end))) break;
  }
  const isOpen = end === text.length && end - start < maxLinkChars;
  if (!isPlace) end = Math.min(end, endOfDomain(text, start, end));
  const isWhole = stop !== undefined || /^\.<(?!\/)/.test(text.slice(end - 1, end + 2)); // a placeholder: `https://api.<region>.example.com`
  return { start, end: isWhole ? end : withoutPunctuation(text, start, end), isPlace, isOpen };
};

/** The end of a domain without a scheme, if no port or path follows it. */
const endOfDomain = (text: string, start: number, end: number): number => {
  const [host = ''] = domain().exec(text.slice(start, end)) ?? [];
  const isWhole = host === '' || /^(?:[/?#\\%&]|:\d)/.test(text.slice(start + host.length, start + host.length + 2));
  return isWhole ? end : start + host.length;
};
const domain = lazyRegex(String.raw`^(?:${label}\.){1,6}[\p{L}\p{N}-]{1,63}`, 'u');
const codedQuote = /^&(?:#39|#x27|#34|quot|apos|gt|lt);[\s,;:)\]}<&]/i;

/** Whether a bracket ends the text of a Markdown link, or a quote ends a word. */
const endsProse = (text: string, start: number, end: number): boolean => {
  const sign = text.charAt(end);
  if (sign === '&') return codedQuote.test(text.slice(end, end + 8));
  if (sign === ']') return /[([:]/.test(text.charAt(end + 1)) && !text.slice(start, end).includes('[');
  return sign === "'" && !/[:/]/.test(text.slice(start, end));
};

/** The character that ends an address, in addition to white space: the closing partner of the preceding character. */
const stopAt = (text: string, start: number, isPlace: boolean): string | undefined => {
  const sign = text.charAt(start - 1);
  if (sign === '<') return '>';
  if (sign === '"' || sign === "'")
    return isPlace || /[=:([{,]\s{0,8}$/.test(text.slice(Math.max(0, start - 10), start - 1)) ? sign : undefined;
  if (sign === '[' && !isPlace) return ']';
  if (sign === '(' || (isPlace && /\(\s{1,8}$/.test(text.slice(Math.max(0, start - 10), start)))) return ')';
  return undefined;
};

const isBreak = (sign: string, stop: string | undefined, isPlace: boolean): boolean => {
  if (stop === '"' || stop === "'") return sign === '<' || sign === '>' || (!isPlace && sign === '\n');
  if (stop === '>') return sign === '\n';
  return /[\s<>"`|]/.test(sign);
};

const partners: Readonly<Record<string, string>> = { ')': '(', ']': '[', '}': '{' };
const openings: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}' };

/** Signs that end a sentence rather than an address, and brackets without a partner. */
const withoutPunctuation = (text: string, start: number, end: number): number => {
  const surplus: Record<string, number> = {};
  for (let at = start; at < end; at += 1) {
    const sign = text.charAt(at);
    const closing = openings[sign] ?? (sign in partners ? sign : undefined);
    if (closing) surplus[closing] = (surplus[closing] ?? 0) + (closing === sign ? 1 : -1);
  }
  let last = end;
  for (; last > start + 1; last -= 1) {
    const sign = text.charAt(last - 1);
    if (!/[.,;:!?'*_~)\]}”“»«]/.test(sign)) break;
    if (sign in partners && (surplus[sign] ?? 0) <= 0) break;
    if (sign in partners) surplus[sign] = (surplus[sign] ?? 0) - 1;
  }
  return last;
};

/** The earliest position, from `from` on, at which an address may start that more text could complete. */
export const openLink = (text: string, from: number): number => {
  const open = wordStart(text, from);
  const least = Math.max(from, text.length - maxLinkChars); // a longer one is not open
  for (const link of linksIn(text, least)) if (link.isOpen) return Math.min(open, link.start);
  return open;
};

const wordStart = (text: string, from: number): number => {
  let start = text.length;
  const least = Math.max(from, text.length - maxOpenChars);
  while (start > least && !/[\s()<>"'[\]{},;|`]/.test(text.charAt(start - 1))) start -= 1;
  return start;
};
