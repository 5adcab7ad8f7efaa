import Table from 'cli-table3';

/** A figure, or nothing where it was not measured. */
export const number = (value: number | undefined, digits = 2): string =>
  value === undefined || Number.isNaN(value) ? '' : value.toFixed(digits);

/** Rows under a head; all columns but the first are figures. */
export const tableOf = (head: string[], rows: string[][]): string => {
  const table = new Table({
    head,
    colAligns: head.map((_, index) => (index === 0 ? 'left' : 'right')),
    style: { head: [], border: [], compact: true },
  });
  table.push(...rows);
  return table.toString();
};
