import type { Durable } from './journal.js';

/**
 * What an engine that keeps the steps of a run by their order keeps of it beside them: the parts of the step under way, and how many
 * processes have died of it.
 */
export interface Ledger {
  /** What a part gave; nothing where none was kept. */
  find(part: string): Promise<string | undefined>;
  /** Keeps what a part gave. Raises {@link TakenOver} where another process has kept it. */
  keep(part: string, text: string): Promise<void>;
  /** A process begins to go on with the run where `steps` of it are kept; gives how many have died of it there. */
  noteLife(steps: number): Promise<number>;
  /** The process did not die of it: it was interrupted. */
  noteSurvival(): Promise<void>;
}

export interface InParts {
  readonly ledger: Ledger;
  /** The step that the parts are of. */
  readonly step: string;
  readonly canceled: AbortSignal;
  /** Aborted once the run is no longer this process's: what was at work then was told to give up, and is not kept. */
  readonly over: AbortSignal;
}

/** The inside of a step: its parts are kept in the ledger. They may go on side by side, and have parts themselves. */
export const inParts = ({ ledger, step, canceled, over }: InParts): Durable => ({
  step: async (key, run) => {
    const part = `${step} ${key}`;
    const known = await ledger.find(part);
    if (known !== undefined) return known;
    const text = await run(inParts({ ledger, step: part, canceled, over }));
    over.throwIfAborted();
    await ledger.keep(part, text);
    return text;
  },
  canceled,
});

/** Another process goes on with the run by now. */
export class TakenOver extends Error {
  override readonly name = 'TakenOver';

  constructor() {
    super('Another process has taken the run over.');
  }
}

/** Too many processes have died of a run, one after another, none of them a step further than the one before. */
export class DeadlyRun extends Error {
  override readonly name = 'DeadlyRun';

  constructor(deaths: number) {
    super(`${deaths} processes have died of it at the same place.`);
  }
}

/** Notes that a process goes on with a run, once, where its first step here begins. Raises {@link DeadlyRun}. */
export const noteLifeIn = (ledger: Ledger, maxDeaths: number): ((steps: number) => Promise<void>) => {
  let isNoted = false;
  return async (steps) => {
    if (isNoted) return;
    isNoted = true;
    const deaths = await ledger.noteLife(steps);
    if (deaths >= maxDeaths) throw new DeadlyRun(deaths);
  };
};
