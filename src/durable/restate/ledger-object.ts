import { randomUUID } from 'node:crypto';
import { handlers, object, type ObjectContext, type ObjectSharedContext } from '@restatedev/restate-sdk';
import type { Ingress } from '@restatedev/restate-sdk-clients';
import { TakenOver, type Ledger } from '../ledger.js';

/** How many processes have died of a run at one place. */
interface Deaths {
  readonly steps: number;
  readonly count: number;
}

interface PersistedPart {
  readonly text: string;
  /** Who has kept it. */
  readonly by: string;
}

const deathsName = 'deaths';
const partName = (part: string): string => `part ${part}`;

const find = async (context: ObjectSharedContext, part: string): Promise<string | null> =>
  (await context.get<PersistedPart>(partName(part)))?.text ?? null;

/** Gives whether it is kept by whoever asks for it: the first who does. */
const keep = async (
  context: ObjectContext,
  { part, ...persisted }: PersistedPart & { readonly part: string },
): Promise<boolean> => {
  const known = await context.get<PersistedPart>(partName(part));
  if (known === null) context.set<PersistedPart>(partName(part), persisted);
  return known === null || known.by === persisted.by;
};

const noteLife = async (context: ObjectContext, steps: number): Promise<number> => {
  const before = await context.get<Deaths>(deathsName);
  const count = before?.steps === steps ? before.count + 1 : 0;
  context.set<Deaths>(deathsName, { steps, count });
  return count;
};

const noteSurvival = async (context: ObjectContext): Promise<void> => {
  const before = await context.get<Deaths>(deathsName);
  if (before) context.set<Deaths>(deathsName, { ...before, count: before.count - 1 });
};

const forget = async (context: ObjectContext): Promise<void> => context.clearAll();

/** A Restate object for each run of a program, with what is kept of it beside its journal. */
export const ledgerObject = (name: string) =>
  object({
    name,
    handlers: { find: handlers.object.shared(find), keep, noteLife, noteSurvival, forget },
    options: { journalRetention: 0 },
  });

export type LedgerObject = ReturnType<typeof ledgerObject>;

/** The ledger of a run, as one attempt at it sees it. */
export const ledgerOf = (ingress: Ingress, ledger: LedgerObject, runId: string): Ledger => {
  const run = ingress.objectClient(ledger, runId);
  const by = randomUUID();
  return {
    find: async (part) => (await run.find(part)) ?? undefined,
    keep: async (part, text) => {
      if (!(await run.keep({ part, text, by }))) throw new TakenOver();
    },
    noteLife: async (steps) => run.noteLife(steps),
    noteSurvival: async () => run.noteSurvival(),
  };
};
