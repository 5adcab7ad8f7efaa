import { afterEach, expect, it, vi } from 'vitest';

import { memoryEngine, type RunEvent } from '../../src/index.js';
import { approving } from './scenarios.js';

afterEach(() => void vi.useRealTimers());

it('a run that waits for an approval ends at its deadline, and another one goes on waiting', async () => {
  vi.useFakeTimers({ toFake: ['Date', 'setInterval'] });
  const reasons: unknown[] = [];
  const onRunEvent = (event: RunEvent) => void (event.type === 'run-finish' && reasons.push(event.error?.code));
  const agent = approving().agent({ durability: memoryEngine(), onRunEvent });
  await agent.generate('Please charge me.', { runId: 'patient' });
  const { status } = await agent.generate('Please charge me.', { runId: 'urgent', deadlineMs: 60_000 });
  expect(status).toBe('suspended');
  await vi.advanceTimersByTimeAsync(50_000);
  const waiting = async () => (await agent.listRuns({ status: 'suspended' })).map(({ runId }) => runId).toSorted();
  expect(await waiting()).toEqual(['patient', 'urgent']);
  await vi.advanceTimersByTimeAsync(15_000);
  expect((await (await agent.attach('urgent')).getFullOutput()).status).toBe('canceled');
  expect(await waiting()).toEqual(['patient']);
  expect(reasons.at(-1)).toBe('run/deadline');
});
