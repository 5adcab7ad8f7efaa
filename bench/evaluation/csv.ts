/** The rows of a table in CSV, without its head. */
export const rowsOf = (csv: string): string[][] => {
  const rows: string[][] = [[]];
  for (const [, quoted, plain = '', end] of csv.matchAll(/(?:"([^"]*(?:""[^"]*)*)"|([^,\n"]*))(,|\r?\n|$)/g)) {
    rows.at(-1)?.push(quoted?.replaceAll('""', '"') ?? plain);
    if (end !== ',') rows.push([]);
  }
  return rows.slice(1).filter((row) => row.length > 1);
};
