import { setImmediate as turn } from 'node:timers/promises';
import { strictest, type Stop } from '../../verdict.js';

/**
 * The orders for a stopped branch: throw the effective stop, if it is its own; leave that to the sibling that owns it; or, if not
 * all branches run here, pass its own stop to the merge, which gets all of them.
 */
type Orders = { readonly kind: 'throw'; readonly stop: Stop } | { readonly kind: 'leave' } | { readonly kind: 'hand-on' };

/** Coordinates the branches of one block, for each run. */
export type BlockCoordinator = ReturnType<typeof createBlockCoordinator>;

/**
 * Creates the coordinator of one block. An engine starts its branches one by one and waits for all of them; the coordinator
 * passes a block in one branch on to the others. It does not wait for branches that run elsewhere.
 *
 * @param depth the number of blocks inside each other, this one included: a stop of an inner one arrives later
 */
export const createBlockCoordinator = (depth: number) => {
  const open = new Map<string, RunCoordinator>();
  return {
    /** Takes a branch's slot among all parallel branches. */
    enter: (runId: string, { slot, slots }: { readonly slot: string; readonly slots: number }) => {
      const known = open.get(runId);
      const coordinator = known && !known.has(slot) ? known : createRunCoordinator(slots, 2 ** (depth - 1));
      open.set(runId, coordinator);
      return coordinator.take(slot, () => {
        if (open.get(runId) === coordinator) open.delete(runId);
      });
    },
    /** Removes a run's coordinator. */
    close: (runId: string) => void open.delete(runId),
  };
};

type RunCoordinator = ReturnType<typeof createRunCoordinator>;

const createRunCoordinator = (slots: number, turns: number) => {
  const controller = new AbortController();
  const signal: AbortSignal = controller.signal;
  const dismissal = Promise.withResolvers<void>();
  const decision = Promise.withResolvers<Stop | undefined>();
  const present = new Set<string>();
  const done = new Map<string, Stop | undefined>();
  let blocked = false;
  let isHandedOn = false;
  const decide = () => {
    const stop = strictest([...done.values()]);
    blocked ||= stop?.kind === 'trip';
    decision.resolve(stop);
    if (stop?.kind !== 'trip') return;
    controller.abort(new DOMException(`${stop.processorId} blocked.`, 'AbortError'));
    dismissal.resolve();
  };
  const record = (slot: string, stop: Stop | undefined, onEmpty: () => void) => {
    done.set(slot, stop);
    if (done.size === slots) onEmpty();
  };
  /** The effective stop: a block at once, any other when all branches have ended. */
  const counting = async (stop: Stop): Promise<Stop | undefined> => {
    for (let waited = 0; waited < turns; waited += 1) await turn(); // also collects equally fast branches, in any order of start
    if (stop.kind === 'trip' || done.size === slots) decide();
    isHandedOn ||= present.size < slots; // from then on the merge needs all of them
    return isHandedOn ? undefined : decision.promise;
  };
  return {
    has: (slot: string) => present.has(slot),
    /** `onEmpty` is called when the last of all branches has left. */
    take: (slot: string, onEmpty: () => void) => {
      present.add(slot);
      return {
        /** Aborted when a sibling blocks. */
        signal,
        /** Fulfilled when a sibling blocks. The branch need not end by itself then. */
        dismissed: dismissal.promise,
        /** True if a sibling has blocked. */
        isDismissed: () => blocked,
        /** Reports that the branch ended without a stop, or was dismissed. */
        leave: () => {
          record(slot, undefined, onEmpty);
          if (done.size === slots) decide();
        },
        /** Reports that the branch was stopped. Resolves to its orders once the effective stop is known. */
        stop: async (own: Stop): Promise<Orders> => {
          record(slot, own, onEmpty);
          const stop = await counting(own);
          if (!stop) return { kind: 'hand-on' };
          return isSameAuthor(stop, own) ? { kind: 'throw', stop } : { kind: 'leave' };
        },
      };
    },
  };
};

const isSameAuthor = (a: Stop, b: Stop): boolean => a.processorId === b.processorId && a.path === b.path;
