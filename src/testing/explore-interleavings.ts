import { setImmediate as turn } from 'node:timers/promises';

/** Waits for its turn among the waiting steps of a scenario. */
export type Turn = (label: string) => Promise<void>;

/** One order of a scenario's steps, and its result. */
export interface Interleaving<T> {
  /** The labels, in the order of their turns. */
  readonly order: readonly string[];
  readonly result: T;
}

interface ExploreOptions {
  /** The maximum number of orders, at least 1; more raise an error. Default 10,000. */
  readonly most?: number;
}

/** The number of idle turns of the event loop after which all steps are waiting for their turn. */
const quietTurns = 4;

/**
 * Runs a scenario in every possible order of its steps. Each slow step (a judge, a model, a tool) waits with `await
 * turn('label')`. Once all steps wait, one continues; the scenario runs again for every other choice. Other code in the
 * scenario must not wait for a timer.
 *
 * Throws a `RangeError` if there are more orders than `most`, and an `Error` if a scenario hangs without a waiting step.
 *
 * @example
 * const ways = await exploreInterleavings(async (turn) => {
 *   const agent = agentWith({ judge: async () => turn('verdict'), model: deltas(() => turn('delta')) });
 *   return textOnWire(await agent.stream('Go.'));
 * });
 * expect(new Set(ways.map(({ result }) => result))).toEqual(new Set(['Hello.']));
 */
export const exploreInterleavings = async <T>(
  scenario: (turn: Turn) => Promise<T>,
  { most = 10_000 }: ExploreOptions = {},
): Promise<Interleaving<T>[]> => {
  const found: Interleaving<T>[] = [];
  for (let path: readonly number[] | undefined = []; path;) {
    if (found.length >= most) throw new RangeError(`The scenario has more than ${most} interleavings; make it smaller.`);
    const walked = await walk(scenario, path);
    found.push(walked.way);
    path = nextPath(walked.choices);
  }
  return found;
};

/** The index of the released step, and the number of waiting steps. */
interface Choice {
  readonly chosen: number;
  readonly of: number;
}

const walk = async <T>(
  scenario: (turn: Turn) => Promise<T>,
  path: readonly number[],
): Promise<{ way: Interleaving<T>; choices: Choice[] }> => {
  const waiting: { label: string; resume(): void }[] = [];
  const order: string[] = [];
  const choices: Choice[] = [];
  let isDone = false;
  const running = scenario((label) => new Promise((resolve) => waiting.push({ label, resume: resolve }))).finally(
    () => (isDone = true),
  );
  running.catch(() => undefined); // the await below reports the error
  for (;;) {
    for (let quiet = 0; quiet < quietTurns && !isDone; quiet += 1) await turn();
    if (isDone) return { way: { order, result: await running }, choices };
    const chosen = path[choices.length] ?? 0;
    choices.push({ chosen, of: waiting.length });
    const [next] = waiting.splice(chosen, 1);
    if (!next) throw new Error(`The scenario hangs after ${order.join(', ') || 'its start'}.`);
    order.push(next.label);
    next.resume();
  }
};

/** The next untried path: it changes the last choice that has another option. */
const nextPath = (choices: readonly Choice[]): number[] | undefined => {
  const last = choices.findLastIndex(({ chosen, of }) => chosen + 1 < of);
  if (last === -1) return undefined;
  return choices.slice(0, last + 1).map(({ chosen }, index) => (index === last ? chosen + 1 : chosen));
};
