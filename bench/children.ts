import { fork, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { emitted } from './emit.js';
import type { Task } from './tasks.js';

/** What a child is asked. */
export interface Asked {
  readonly task: Task;
}

/** What a child answers. */
export interface Told {
  readonly result: unknown;
  /** CPU time that its process has used so far. */
  readonly cpuMs: number;
}

/** What took too long was given up, and nothing of it is known. */
export interface GivenUp {
  readonly task: string;
  readonly seconds: number;
}

export interface Child {
  /** Does a task; gives nothing where it took too long: then the process is gone, and the next task has a new one. */
  ask<Result>(task: Task): Promise<Result | undefined>;
  /** The process is not needed any more. */
  end(): void;
}

/** What is known of all children of a run. */
export interface Children {
  /** A process of its own for tasks that follow each other, so that nobody else's heap or compiled code is inherited. */
  open(): Child;
  /** One task in a process of its own. */
  once<Result>(task: Task): Promise<Result | undefined>;
  readonly givenUp: readonly GivenUp[];
  /** CPU seconds that the children have used. */
  cpuSeconds(): number;
}

const nameOf = (task: Task): string => ('probe' in task ? `${task.probe} of ${task.name}` : task.name);

/**
 * Makes children that are waited for so long and no longer.
 *
 * @param limitMs the longest time for one task; what was given up once is not asked again
 */
export const createChildren = (limitMs: number): Children => {
  const givenUp: GivenUp[] = [];
  let cpuMs = 0;
  const open = (): Child => {
    let child: ChildProcess | undefined;
    let used = 0;
    const ask = async (task: Task): Promise<unknown> => {
      if (givenUp.some((one) => one.task === nameOf(task))) return undefined;
      child ??= fork(join(emitted, 'bench/child.js'), { execArgv: ['--expose-gc'], serialization: 'advanced' });
      const told = await answerOf(child, task, limitMs);
      if (told) {
        cpuMs += told.cpuMs - used;
        used = told.cpuMs;
        return told.result;
      }
      child.kill('SIGKILL');
      child = undefined;
      used = 0;
      givenUp.push({ task: nameOf(task), seconds: limitMs / 1_000 });
      return undefined;
    };
    return { ask: ask as Child['ask'], end: () => void (child?.connected && child.disconnect()) }; // each task has its result
  };
  return {
    open,
    once: async (task) => {
      const child = open();
      try {
        return await child.ask(task);
      } finally {
        child.end();
      }
    },
    givenUp,
    cpuSeconds: () => cpuMs / 1_000,
  };
};

/** What a child tells of a task; nothing after so long. */
const answerOf = (child: ChildProcess, task: Task, limitMs: number): Promise<Told | undefined> =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(() => done(undefined), limitMs);
    const onMessage = (told: Told) => done(told);
    const onExit = (code: number | null) => {
      clearTimeout(timer);
      reject(new Error(`The process for ${JSON.stringify(task)} ended with ${code} and no result.`));
    };
    const done = (told: Told | undefined) => {
      clearTimeout(timer);
      child.off('message', onMessage).off('exit', onExit);
      resolve(told);
    };
    child.once('message', onMessage).once('exit', onExit);
    child.send({ task } satisfies Asked);
  });
