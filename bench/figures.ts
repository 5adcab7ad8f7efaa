import type { Cost } from './case.js';

/** A size of a case over all rounds: medians, and how far the rounds lie apart. */
export interface Figure extends Cost {
  /** The largest CPU time over the smallest. */
  readonly spread: number;
  readonly rounds: number;
}

/** Figures by name and size. */
export interface Figures {
  readonly all: readonly Figure[];
  /** CPU microseconds per unit; undefined where it was not measured. */
  cpu(name: string, size: number): number | undefined;
  /** How many times the CPU time of `than` is `name`'s. */
  ratio(name: string, than: string, size: number): number | undefined;
}

const median = (values: readonly number[]): number => {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const [low, high] = [sorted[middle - 1] ?? 0, sorted[middle] ?? 0];
  return sorted.length % 2 === 1 ? high : (low + high) / 2;
};

const key = ({ name, size }: Pick<Cost, 'name' | 'size'>): string => `${name}/${size}`;

/** Puts the rounds together. */
export const toFigures = (costs: readonly Cost[]): Figures => {
  const groups = new Map<string, Cost[]>();
  for (const cost of costs) groups.set(key(cost), [...(groups.get(key(cost)) ?? []), cost]);
  const all = [...groups.values()].map((group): Figure => {
    const [{ name, size }] = group as [Cost]; // a group has at least one
    const cpu = group.map(({ cpuUs }) => cpuUs);
    return {
      name,
      size,
      cpuUs: median(cpu),
      wallUs: median(group.map(({ wallUs }) => wallUs)),
      spread: Math.max(...cpu) / Math.min(...cpu),
      rounds: group.length,
    };
  });
  const byKey = new Map(all.map((figure) => [key(figure), figure]));
  const cpu = (name: string, size: number) => byKey.get(key({ name, size }))?.cpuUs;
  return {
    all,
    cpu,
    ratio: (name, than, size) => {
      const [own, other] = [cpu(name, size), cpu(than, size)];
      return own === undefined || other === undefined ? undefined : own / other;
    },
  };
};

/** The line through total cost over size: what a run costs before its first unit, and what each unit adds. */
export const fitLine = (figures: readonly Figure[]): { fixedUs: number; perUnitUs: number } => {
  const points = figures.map(({ size, cpuUs }) => ({ x: size, y: cpuUs * size }));
  const mean = (pick: (point: { x: number; y: number }) => number) =>
    points.reduce((sum, point) => sum + pick(point), 0) / points.length;
  const [mx, my] = [mean(({ x }) => x), mean(({ y }) => y)];
  const perUnitUs = mean(({ x, y }) => (x - mx) * (y - my)) / mean(({ x }) => (x - mx) ** 2);
  return { fixedUs: my - perUnitUs * mx, perUnitUs };
};
