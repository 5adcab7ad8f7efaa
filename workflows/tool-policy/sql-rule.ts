import { aFunction } from '../../src/option-kind.js';
import { acting, afterOperand, beforeOperand, beginnings, sized, usualFunctions } from './sql-words.js';
import { checkRuleOptions, someChars, someTexts, type ArgumentRule } from './argument-rules.js';

/** Facts about a statement, from a parser for the database's grammar. */
interface SqlFacts {
  /** The number of statements. */
  readonly statements: number;
  /** Whether it writes, locks and sets nothing, and calls no function with effects. */
  readonly readOnly: boolean;
  /** The tables that the statement reads, with their schema if given. */
  readonly tables: readonly string[];
  /** The called functions. */
  readonly functions: readonly string[];
}

export interface SqlRuleOptions {
  /** The allowed tables: `orders`, `shop.orders`. Default: any. */
  readonly tables?: readonly string[];
  /** Allowed functions, in addition to the usual ones for numbers, texts, times and JSON. Default: none. */
  readonly functions?: readonly string[];
  /**
   * Parses a statement, e.g. with `pgsql-parser`; undefined or a text, which names the fault, rejects it. Default: a built-in reader of
   * queries for PostgreSQL, MySQL, SQLite and SQL Server, which rejects what these read in different ways: `#`, dollar quotes, `\'` in a
   * text, prefixed texts, comments with commands.
   */
  readonly parse?: (sql: string) => SqlFacts | string | undefined | Promise<SqlFacts | string | undefined>;
  /** The maximum number of characters. Default 8,192. */
  readonly maxChars?: number;
}

/** A name of SQL that a fault may repeat. */
const named = (word: string): string => (/^[\w.]{1,64}$/.test(word) ? word : 'such a name');

/**
 * A rule for an argument that a tool runs as SQL: one read-only query of the named tables. The database user should have no
 * other rights in any case.
 */
export const sqlRule = (options: SqlRuleOptions = {}): ArgumentRule => {
  checkRuleOptions('sqlRule', options, { tables: someTexts, functions: someTexts, parse: aFunction, maxChars: someChars });
  const { tables, functions = [], parse = readPlainQuery, maxChars = 8192 } = options;
  const allowedTables = tables && new Set(tables.map((name) => name.toLowerCase()));
  const allowedFunctions = new Set([...usualFunctions, ...functions.map((name) => name.toLowerCase())]);
  return async (value) => {
    if (typeof value !== 'string') return 'must be a statement as text';
    if (value.length > maxChars) return `must have at most ${maxChars} characters`;
    const facts = await parse(value);
    if (typeof facts === 'string') return facts;
    if (!facts) return 'must be a plain query';
    if (facts.statements !== 1) return 'must be one statement';
    if (!facts.readOnly) return 'must only read';
    const called = facts.functions.find((name) => !allowedFunctions.has(name.toLowerCase()));
    if (called !== undefined) return `must not call ${named(called)}`;
    const read = allowedTables && facts.tables.find((name) => !allowedTables.has(name.toLowerCase()));
    return read === undefined ? undefined : `must not read ${named(read)}, only ${tables?.join(', ') || 'no table'}`;
  };
};

/** A comment ends at a line feed in every dialect, and at a carriage return in some. */
const blank = String.raw`[ \t\r\n\f]+|--(?=[ \t\r\n]|$)[^\r\n\0]*(?=\r?\n|$)|\/\*(?![!+M])(?:(?!\/\*)[^\0])*?\*\/`;
/** Also with the N of national characters, which every dialect reads alike. */
const quoted = String.raw`[Nn]?'(?:[^'\\]|''|\\[^'])*'`;
/** With signs that mean the same where a quote is an operator. */
const quotedName = String.raw`"[\w \u00C0-\u024F]{1,64}"(?!")|\x60[\w \u00C0-\u024F]{1,64}\x60(?!\x60)`;
const placeholder = String.raw`\$\d{1,4}(?![\w$])|\?|:[A-Za-z_]\w*|@[A-Za-z_]\w*`;
const operator = String.raw`@@(?=[ \t\r\n])|::|->>?|[@<>]>|<@|&&|<<|!~\*?|~{1,2}\*?|[<>!]=|<>|\|\||[-+*/%<>=(),.;[\]^&|]`;
const tokenForm = new RegExp(
  `(?:${blank})|(?:${quoted})|(?:${quotedName})|[A-Za-z_][A-Za-z0-9_]*|\\d+(?:\\.\\d+)?(?:[eE][+-]?\\d+)?(?![\\w.])|${placeholder}|${operator}`,
  'y',
);

interface Token {
  /** In lower case, without quotes. */
  readonly text: string;
  /** As written. Without quotes in lower case, because databases differ in the names that a quoted one equals. */
  readonly written: string;
  readonly isName: boolean;
  readonly isQuoted: boolean;
}

/** The facts of a query, or its fault. */
const readPlainQuery = (sql: string): SqlFacts | string => {
  const tokens = tokensOf(sql);
  if (typeof tokens === 'string') return tokens;
  while (tokens.at(-1)?.text === ';') tokens.pop();
  if (!isQuery(tokens, 0)) return 'must be a query that begins with select, with or values';
  const acted = tokens.findIndex((_token, at) => isActing(tokens, at));
  if (acted >= 0) return `must only read, without ${wordAt(tokens, acted)}`;
  if (
    tokens.some(
      (_token, at) => wordAt(tokens, at) === 'in' && tokens[at + 1]?.text !== '(' && openerOf(tokens, at) !== 'position',
    )
  )
    return 'must have a list or a query in parentheses after in';
  const endless = tokens.find(({ isName, text }, at) => isName && sized.has(text) && !hasShortSize(tokens, at + 1));
  if (endless) return `must call ${endless.text} with a length of at most four digits`;
  const made = madeIn(tokens);
  const heads = new Set([...made.values()].map(({ head }) => head));
  const functions = tokens.flatMap(({ isName }, at) =>
    isName && tokens[at + 1]?.text === '(' && !heads.has(at) && !isNaming(tokens, at - 1) ? [functionAt(tokens, at)] : [],
  );
  const tables = tablesIn(tokens);
  if (!tables) return 'must read from tables and queries alone, and have no keyword as a name';
  return {
    statements: 1 + tokens.filter((token) => token.text === ';').length,
    readOnly: true,
    tables: tables.filter(({ at }) => !isMadeBefore(tokens, at, made)).map(({ name }) => name),
    functions,
  };
};

/** Whether a name with parentheses follows that is no function: `as t(id)`, `tablesample system (10)`. */
const isNaming = (tokens: readonly Token[], at: number): boolean => ['as', 'tablesample'].includes(wordAt(tokens, at));

/** Whether a call's second argument is one short number, or a text without a number, and none of its texts is a template. */
const hasShortSize = (tokens: readonly Token[], open: number): boolean => {
  if (tokens[open]?.text !== '(') return true;
  const [end, second] = [closeOf(tokens, open), closeOf(tokens, open, ',')];
  const isLast = second + 2 >= end || tokens[second + 2]?.text === ',';
  return (
    isLast &&
    /^(?:\d{1,4}|'[^\d]*')$/.test(tokens[second + 1]?.text ?? '') &&
    tokens.slice(open, end).every(({ text }) => !text.includes('%'))
  );
};

/** Whether a word acts: it begins a statement, or is no name. */
const isActing = (tokens: readonly Token[], at: number): boolean => {
  const word = wordAt(tokens, at);
  if (word === 'for') return !['substring', 'overlay'].includes(openerOf(tokens, at));
  return acting.has(word) || (beginnings.has(word) && !isOperand(tokens, at));
};

/** Whether a word that begins a statement can be a name: an operand must be in its place, and ends with it. */
const isOperand = (tokens: readonly Token[], at: number): boolean => {
  const [before = '', next] = [tokens[at - 1]?.text, tokens[at + 1]?.text];
  if (before === '(') return next === ',' || next === ')';
  if (wordAt(tokens, at) === 'fetch') return next === 'first' || next === 'next';
  return beforeOperand.has(before) && (next === undefined || afterOperand.has(next));
};

/** The word before the parenthesis that contains a place. */
const openerOf = (tokens: readonly Token[], from: number): string => {
  let depth = 0;
  for (let at = from; at >= 0; at -= 1) {
    if (tokens[at]?.text === ')') depth += 1;
    if (tokens[at]?.text === '(' && (depth -= 1) < 0) return wordAt(tokens, at - 1);
  }
  return '';
};

/** A function's name, with its schema if given. */
const functionAt = (tokens: readonly Token[], at: number): string =>
  tokens[at - 1]?.text === '.' ? `${tokens[at - 2]?.text ?? ''}.${tokens[at]?.text ?? ''}` : (tokens[at]?.text ?? '');

/** A name that a query defines itself, `with name as (…)`. */
interface Made {
  /** The place of the name. */
  readonly head: number;
  /** The place from which it means the definition and no table: the end of that, or its beginning in a recursive one. */
  readonly from: number;
}

const madeIn = (tokens: readonly Token[]): ReadonlyMap<string, Made> => {
  const made = new Map<string, Made>();
  const isRecursive = wordAt(tokens, 1) === 'recursive';
  for (
    let at = isRecursive ? 2 : 1, open = bodyOf(tokens, at);
    wordAt(tokens, 0) === 'with' && open > 0;
    open = bodyOf(tokens, at)
  ) {
    const end = closeOf(tokens, open);
    made.set(tokens[at]?.written ?? '', { head: at, from: isRecursive ? open : end });
    if (tokens[end + 1]?.text !== ',') break;
    at = end + 2;
  }
  return made;
};

/** Whether the table after a place is one that the query defined, in the same spelling. */
const isMadeBefore = (tokens: readonly Token[], at: number, made: ReadonlyMap<string, Made>): boolean =>
  tokens[at + 2]?.text !== '.' && (made.get(tokens[at + 1]?.written ?? '')?.from ?? Infinity) < at;

/** The parenthesis of a definition: after `name as`, or `name (columns) as`; 0 if there is none. */
const bodyOf = (tokens: readonly Token[], at: number): number => {
  const as = tokens[at + 1]?.text === '(' ? closeOf(tokens, at + 1) + 1 : at + 1;
  if (!tokens[at]?.isName || wordAt(tokens, as) !== 'as') return 0;
  const open = [as + 1, as + 2, as + 3].find((place) => !['not', 'materialized'].includes(wordAt(tokens, place)));
  return open !== undefined && tokens[open]?.text === '(' ? open : 0;
};

/** The closing parenthesis of an open one, or a first comma between them. */
const closeOf = (tokens: readonly Token[], open: number, stop?: string): number => {
  let depth = 0;
  for (let at = open; at < tokens.length; at += 1) {
    if (tokens[at]?.text === '(') depth += 1;
    if (tokens[at]?.text === ')') depth -= 1;
    if (depth === 0 || (depth === 1 && tokens[at]?.text === stop)) return at;
  }
  return tokens.length;
};

/** The tokens of a query without its comments, or the fault. */
const tokensOf = (sql: string): Token[] | string => {
  const tokens: Token[] = [];
  tokenForm.lastIndex = 0;
  for (let at = 0; at < sql.length; at = tokenForm.lastIndex) {
    const read = tokenForm.exec(sql)?.[0];
    const next = sql.charAt(tokenForm.lastIndex);
    if (read === undefined || /^(?:--|\/\*)$/.test(read + next)) return `must be a plain query, without ${faultAt(sql, at)}`;
    // A prefix of a text changes how it is read: E'…', U&'…', B'…'.
    if (/^(?:\w+'|&['"])$/.test(read + next)) return 'must be a plain query, without a prefix before a text';
    if (!/^(?:\s|--|\/\*)/.test(read)) tokens.push(tokenOf(read));
  }
  return tokens;
};

const tokenOf = (read: string): Token => {
  const isQuoted = /^["`']/.test(read);
  const isName = /^["`A-Za-z_]/.test(read) && !read.endsWith("'");
  const written = isQuoted ? read : read.toLowerCase();
  return { text: (isName && isQuoted ? read.slice(1, -1) : read).toLowerCase(), written, isName, isQuoted };
};

const faultAt = (sql: string, at: number): string => {
  const sign = sql.charAt(at);
  if (sign === "'" || sign === '"' || sign === '`') return 'such a quotation';
  if (sign === '-' || sign === '/') return 'such a comment';
  return /^[!-~]$/.test(sign) ? sign : 'such a character';
};

/** Calls with FROM between their arguments: `extract(year from created)`. */
const callsWithFrom = new Set(['extract', 'substring', 'trim', 'overlay']);

/** Whether the list of tables ends at a word. The words are reserved in every dialect; an alias can be any other keyword. */
const endsList = (tokens: readonly Token[], at: number): boolean =>
  ['where', 'having', 'select'].includes(wordAt(tokens, at)) ||
  (['group', 'order'].includes(wordAt(tokens, at)) && wordAt(tokens, at + 1) === 'by');

/** Whether a FROM, or JOIN, is followed by a table. */
const isTableStart = (tokens: readonly Token[], at: number): boolean => {
  const word = wordAt(tokens, at);
  const isComparison = wordAt(tokens, at - 1) === 'distinct' && ['is', 'not'].includes(wordAt(tokens, at - 2));
  return word === 'join' || (word === 'from' && !isComparison);
};

/** A word without quotes; empty for anything else. */
const wordAt = (tokens: readonly Token[], at: number): string => {
  const token = tokens[at];
  return token?.isName && !token.isQuoted ? token.text : '';
};

/** An open parenthesis: whether a table follows a comma in it, and whether its FROM belongs to a call. */
const levelAt = (tokens: readonly Token[], at: number): { inList: boolean; readonly isCall: boolean } => ({
  inList: false,
  isCall: callsWithFrom.has(wordAt(tokens, at - 1)) && !isQuery(tokens, at + 1),
});

/** The tables after FROM and JOIN, and after each comma of such a list. Undefined if one of them is no name. */
const tablesIn = (tokens: readonly Token[]): { readonly name: string; readonly at: number }[] | undefined => {
  const tables: { name: string; at: number }[] = [];
  const levels = [levelAt(tokens, -1)];
  for (const [at, { text }] of tokens.entries()) {
    if (text === '(') levels.push(levelAt(tokens, at));
    if (text === ')') levels.pop();
    const level = levels.at(-1);
    const isEnd = endsList(tokens, at);
    if (!level || (isEnd && wordAt(tokens, at - 1) === 'as')) return undefined;
    const isStart = isTableStart(tokens, at) && !level.isCall;
    level.inList = isStart || (level.inList && !isEnd);
    if (!isStart && !(isComma(tokens, at) && level.inList)) continue;
    const name = nameAt(tokens, at + 1);
    if (name === undefined) return undefined;
    if (name) tables.push({ name, at });
  }
  return tables;
};

/** Whether a comma may separate tables, rather than the numbers of `limit 5, 10`. */
const isComma = (tokens: readonly Token[], at: number): boolean => {
  const isLimit =
    wordAt(tokens, at - 2) === 'limit' && [at - 1, at + 1].every((place) => /^[\d?$:@]/.test(tokens[place]?.text ?? ''));
  return tokens[at]?.text === ',' && !isLimit;
};

const isQuery = (tokens: readonly Token[], at: number): boolean => ['select', 'with', 'values'].includes(wordAt(tokens, at));

/** A table's name; empty for a function or a query in parentheses, undefined for anything else. */
const nameAt = (tokens: readonly Token[], from: number): string | undefined => {
  if (wordAt(tokens, from) === 'lateral') return nameAt(tokens, from + 1);
  if (tokens[from]?.text === '(') return isQuery(tokens, from + 1) ? '' : undefined;
  const parts: string[] = [];
  for (let at = from; tokens[at]?.isName; at += 2) {
    parts.push(tokens[at]?.text ?? '');
    if (tokens[at + 1]?.text === '(') return ''; // a function, which is checked as such
    if (tokens[at + 1]?.text !== '.') return parts.join('.');
  }
  return undefined;
};
