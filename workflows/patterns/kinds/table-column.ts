import type { TextSpan } from '../../../src/guard/pattern.js';
import { once } from '../../../src/phase/memo.js';
import { searchFor, type Finder } from '../define-finder.js';

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
  const headerIn = (line: string): Table | undefined =>
    line.length <= maxHeaderChars && anySeparator.test(line) ? headerOf(line) : undefined;
  const after: After = (table, line) =>
    headerIn(line) ??
    (table && !isOther(line, table) && cellsOf(line, table.separator).length === table.cells ? table : undefined);
  const labelIn = once(() => searchFor(hint));
  const reader = () => createReader(after, (...place) => labelIn()(...place)?.index);
  const [found, opened, states] = [reader(), reader(), reader()];
  return {
    maxLength: maxLineChars,
    lookbehind: 1,
    lookahead: 1,
    isLabelled: true,
    isClosed: false,
    find: (text, from, until = text.length) => {
      const spans: TextSpan[] = [];
      for (let line: Line | undefined = found.lineAt(text, from); line && line.start < until; line = found.next(text, until))
        for (const [name, cell] of labeledCells(text, line)) if (read(text, cell, name) === cell.end) spans.push(cell);
      return spans.filter(({ start }) => start >= from && start < until);
    },
    open: (text, from) => {
      const { table, start } = opened.lineAt(text, text.length);
      return table ? Math.max(from, start) : text.length;
    },
    stateOf: (text) => {
      const table = opened.hasNoTable(text) ? undefined : states.lineAt(text, text.length).table;
      const line = text.slice(startOfLine(text, text.length));
      const state = (table ? `${table.header}\n` : '') + (isOther(line, table) ? otherLine : line);
      for (const each of [found, opened]) each.replaced(text, state);
      return state;
    },
  };
};

/** The cells of a row with a labeled column, by the column's name. */
const labeledCells = (text: string, { table, start }: Line): (readonly [string, TextSpan])[] => {
  const line = table ? text.slice(start, endOfLine(text, start)) : '';
  if (!table || isOther(line, table)) return [];
  const cells = cellsOf(line, table.separator).map((cell) => ({ start: start + cell.start, end: start + cell.end }));
  if (cells.length !== table.cells) return [];
  return [...table.columns].flatMap(([at, name]) => {
    const cell = cells[at];
    return cell && cell.end > cell.start ? [[name, cell] as const] : [];
  });
};

type After = (table: Table | undefined, line: string) => Table | undefined;

/** The start of a line, and the table that it may continue. */
interface Line {
  readonly table: Table | undefined;
  readonly start: number;
}
const firstLine: Line = { table: undefined, start: 0 };

const startOfLine = (text: string, place: number): number => (place === 0 ? 0 : text.lastIndexOf('\n', place - 1) + 1);
const endOfLine = (text: string, place: number): number => {
  const end = text.indexOf('\n', place);
  return end < 0 ? text.length : end;
};

/** Several times as fast as the method of strings. */
const startsWith = (text: string, beginning: string): boolean => text.slice(0, beginning.length) === beginning;

/**
 * Reads the lines of a text that grows, each once if the places ascend. Outside of a table only lines with a label are read.
 *
 * @param labelIn returns the first place of a label, if it is before `until`
 */
const createReader = (after: After, labelIn: (text: string, from: number, until: number) => number | undefined) => {
  /** The last line that was read, in its text; the text before it has a table if `isTable`. */
  let [knownText, known, isTable] = ['', firstLine, false];
  /** Reads on to the next line that matters, if it starts before `until`; otherwise to the line that contains `until`. */
  const next = (text: string, until: number): Line | undefined => {
    const { table, start } = known;
    const ended = endOfLine(text, start);
    const first = ended - start > maxHeaderChars ? ended : start; // a longer line is not searched again for each step
    const place = table ? start : (labelIn(text, first, until) ?? until);
    if (!table && place >= until) known = { table, start: startOfLine(text, until) };
    const end = endOfLine(text, place);
    if (end === text.length || (!table && place >= until)) return undefined;
    const line = { table: after(table, text.slice(startOfLine(text, place), end)), start: end + 1 };
    if (line.start <= until) known = line;
    isTable ||= line.table !== undefined;
    return line;
  };
  return {
    next,
    /** The line that contains a place. */
    lineAt: (text: string, place: number): Line => {
      const start = startOfLine(text, place);
      const isKnown = known.start <= start && (text === knownText || startsWith(text, knownText.slice(0, known.start)));
      if (!isKnown) [known, isTable] = [firstLine, false];
      knownText = text;
      while (known.start < start) next(text, start);
      return known;
    },
    /** Whether there is no table in the beginning of the last text. */
    hasNoTable: (text: string): boolean => !isTable && startsWith(knownText, text),
    /** The beginning of the last text was replaced by one after which its other lines continue as before. */
    replaced: (text: string, by: string): void => {
      if (known.start < text.length || !startsWith(knownText, text)) return;
      knownText = by + knownText.slice(text.length);
      known = { ...known, start: known.start + by.length - text.length };
    },
  };
};

/** The end of a cell's content, without space and marks after it. */
const endOfContent = (cell: string): number => {
  let end = cell.length;
  while (end > 0 && /[\s"'`*]/.test(cell[end - 1] ?? '')) end -= 1;
  return end;
};
