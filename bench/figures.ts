import type { Cost } from './case.js';

/** A size of a case over all rounds. */
export interface Figure extends Cost {
  /** The upper quartile of the CPU time over the lower. */
  readonly spread: number;
  readonly samples: number;
}

/** Figures by name and size. */
export interface Figures {
  readonly all: readonly Figure[];
  /** CPU microseconds per unit; undefined where it was not measured. */
  cpu(name: string, size: number): number | undefined;
  /** How many times the CPU time of `than` is `name`'s. */
  ratio(name: string, than: string, size: number): number | undefined;
}

const quantile = (values: readonly number[], part: number): number => {
  const sorted = values.toSorted((a, b) => a - b);
  const at = part * (sorted.length - 1);
  const [low, high] = [sorted[Math.floor(at)] ?? NaN, sorted[Math.ceil(at)] ?? NaN];
  return low + (high - low) * (at - Math.floor(at));
};

export const median = (values: readonly number[]): number => quantile(values, 0.5);

/** Whatever else a machine does only adds to the time of a sample. */
export const lowest = (values: readonly number[]): number => Math.min(...values);

const key = ({ name, size }: Pick<Cost, 'name' | 'size'>): string => `${name}/${size}`;

/** Puts the samples of all rounds together. */
export const toFigures = (costs: readonly Cost[], pick = median): Figures => {
  const groups = new Map<string, Cost[]>();
  for (const cost of costs) groups.set(key(cost), [...(groups.get(key(cost)) ?? []), cost]);
  const all = [...groups.values()].map((group): Figure => {
    const [{ name, size }] = group as [Cost]; // a group has at least one
    const cpu = group.map(({ cpuUs }) => cpuUs);
    return {
      name,
      size,
      cpuUs: pick(cpu),
      wallUs: pick(group.map(({ wallUs }) => wallUs)),
      spread: quantile(cpu, 0.75) / quantile(cpu, 0.25),
      samples: group.length,
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
