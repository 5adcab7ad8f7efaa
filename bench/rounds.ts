import { fork } from 'node:child_process';
import type { BenchCase, Cost, Effort } from './case.js';
import type { Task } from './run-case.js';

const childOptions = ['--experimental-transform-types', '--disable-warning=ExperimentalWarning', '--expose-gc'];

/** Does a task in a process of its own, so that no case inherits another's heap or compiled code. */
export const inChild = <Result>(task: Task): Promise<Result> =>
  new Promise((resolve, reject) => {
    const child = fork(new URL('child.ts', import.meta.url), { execArgv: childOptions, serialization: 'advanced' });
    child.once('message', (result) => resolve(result as Result));
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`The process for "${task.name}" ended with ${code} and no result.`)));
    child.send(task);
  });

export interface Rounds {
  readonly rounds: number;
  readonly effort: Effort;
  /** Told of each case as it begins. */
  readonly onCase?: (name: string, round: number) => void;
}

/**
 * Measures all cases round after round, so that whatever disturbs the machine for a while disturbs them all. Every other round
 * goes backwards.
 */
export const measureRounds = async (cases: readonly BenchCase[], { rounds, effort, onCase }: Rounds): Promise<Cost[]> => {
  const costs: Cost[] = [];
  for (let round = 0; round < rounds; round += 1)
    for (const { name } of round % 2 === 0 ? cases : cases.toReversed()) {
      onCase?.(name, round);
      costs.push(...(await inChild<Cost[]>({ kind: 'case', name, effort })));
    }
  return costs;
};
