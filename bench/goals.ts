import type { Figures } from './figures.js';

/** A promise about cost, and what was measured. */
export interface Goal {
  readonly says: string;
  /** The figure that is compared; undefined where this run did not measure it. */
  readonly measured: number | undefined;
  readonly atMost: number;
  readonly unit: string;
}

const chunkGoals = ({ cpu, ratio }: Figures): Goal[] => {
  const size = 8_000;
  const net = (name: string): number => (cpu(`chunk ${name}`, size) ?? NaN) - (cpu('chunk read only', size) ?? NaN);
  const grows = (name: string): number => (cpu(name, size) ?? NaN) / (cpu(name, 2_000) ?? NaN);
  const times = 'x';
  return [
    { says: 'plan with 3 stream guards against the plain loop', measured: ratio('chunk plan 3', 'chunk plain loop 3', size), atMost: 2, unit: times },
    { says: 'the same, without what reading the stream costs', measured: net('plan 3') / net('plain loop 3'), atMost: 2, unit: times },
    { says: 'agent with 3 guards against Mastra with an array', measured: ratio('chunk interlock array 3', 'chunk mastra array 3', size), atMost: 1 / 5, unit: times },
    { says: 'the same guards as a pipeline', measured: ratio('chunk interlock pipeline 3', 'chunk mastra array 3', size), atMost: 1 / 5, unit: times },
    { says: 'agent with 3 guards per chunk', measured: cpu('chunk interlock array 3', size), atMost: 4, unit: 'us' },
    { says: 'cost per chunk at 8,000 against 2,000', measured: grows('chunk interlock array 3'), atMost: 1.5, unit: times },
    { says: 'cost per chunk at 16,000 against 2,000', measured: (cpu('chunk interlock array 3', 16_000) ?? NaN) / (cpu('chunk interlock array 3', 2_000) ?? NaN), atMost: 1.5, unit: times },
  ];
};
