import { fork } from 'node:child_process';
import { join } from 'node:path';
import type { BenchCase, Cost, Effort } from './case.js';
import { emitted } from './emit.js';
import type { Task } from './tasks.js';

/** Does a task in a process of its own, so that nobody inherits another's heap or compiled code. */
export const inChild = <Result>(task: Task): Promise<Result> =>
  new Promise((resolve, reject) => {
    const child = fork(join(emitted, 'bench/child.js'), { execArgv: ['--expose-gc'], serialization: 'advanced' });
    child.once('message', (result) => resolve(result as Result));
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`The process for ${JSON.stringify(task)} ended with ${code} and no result.`)));
    child.send(task);
  });

export interface Rounds {
  readonly rounds: number;
  readonly effort: Effort;
  /** Told of each case as it begins. */
  readonly onCase?: (name: string, round: number) => void;
}

/** The cases of each process, by its name. */
const processesOf = (cases: readonly BenchCase[]): [string, string[]][] => {
  const processes = new Map<string, string[]>();
  for (const { name, process = name } of cases) processes.set(process, [...(processes.get(process) ?? []), name]);
  return [...processes];
};

/**
 * Measures all cases round after round, so that whatever disturbs the machine for a while disturbs them all. Every other round
 * goes backwards.
 */
export const measureRounds = async (cases: readonly BenchCase[], { rounds, effort, onCase }: Rounds): Promise<Cost[]> => {
  const costs: Cost[] = [];
  const processes = processesOf(cases);
  for (let round = 0; round < rounds; round += 1)
    for (const [process, names] of round % 2 === 0 ? processes : processes.toReversed()) {
      onCase?.(process, round);
      costs.push(...(await inChild<Cost[]>({ kind: 'cases', names, effort })));
    }
  return costs;
};
