import { aFunction } from '../../src/option-kind.js';
import { checkRuleOptions, someChars, someTexts, type ArgumentRule } from './argument-rules.js';

/** Facts about a statement, from a parser for the database's grammar. */
export interface SqlFacts {
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
  /** Allowed functions, in addition to the usual ones for numbers, texts and times. Default: none. */
  readonly functions?: readonly string[];
  /**
   * Parses a statement, e.g. with `pgsql-parser`; undefined rejects it. Default: a built-in parser for plain queries, which
   * rejects syntax that databases read in different ways: comments, dollar quotes, backslashes in texts, quoted names with anything
   * but letters.
   */
  readonly parse?: (sql: string) => SqlFacts | undefined | Promise<SqlFacts | undefined>;
  /** The maximum number of characters. Default 8,192. */
  readonly maxChars?: number;
}

const usualFunctions =
  'abs all any array_agg avg bit_length bool_and bool_or cast ceil ceiling char_length coalesce concat concat_ws count cume_dist current_date current_timestamp date date_part date_trunc dense_rank exists exp extract first_value floor greatest group_concat ifnull in initcap lag last_value lead least left length like ln localtimestamp lower lpad ltrim max min mod month now nth_value ntile nullif over percent_rank percentile_cont power position quarter rank regexp_replace replace right round row_number rpad rtrim sign split_part sqrt stddev string_agg strftime substr substring sum to_char to_date to_timestamp trim trunc upper using values variance week within year and or not on as from where select case when then else having by filter partition order group is between distinct with union except intersect join'.split(
    ' ',
  );

/** Words that write, lock, set, load or run something in any dialect, and those that write rows to a file or table. */
const forbidden = new Set(
  'insert update delete merge upsert create alter drop truncate rename grant revoke copy call exec execute do set reset lock unlock vacuum analyze explain into attach detach pragma load handler listen notify unlisten prepare deallocate declare fetch move close cluster reindex refresh comment security begin commit rollback savepoint start abort use show describe desc_table shutdown kill backup restore import export outfile dumpfile infile openrowset opendatasource openquery straight_join apply pivot unpivot nextval waitfor dbcc bulk writetext updatetext raiserror reconfigure for table procedure analyse discard checkpoint reassign'.split(
    ' ',
  ),
);

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
    if (!facts) return 'must be a plain query';
    if (facts.statements !== 1) return 'must be one statement';
    if (!facts.readOnly) return 'must only read';
    if (facts.functions.some((name) => !allowedFunctions.has(name.toLowerCase()))) return 'must not call such a function';
    if (allowedTables && facts.tables.some((name) => !allowedTables.has(name.toLowerCase())))
      return 'must read from the allowed tables';
    return undefined;
  };
};

const tokenForm =
  /[ \t\r\n\f]+|'(?:[^'\\]|'')*'|"[A-Za-z_][A-Za-z0-9_]*"|`[A-Za-z_][A-Za-z0-9_]*`|[A-Za-z_][A-Za-z0-9_]*|\d+(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.])|::|[<>!]=|<>|\|\||[-+*/%<>=(),.;[\]]/y;

interface Token {
  /** In lower case, without quotes. */
  readonly text: string;
  /** As written. Without quotes in lower case, because databases differ in the names that a quoted one equals. */
  readonly written: string;
  readonly isName: boolean;
  readonly isQuoted: boolean;
}

/** Undefined if it is no plain query. */
const readPlainQuery = (sql: string): SqlFacts | undefined => {
  const tokens = tokensOf(sql);
  if (!tokens) return undefined;
  while (tokens.at(-1)?.text === ';') tokens.pop();
  const words = tokens.filter(({ isName, isQuoted }) => isName && !isQuoted).map(({ text }) => text);
  if (!isQuery(tokens, 0) || tokens.some((_token, at) => wordAt(tokens, at) === 'in' && tokens[at + 1]?.text !== '('))
    return undefined;
  const functions = tokens.flatMap(({ isName }, at) => (isName && tokens[at + 1]?.text === '(' ? [functionAt(tokens, at)] : []));
  const tables = tablesIn(tokens);
  if (!tables) return undefined;
  const made = madeIn(tokens);
  return {
    statements: 1 + tokens.filter(({ text }) => text === ';').length,
    readOnly: !words.some((word) => forbidden.has(word)),
    tables: tables.filter(({ at }) => !isMadeBefore(tokens, at, made)).map(({ name }) => name),
    functions,
  };
};

/** A function's name, with its schema if given. */
const functionAt = (tokens: readonly Token[], at: number): string =>
  tokens[at - 1]?.text === '.' ? `${tokens[at - 2]?.text ?? ''}.${tokens[at]?.text ?? ''}` : (tokens[at]?.text ?? '');

/** The names that a query defines itself, `with name as (…)`, with the end of each definition: before it a name means a table. */
const madeIn = (tokens: readonly Token[]): ReadonlyMap<string, number> => {
  const made = new Map<string, number>();
  if (tokens[0]?.text !== 'with') return made;
  for (let at = 1; isMade(tokens, at); at += 1) {
    const name = tokens[at]?.written ?? '';
    at = closeOf(tokens, at + 2) + 1;
    made.set(name, at - 1);
    if (tokens[at]?.text !== ',') break;
  }
  return made;
};

/** Whether the table after a place is one that the query defined, in the same spelling. */
const isMadeBefore = (tokens: readonly Token[], at: number, made: ReadonlyMap<string, number>): boolean =>
  tokens[at + 2]?.text !== '.' && (made.get(tokens[at + 1]?.written ?? '') ?? Infinity) < at;

const isMade = (tokens: readonly Token[], at: number): boolean =>
  tokens[at]?.isName === true && tokens[at + 1]?.text === 'as' && tokens[at + 2]?.text === '(';

/** The closing parenthesis of an open one. */
const closeOf = (tokens: readonly Token[], open: number): number => {
  let depth = 0;
  for (let at = open; at < tokens.length; at += 1) {
    if (tokens[at]?.text === '(') depth += 1;
    if (tokens[at]?.text === ')') depth -= 1;
    if (depth === 0) return at;
  }
  return tokens.length;
};

const tokensOf = (sql: string): Token[] | undefined => {
  const tokens: Token[] = [];
  tokenForm.lastIndex = 0;
  for (let at = 0; at < sql.length; at = tokenForm.lastIndex) {
    const text = tokenForm.exec(sql)?.[0];
    if (text === undefined) return undefined;
    if (/^\s/.test(text)) continue;
    const isQuoted = /^["`']/.test(text);
    const isName = /^["`A-Za-z_]/.test(text);
    if ((text === '-' && sql[tokenForm.lastIndex] === '-') || (text === '/' && sql[tokenForm.lastIndex] === '*'))
      return undefined;
    // A prefix of a text changes how it is read: E'…', U&'…', B'…'.
    if (isName && !isQuoted && sql[tokenForm.lastIndex] === "'") return undefined;
    const written = isQuoted ? text : text.toLowerCase();
    tokens.push({ text: (isName && isQuoted ? text.slice(1, -1) : text).toLowerCase(), written, isName, isQuoted });
  }
  return tokens;
};

/** Calls with FROM between their arguments: `extract(year from created)`. */
const callsWithFrom = new Set(['extract', 'substring', 'trim']);

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
    if (!level || (endsList(tokens, at) && wordAt(tokens, at - 1) === 'as')) return undefined;
    if (endsList(tokens, at)) level.inList = false;
    const isStart = isTableStart(tokens, at) && !level.isCall;
    if (isStart) level.inList = true;
    if (!isStart && !(text === ',' && level.inList)) continue;
    const name = nameAt(tokens, at + 1);
    if (name === undefined) return undefined;
    if (name) tables.push({ name, at });
  }
  return tables;
};

const isQuery = (tokens: readonly Token[], at: number): boolean => ['select', 'with', 'values'].includes(wordAt(tokens, at));

/** A table's name; empty for a query in parentheses, undefined for anything else, such as a function. */
const nameAt = (tokens: readonly Token[], from: number): string | undefined => {
  if (tokens[from]?.text === '(') return isQuery(tokens, from + 1) ? '' : undefined;
  const parts: string[] = [];
  for (let at = from; tokens[at]?.isName; at += 2) {
    parts.push(tokens[at]?.text ?? '');
    if (tokens[at + 1]?.text === '(') return undefined;
    if (tokens[at + 1]?.text !== '.') return parts.join('.');
  }
  return undefined;
};
