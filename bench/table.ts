/** Rows of figures under a head; the first column names the measured subject. */
export interface FigureTable {
  /** The name of the table's section in the page. */
  readonly id: string;
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** A formatted figure; empty if it was not measured. */
export const number = (value: number | undefined, digits = 2): string =>
  value === undefined || Number.isNaN(value) ? '' : value.toFixed(digits);

/** A number with two or three significant digits. */
export const brief = (value: number | undefined): string => {
  if (value === undefined || Number.isNaN(value)) return '';
  const size = Math.abs(value);
  return value.toFixed(size >= 100 ? 0 : size >= 10 ? 1 : size >= 0.1 ? 2 : 4);
};

/** The table as text for a terminal. */
export const tableOf = (head: readonly string[], rows: readonly (readonly string[])[]): string => {
  const widths = head.map((name, at) => Math.max(name.length, ...rows.map((row) => row[at]?.length ?? 0)));
  const cell = (text: string, at: number): string => (at === 0 ? text.padEnd(widths[at] ?? 0) : text.padStart(widths[at] ?? 0));
  return [head, ...rows].map((row) => row.map(cell).join('  ').trimEnd()).join('\n');
};

/** The table as Markdown for a page. */
export const markdownOf = ({ head, rows }: FigureTable): string => {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map((_, index) => (index === 0 ? '---' : '---:'))), ...rows.map(line)].join('\n');
};
/** Fills a marked place of a page; the surrounding text is written by hand. */
export const filled = (text: string, id: string, content: string): string => {
  const [open, close] = [`<!-- bench:${id} -->`, `<!-- /bench:${id} -->`];
  const [from, to] = [text.indexOf(open), text.indexOf(close)];
  if (from < 0 || to < from) throw new Error(`The page has no place for "${id}".`);
  return `${text.slice(0, from)}${open}\n\n${content}\n\n${text.slice(to)}`;
};
