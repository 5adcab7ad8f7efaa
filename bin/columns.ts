/** Rows as lines, each column as wide as its widest cell; all columns but the first are right-aligned. */
export const columns = (rows: readonly (readonly string[])[]): string[] => {
  const widths = (rows[0] ?? []).map((_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0)));
  return rows.map((row) =>
    row.map((cell, at) => (at === 0 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0))).join('  '),
  );
};

/** A share as a percentage. */
export const percent = (share: number | undefined): string => (share === undefined ? 'n/a' : `${(share * 100).toFixed(1)} %`);
