import type { ArgumentRule } from './argument-rule.js';

/** What a statement does, as a parser of the database's own grammar sees it. */
export interface SqlFacts {
  /** How many statements there are. */
  readonly statements: number;
  /** Whether nothing is written, locked, set or called that may have effects. */
  readonly readOnly: boolean;
  /** Tables that are read, with their schema where it is written. */
  readonly tables: readonly string[];
  /** Functions that are called. */
  readonly functions: readonly string[];
}

export interface SqlRuleOptions {
  /** Tables that may be read: `orders`, `shop.orders`. Default: any. */
  readonly tables?: readonly string[];
  /** Functions that may be called beside the usual ones over numbers, texts and times. Default: none. */
  readonly functions?: readonly string[];
  /**
   * Reads a statement, such as with `pgsql-parser`; undefined rejects it. Default: a reader of our own for plain queries, which rejects whatever databases read in different
   * ways: comments, dollar quotes, backslashes in texts, quoted names with anything but letters.
   */
  readonly parse?: (sql: string) => SqlFacts | undefined | Promise<SqlFacts | undefined>;
  /** The most characters. Default 8,192. */
  readonly maxChars?: number;
}

const usualFunctions =
  'abs all any array_agg avg bit_length bool_and bool_or cast ceil ceiling char_length coalesce concat concat_ws count cume_dist current_date current_timestamp date date_part date_trunc dense_rank exists exp extract first_value floor greatest group_concat ifnull in initcap lag last_value lead least left length like ln localtimestamp lower lpad ltrim max min mod month now nth_value ntile nullif over percent_rank percentile_cont power position quarter rank regexp_replace replace right round row_number rpad rtrim sign split_part sqrt stddev string_agg strftime substr substring sum to_char to_date to_timestamp trim trunc upper using values variance week within year and or not on as from where select case when then else having by filter partition order group is between distinct with union except intersect join'.split(
    ' ',
  );

/** Words with which something is written, locked, set, loaded or run, in any dialect, and those that hand rows to a file or table. */
const forbidden = new Set(
  'insert update delete merge upsert create alter drop truncate rename grant revoke copy call exec execute do set reset lock unlock vacuum analyze explain into attach detach pragma load handler listen notify unlisten prepare deallocate declare fetch move close cluster reindex refresh comment security begin commit rollback savepoint start abort use show describe desc_table shutdown kill backup restore import export outfile dumpfile infile openrowset opendatasource openquery for table procedure analyse discard checkpoint reassign'.split(
    ' ',
  ),
);

/**
 * A rule for an argument that a tool runs as SQL: one query that only reads, from the tables that are named. Give the database user no other rights
 * all the same.
 */
export const sqlRule = ({
  tables,
  functions = [],
  parse = readPlainQuery,
  maxChars = 8192,
}: SqlRuleOptions = {}): ArgumentRule => {
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
  /[ \t\r\n\f]+|'(?:[^'\\]|'')*'|"[A-Za-z_][A-Za-z0-9_]*"|`[A-Za-z_][A-Za-z0-9_]*`|[A-Za-z_][A-Za-z0-9_]*|\d+(?:\.\d+)?|::|[<>!]=|<>|\|\||[-+*/%<>=(),.;[\]]/y;

interface Token {
  /** In small letters, without quotes. */
  readonly text: string;
  readonly isName: boolean;
  readonly isQuoted: boolean;
}

/** Undefined for what is no plain query. */
const readPlainQuery = (sql: string): SqlFacts | undefined => {
  const tokens = tokensOf(sql);
  if (!tokens) return undefined;
  while (tokens.at(-1)?.text === ';') tokens.pop();
  const words = tokens.filter(({ isName, isQuoted }) => isName && !isQuoted).map(({ text }) => text);
  if (!['select', 'with', 'values'].includes(tokens[0]?.text ?? '')) return undefined;
  const functions = tokens.filter(({ isName }, at) => isName && tokens[at + 1]?.text === '(');
  const tables = tablesIn(tokens);
  if (!tables) return undefined;
  const made = madeIn(tokens);
  return {
    statements: 1 + tokens.filter(({ text }) => text === ';').length,
    readOnly: !words.some((word) => forbidden.has(word)),
    tables: tables.filter(({ name, at }) => !((made.get(name) ?? Infinity) < at)).map(({ name }) => name),
    functions: functions.map(({ text }) => text),
  };
};

/** The names that a query makes itself, `with name as (…)`, and where each is whole: before that it means a table. */
const madeIn = (tokens: readonly Token[]): ReadonlyMap<string, number> => {
  const made = new Map<string, number>();
  if (tokens[0]?.text !== 'with') return made;
  for (let at = 1; isMade(tokens, at); at += 1) {
    const name = tokens[at]?.text ?? '';
    at = closeOf(tokens, at + 2) + 1;
    made.set(name, at - 1);
    if (tokens[at]?.text !== ',') break;
  }
  return made;
};

const isMade = (tokens: readonly Token[], at: number): boolean =>
  tokens[at]?.isName === true && tokens[at + 1]?.text === 'as' && tokens[at + 2]?.text === '(';

/** Where a parenthesis closes that opens at a place. */
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
    tokens.push({ text: (isName && isQuoted ? text.slice(1, -1) : text).toLowerCase(), isName, isQuoted });
  }
  return tokens;
};

const endsOfFrom = new Set(
  'where group order having limit offset fetch window union except intersect on using join inner left right full cross natural select qualify'.split(
    ' ',
  ),
);

/** The tables behind FROM and JOIN, and behind each comma of such a list. Undefined where one of them is no name. */
const tablesIn = (tokens: readonly Token[]): { readonly name: string; readonly at: number }[] | undefined => {
  const tables: { name: string; at: number }[] = [];
  /** For each open parenthesis whether it stands in a list of tables. */
  const lists: boolean[] = [false];
  for (let at = 0; at < tokens.length; at += 1) {
    const { text, isQuoted } = tokens[at] as Token; // as the loop's bounds say
    const isWord = !isQuoted;
    if (text === '(') lists.push(false);
    else if (text === ')') lists.pop();
    else if (isWord && endsOfFrom.has(text) && text !== 'join') lists[lists.length - 1] = false;
    const begins = isWord && (text === 'from' || text === 'join');
    if (begins) lists[lists.length - 1] = true;
    if (!begins && !(text === ',' && lists.at(-1))) continue;
    const name = nameAt(tokens, at + 1);
    if (name === undefined) return undefined;
    if (name) tables.push({ name, at });
  }
  return tables;
};

/** A table's name; empty for a query in parentheses, undefined for anything else, such as a function. */
const nameAt = (tokens: readonly Token[], from: number): string | undefined => {
  if (tokens[from]?.text === '(') return ['select', 'with', 'values'].includes(tokens[from + 1]?.text ?? '') ? '' : undefined;
  const parts: string[] = [];
  for (let at = from; tokens[at]?.isName; at += 2) {
    parts.push(tokens[at]?.text ?? '');
    if (tokens[at + 1]?.text === '(') return undefined;
    if (tokens[at + 1]?.text !== '.') return parts.join('.');
  }
  return undefined;
};
