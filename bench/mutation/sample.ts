import { createHash } from 'node:crypto';
import { basename } from 'node:path';

/** The fields that distinguish one change of a file from another. */
export interface Change {
  readonly location: { readonly start: Point; readonly end: Point };
  readonly mutatorName: string;
  readonly replacement?: string | undefined;
}

interface Point {
  readonly line: number;
  readonly column: number;
}

/** Whether this change is one in `every`: as good as random, and the same each time while the file is unchanged. */
export const isInSample = (
  file: string,
  { location: { start, end }, mutatorName, replacement }: Change,
  every: number,
): boolean => {
  const place = [basename(file), start.line, start.column, end.line, end.column, mutatorName, replacement];
  return createHash('sha256').update(JSON.stringify(place)).digest().readUInt32BE() < 2 ** 32 / every;
};

/** The 95 % confidence interval of the whole's share, for `noticed` of `total`: Wilson's interval. */
export const wilson = (noticed: number, total: number): readonly [low: number, high: number] => {
  const z = 1.96;
  const share = noticed / total;
  const spread = z * Math.sqrt((share * (1 - share)) / total + z ** 2 / (4 * total ** 2));
  const [middle, scale] = [share + z ** 2 / (2 * total), 1 + z ** 2 / total];
  return [(middle - spread) / scale, (middle + spread) / scale];
};
