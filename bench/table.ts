import Table from 'cli-table3';

/** Rows of figures under a head; the first column names what is measured. */
export interface FigureTable {
  /** What the table is told as; the page has a place of this name. */
  readonly id: string;
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** A figure, or nothing where it was not measured. */
export const number = (value: number | undefined, digits = 2): string =>
  value === undefined || Number.isNaN(value) ? '' : value.toFixed(digits);

/** Two or three digits that count. */
export const brief = (value: number | undefined): string => {
  if (value === undefined || Number.isNaN(value)) return '';
  const size = Math.abs(value);
  return value.toFixed(size >= 100 ? 0 : size >= 10 ? 1 : size >= 0.1 ? 2 : 4);
};

/** As a terminal shows it. */
export const tableOf = (head: readonly string[], rows: readonly (readonly string[])[]): string => {
  const table = new Table({
    head: [...head],
    colAligns: head.map((_, index) => (index === 0 ? 'left' : 'right')),
    style: { head: [], border: [], compact: true },
  });
  table.push(...rows.map((row) => [...row]));
  return table.toString();
};

/** As a page has it. */
export const markdownOf = ({ head, rows }: FigureTable): string => {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map((_, index) => (index === 0 ? '---' : '---:'))), ...rows.map(line)].join('\n');
};
