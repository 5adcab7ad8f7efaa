import type { BenchCase, Cost, Effort } from './case.js';
import type { Children } from './children.js';

export interface Round {
  /** From 0. */
  readonly round: number;
  readonly effort: Effort;
  /** Told of each process as it begins. */
  readonly onProcess: (name: string) => void;
}

/** The cases of each process, by its name. */
const processesOf = (cases: readonly BenchCase[]): [string, string[]][] => {
  const processes = new Map<string, string[]>();
  for (const { name, process = name } of cases) processes.set(process, [...(processes.get(process) ?? []), name]);
  return [...processes];
};

/**
 * Measures all cases once. Whatever disturbs the machine for a while disturbs them all, for every other round goes backwards.
 */
export const measureRound = async (
  children: Children,
  cases: readonly BenchCase[],
  { round, effort, onProcess }: Round,
): Promise<Cost[]> => {
  const costs: Cost[] = [];
  const processes = processesOf(cases);
  for (const [process, names] of round % 2 === 0 ? processes : processes.toReversed()) {
    onProcess(process);
    const child = children.open();
    for (const name of names) costs.push(...((await child.ask<Cost[]>({ kind: 'case', name, effort })) ?? []));
    child.end();
  }
  return costs;
};
