import type { Run } from './run.js';

/** What keeps a run while it goes on, where anything does. */
export interface Journal {
  /**
   * A stretch of the run. What it came to is kept with what it changed of the run: where it was kept, the run is made what it was then,
   * and nothing is done again.
   */
  stretch<T>(run: Run, key: string, body: () => Promise<T>): Promise<T>;
  /** A part of the stretch under way whose effect is not to be had twice. What it came to is kept; it changes nothing of the run. */
  part<T>(key: string, body: () => Promise<T>): Promise<T>;
  /** Whether a stretch may end where the run is now. */
  mayEnd(run: Run): boolean;
  /** Makes the run what was kept of it, before anybody looks at it. */
  catchUp(run: Run): void;
}

/** A run that lives as long as its process. */
export const noJournal: Journal = {
  stretch: (_run, _key, body) => body(),
  part: (_key, body) => body(),
  mayEnd: () => true,
  catchUp: () => undefined,
};
