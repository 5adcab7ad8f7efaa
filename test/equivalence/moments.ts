import { setImmediate as turn } from 'node:timers/promises';

/** Time that passes only when nothing else happens: a waiter for an earlier moment continues before waiters for later ones. */
export interface Moments {
  /** Waits for a moment. */
  until(moment: number): Promise<void>;
  /** Lets time pass until some work is done. */
  during<T>(work: Promise<T>): Promise<T>;
}

interface Waiter {
  readonly moment: number;
  readonly wake: () => void;
}

/** Turns of the event loop after which no more is expected to happen. An engine needs some between its steps. */
const quiet = 12;

/** Makes a separate clock for one run. */
export const createMoments = (): Moments => {
  let waiting: Waiter[] = [];
  let arrivals = 0;
  const wakeNext = (): void => {
    const next = Math.min(...waiting.map(({ moment }) => moment));
    const due = waiting.filter(({ moment }) => moment === next);
    waiting = waiting.filter(({ moment }) => moment !== next);
    for (const { wake } of due) wake();
  };
  return {
    until: (moment) => {
      arrivals += 1;
      return new Promise((wake) => void waiting.push({ moment, wake }));
    },
    during: async (work) => {
      let isDone = false;
      const end = () => {
        isDone = true;
      };
      work.then(end, end);
      let still = 0;
      for (let seen = arrivals; !isDone; seen = arrivals) {
        await turn();
        still = seen === arrivals ? still + 1 : 0;
        if (still < quiet || waiting.length === 0) continue;
        still = 0;
        wakeNext();
      }
      return work;
    },
  };
};
