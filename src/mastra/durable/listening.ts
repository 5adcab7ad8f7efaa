import type { Board, ProgramRuns } from '../../durable/journal.js';
import { InterlockError } from '../../errors.js';
import type { Chunk } from '../../loop/ports.js';
import { readEnd, type KeptCall, type KeptEnd } from './kept-sitting.js';
import type { Seats } from './seats.js';
import type { DurableAgent } from './set-up.js';
import { createHearing, createStepsHeard, type Told } from './told.js';

/** What an agent's runs on an engine are looked after with. */
export interface Keeping {
  readonly parts: DurableAgent;
  readonly seats: Seats;
  readonly runs: ProgramRuns;
  readonly board: Board;
}

/** A sitting of a run; its id is the engine's. */
export interface SittingOf {
  readonly runId: string;
  readonly number: number;
  readonly id: string;
}

/** How long it is waited between two looks at a run that goes on elsewhere. */
export const lookAgainMs = 50;

export const pause = (): Promise<unknown> => new Promise((resolve) => setTimeout(resolve, lookAgainMs));

/** Somebody who listens to a run from its beginning, to the end of one of its sittings. */
export interface Listening {
  /** The number of that sitting. */
  readonly number: number;
  /** What was heard and not yet taken. */
  readonly told: Told[];
  /** Gives a chunk the steps back that were heard before it. */
  readonly withSteps: (chunk: Chunk) => Chunk;
  /** Who has taken the run up, one after the other. */
  readonly lives: readonly string[];
  /** The call of the sitting, as soon as it is told. */
  readonly call: KeptCall | undefined;
  /** Looks and listens; gives what the sitting ended with, once it has. */
  again(): Promise<KeptEnd | undefined>;
  /** Looks and listens; says whether the sitting has begun anywhere, or has ended. */
  isTold(): Promise<boolean>;
}

export const listen = (keeping: Keeping, { runId, number, id }: SittingOf): Listening => {
  const hearing = createHearing();
  const told: Told[] = [];
  let end: KeptEnd | undefined;
  const again = async (): Promise<KeptEnd | undefined> => {
    end ??= await look(keeping, id); // first, so that everything is heard that was told before the end
    told.push(...hearing.take(await keeping.board.read(runId, hearing.place)));
    return end;
  };
  return {
    number,
    told,
    withSteps: createStepsHeard(),
    lives: hearing.lives,
    get call() {
      return end ? end.call : hearing.opened?.call;
    },
    again,
    isTold: async () => (await again()) !== undefined || hearing.opened?.sitting === number,
  };
};

/** What a sitting ended with; nothing while it goes on. */
export const look = async ({ runs }: Pick<Keeping, 'runs'>, id: string): Promise<KeptEnd | undefined> => {
  const found = await runs.find(id);
  switch (found.kind) {
    case 'running':
      return undefined;
    case 'ended':
      return readEnd(found.output);
    case 'absent':
      throw new InterlockError('durable/no-run', { path: id });
    case 'lost':
      throw new InterlockError('durable/lost-run', { path: id, detail: found.reason });
    default:
      return found satisfies never;
  }
};
