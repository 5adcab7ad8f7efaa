import { isDeepStrictEqual } from 'node:util';

/** A value that the two classes do not have in common. A missing value is `undefined`. */
export interface Difference {
  readonly path: string;
  readonly stock: unknown;
  readonly ours: unknown;
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

/** The kind of an item, by which lists of different lengths are aligned. */
const kindOf = (item: unknown): string => {
  if (!isObject(item)) return JSON.stringify(item) ?? '';
  const { type, name, role, content } = item;
  return JSON.stringify([type, name, role, role === undefined ? undefined : content]);
};

/** The length of the longest common sequence of kinds from each pair of positions on. */
const commonLengths = (stock: readonly string[], ours: readonly string[]): number[][] => {
  const table = Array.from({ length: stock.length + 1 }, () => Array<number>(ours.length + 1).fill(0));
  const at = (row: number, column: number) => table[row]?.[column] ?? 0;
  for (let row = stock.length - 1; row >= 0; row -= 1)
    for (let column = ours.length - 1; column >= 0; column -= 1) {
      const isSame = stock[row] === ours[column];
      const length = isSame ? at(row + 1, column + 1) + 1 : Math.max(at(row + 1, column), at(row, column + 1));
      (table[row] ?? [])[column] = length;
    }
  return table;
};

const inLists = (stock: readonly unknown[], ours: readonly unknown[], path: string): Difference[] => {
  const kinds = [stock.map(kindOf), ours.map(kindOf)] as const;
  const common = commonLengths(...kinds);
  const inPlace = kinds[0].filter((kind, index) => kind === kinds[1][index]).length;
  if (stock.length === ours.length && inPlace >= (common[0]?.[0] ?? 0))
    return stock.flatMap((value, index) => differences(value, ours[index], `${path}[${index}]`));
  return aligned(stock, ours, path);
};

/** The differences of two lists whose items are paired by their kinds. */
const aligned = (stock: readonly unknown[], ours: readonly unknown[], path: string): Difference[] => {
  const kinds = [stock.map(kindOf), ours.map(kindOf)] as const;
  const common = commonLengths(...kinds);
  const found: Difference[] = [];
  for (let row = 0, column = 0; row < stock.length || column < ours.length;) {
    const place = `${path}[${row}]`;
    if (row < stock.length && column < ours.length && kinds[0][row] === kinds[1][column])
      found.push(...differences(stock[row++], ours[column++], place));
    else if (column >= ours.length || (common[row + 1]?.[column] ?? -1) >= (common[row]?.[column + 1] ?? 0))
      found.push({ path: place, stock: stock[row++], ours: undefined });
    else found.push({ path: place, stock: undefined, ours: ours[column++] });
  }
  return found;
};

/** All differences of two plain values. */
export const differences = (stock: unknown, ours: unknown, path = ''): Difference[] => {
  if (Array.isArray(stock) && Array.isArray(ours)) return inLists(stock, ours, path);
  if (isObject(stock) && isObject(ours) && Array.isArray(stock) === Array.isArray(ours)) {
    const names = new Set([...Object.keys(stock), ...Object.keys(ours)]);
    return [...names].flatMap((name) => differences(stock[name], ours[name], `${path}.${name}`));
  }
  return isDeepStrictEqual(stock, ours) ? [] : [{ path, stock, ours }];
};
