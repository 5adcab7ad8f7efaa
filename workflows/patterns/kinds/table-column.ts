import type { TextSpan } from '../../../src/guard/pattern.js';
import type { Finder } from '../define-finder.js';

/** A table whose rows follow its header. */
interface Table {
  /** The header as written: the state after which the rows are read on. */
  readonly header: string;
  readonly separator: string;
  readonly cells: number;
  /** The names of the columns with labeled values, by their index. */
  readonly columns: ReadonlyMap<number, string>;
}

/** A longer line is no row, and one with a sentence or a long cell is no header. */
const maxLineChars = 1_000;
const maxHeaderChars = 400;
const endOfSentence = /[.!?] /;
const longCell = /(?:^|[|\t;,])[^|\t;,]{65}/;
/** Takes the place of the beginning of a line that is neither. */
const otherLine = '\0';
const isOther = (line: string, table: Table | undefined): boolean =>
  line.startsWith(otherLine) ||
  (table ? line.length > maxLineChars : line.length > maxHeaderChars || endOfSentence.test(line) || longCell.test(line));
const separators = ['|', '\t', ';', ','];
const anySeparator = /[|\t;,]/;
const maxHeaders = 64;

/** The cells of a row, without quotes and white space around them. */
const cellsOf = (line: string, separator: string): TextSpan[] => {
  const cells: TextSpan[] = [];
  const form = separator === '|' ? /[^|]*/g : new RegExp(`[ ]*"(?:[^"]|"")*"[ ]*(?=${separator}|$)|[^${separator}]*`, 'g');
  for (let at = 0; at <= line.length; at = form.lastIndex + 1) {
    form.lastIndex = at;
    const [written = ''] = form.exec(line) ?? [];
    const around = /^[\s"'`*]*/.exec(written)?.[0].length ?? 0;
    cells.push({ start: at + around, end: at + Math.max(around, endOfContent(written)) });
  }
  return cells;
};

interface ColumnOptions {
  /** Whether the name of a column makes the values in it recognizable. */
  isLabel(name: string): boolean;
  /** Whether a text contains such a name: a cheap check of a line. */
  readonly hint: RegExp;
  /** The end of the value that a cell starts with, given the name of its column. */
  read(text: string, cell: TextSpan, name: string): number | undefined;
}

/**
 * Finds values by the name of their column: in tables of Markdown, and in lines with commas, semicolons or tabs. A table ends at a line
 * with another number of cells.
 */
export const columnFinder = ({ isLabel, hint, read }: ColumnOptions): Finder => {
  const headerOf = (line: string): Table | undefined => {
    const separator = separators.find((sign) => line.includes(sign)) ?? '';
    if (isOther(line, undefined) || !hint.test(line)) return undefined; // the cheapest first
    const cells = cellsOf(line, separator);
    const names = cells.map(({ start, end }, at) => [at, line.slice(start, end)] as const);
    const columns = new Map(names.filter(([, name]) => isLabel(name)));
    return columns.size > 0 ? { header: line, separator, cells: cells.length, columns } : undefined;
  };
  const headers = new Map<string, Table | undefined>(); // a stream's text is read again whenever its beginning was emitted
  const headerIn = (line: string): Table | undefined => {
    if (line.length > maxHeaderChars || !anySeparator.test(line)) return undefined;
    if (headers.has(line)) return headers.get(line);
    if (headers.size === maxHeaders) headers.clear();
    headers.set(line, headerOf(line));
    return headers.get(line);
  };
  const after: After = (table, line) =>
    headerIn(line) ??
    (table && !isOther(line, table) && cellsOf(line, table.separator).length === table.cells ? table : undefined);
  const [found, opened, states] = [createReader(after), createReader(after), createReader(after)];
  return {
    maxLength: maxLineChars,
    lookbehind: 1,
    lookahead: 1,
    isLabelled: true,
    isClosed: false,
    find: (text, from, until = text.length) => {
      const spans: TextSpan[] = [];
      for (const line of found.linesFrom(text, from, until)) {
        if (line.start >= until) break;
        for (const [name, cell] of labeledCells(line)) if (read(text, cell, name) === cell.end) spans.push(cell);
      }
      return spans.filter(({ start }) => start >= from && start < until);
    },
    open: (text, from) => {
      const { table, start } = opened.lastLine(text);
      return table ? Math.max(from, start) : text.length;
    },
    stateOf: (text) => {
      const { table, line } = states.lastLine(text);
      return (table ? `${table.header}\n` : '') + (isOther(line, table) ? otherLine : line);
    },
  };
};

/** The cells of a row with a labeled column, by the column's name. */
const labeledCells = ({ table, start, line }: Line): (readonly [string, TextSpan])[] => {
  if (!table || isOther(line, table)) return [];
  const cells = cellsOf(line, table.separator).map((cell) => ({ start: start + cell.start, end: start + cell.end }));
  if (cells.length !== table.cells) return [];
  return [...table.columns].flatMap(([at, name]) => {
    const cell = cells[at];
    return cell && cell.end > cell.start ? [[name, cell] as const] : [];
  });
};

type After = (table: Table | undefined, line: string) => Table | undefined;

/** A line, and the table that it may continue. */
interface Line {
  readonly table: Table | undefined;
  readonly start: number;
  readonly line: string;
}

/** The start of a line, and the table that it may continue. */
type LineStart = Omit<Line, 'line'>;
const firstLine: LineStart = { table: undefined, start: 0 };

/** The start of the lines before a place that may all be rows. */
const firstRow = (text: string, least: number, place: number): number => {
  let start = text.lastIndexOf('\n', place - 1) + 1;
  for (let before = start; start > least; start = before) {
    before = start < 2 ? 0 : text.lastIndexOf('\n', start - 2) + 1;
    if (start - before > maxLineChars + 1 || !anySeparator.test(text.slice(before, start))) break;
  }
  return Math.max(least, place > 0 ? start : 0);
};

/** Reads the lines of a text that grows, each once if the places ascend. */
const createReader = (after: After) => {
  let [knownText, known] = ['', firstLine];
  /** The lines from the one that contains a place on. */
  function* linesFrom(text: string, place: number, until = place): Generator<Line> {
    const isKnown = known.start <= place && (text === knownText || text.startsWith(knownText.slice(0, known.start)));
    const last = isKnown ? known : firstLine;
    let at = last.table ? last : { table: undefined, start: firstRow(text, last.start, place) };
    for (let end = 0; end >= 0; at = { table: after(at.table, text.slice(at.start, end)), start: end + 1 }) {
      end = text.indexOf('\n', at.start);
      const line = text.slice(at.start, end < 0 ? text.length : end);
      if (at.start <= until) [knownText, known] = [text, at];
      if (at.start + line.length >= place) yield { ...at, line };
      if (end < 0) return;
    }
  }
  const lastLine = (text: string): Line => {
    const [line = { table: undefined, start: text.length, line: '' }] = linesFrom(text, text.length);
    return line;
  };
  return { linesFrom, lastLine };
};

/** The end of a cell's content, without space and marks after it. */
const endOfContent = (cell: string): number => {
  let end = cell.length;
  while (end > 0 && /[\s"'`*]/.test(cell[end - 1] ?? '')) end -= 1;
  return end;
};
