import { setImmediate as turn } from 'node:timers/promises';
import { strictest, type Stop } from '../../verdict.js';

/** A branch's place in a block that is running. */
export interface BranchSlot {
  /** Aborted when a sibling blocks. */
  readonly signal: AbortSignal;
  /** Fulfilled when a sibling blocks: the branch need not end by itself. */
  readonly dismissed: Promise<void>;
  /** Whether a sibling has blocked. */
  isDismissed(): boolean;
  /** Says that the branch ended and was not stopped, or was dismissed. */
  leave(): void;
  /** Says that the branch was stopped. Gives what it has to do about that, as soon as it is known which stop counts. */
  stop(stop: Stop): Promise<Orders>;
}

/**
 * What a stopped branch has to do: throw the stop that counts, because it is its own; leave it to the sibling whose it is; or,
 * where not all branches run here, hand its own stop on to the merge, which sees them all.
 */
type Orders = { readonly kind: 'throw'; readonly stop: Stop } | { readonly kind: 'leave' } | { readonly kind: 'hand-on' };

/** Coordinates the branches of one block, run by run. */
export interface BlockCoordinator {
  /** Takes a branch's place among all that run with it. */
  enter(runId: string, place: { readonly slot: string; readonly slots: number }): BranchSlot;
  /** Forgets a run's coordinator. */
  close(runId: string): void;
}

/**
 * Creates the coordinator of one block. An engine starts its branches one by one and waits for all of them; the coordinator
 * passes a block in one branch on to the others. It does not wait for branches that run elsewhere.
 */
export const createBlockCoordinator = (): BlockCoordinator => {
  const open = new Map<string, RunCoordinator>();
  return {
    enter: (runId, { slot, slots }) => {
      const known = open.get(runId);
      const coordinator = known && !known.has(slot) ? known : createRunCoordinator(slots);
      open.set(runId, coordinator);
      return coordinator.take(slot, () => {
        if (open.get(runId) === coordinator) open.delete(runId);
      });
    },
    close: (runId) => void open.delete(runId),
  };
};

interface RunCoordinator {
  has(slot: string): boolean;
  /** `onEmpty` is called when the last of all branches has left. */
  take(slot: string, onEmpty: () => void): BranchSlot;
}

const createRunCoordinator = (slots: number): RunCoordinator => {
  const controller = new AbortController();
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
  const note = (slot: string, stop: Stop | undefined, onEmpty: () => void) => {
    done.set(slot, stop);
    if (done.size === slots) onEmpty();
  };
  /** Which stop counts: a block at once, anything else when all have ended. */
  const counting = async (stop: Stop): Promise<Stop | undefined> => {
    await turn(); // also collects the branches that are equally fast, in whichever order the engine started them
    if (stop.kind === 'trip' || done.size === slots) decide();
    isHandedOn ||= present.size < slots; // from then on the merge has to see all of them
    return isHandedOn ? undefined : decision.promise;
  };
  return {
    has: (slot) => present.has(slot),
    take: (slot, onEmpty) => {
      present.add(slot);
      return {
        signal: controller.signal,
        dismissed: dismissal.promise,
        isDismissed: () => blocked,
        leave: () => {
          note(slot, undefined, onEmpty);
          if (done.size === slots) decide();
        },
        stop: async (own) => {
          note(slot, own, onEmpty);
          const stop = await counting(own);
          if (!stop) return { kind: 'hand-on' };
          return isSameAuthor(stop, own) ? { kind: 'throw', stop } : { kind: 'leave' };
        },
      };
    },
  };
};

const isSameAuthor = (a: Stop, b: Stop): boolean => a.processorId === b.processorId && a.path === b.path;
