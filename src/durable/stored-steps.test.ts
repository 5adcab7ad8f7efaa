import { describe, expect, it, vi } from 'vitest';

import { TakenOver } from './journal.js';
import { storedDurable, type StepStore } from './stored-steps.js';

describe('the steps of a run in a store', () => {
  /** A run that another process can take. */
  const takeable = () => {
    let isTaken = false;
    const check = vi.fn((): void => {
      if (isTaken) throw new TakenOver();
    });
    const store: StepStore = { find: () => undefined, count: () => 0, check, write: () => 0 };
    const act = async (): Promise<void> => undefined;
    const execution = { start: act, pass: () => undefined, interrupt: act, end: () => undefined };
    const durable = storedDurable(store, execution, new AbortController().signal);
    return { durable, check, take: () => (isTaken = true) };
  };

  it('do not begin a tool after another process has taken the run', async () => {
    const { durable, take } = takeable();
    const tool = vi.fn(async () => 'done');
    const tools = durable.step('2 tools', async (inner) => {
      take(); // this process was paused meanwhile
      return inner.step('tool call', tool);
    });
    await expect(tools).rejects.toThrow(TakenOver);
    expect(tool).not.toHaveBeenCalled();
  });

  it('look at the lease only before a tool: what other work of such a process produces is rejected as it is written', async () => {
    const { durable, check } = takeable();
    await durable.step('0 prepare', async () => '');
    await durable.step('1 tools', async (inner) => inner.step('tool call', async () => ''));
    expect(check).toHaveBeenCalledTimes(1);
  });
});
