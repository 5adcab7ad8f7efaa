import { afterAll, vi } from 'vitest';

/** Test files of one project share a process: each leaves it with the real clock and the real globals. */
afterAll(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});
