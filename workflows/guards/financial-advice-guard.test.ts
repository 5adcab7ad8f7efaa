import { describe, expect, it } from 'vitest';
import { callHook, user } from '../test-setup.js';
import { financialAdviceGuard, financialAdviceReminder } from './financial-advice-guard.js';

const base = { role: 'system', content: 'You are helpful.' };

describe('financialAdviceGuard', () => {
  it('appends a system message to the existing ones', async () => {
    const args = { messages: [user('my money')], systemMessages: [base] };
    expect(await callHook(financialAdviceGuard(), 'processInputStep', args)).toEqual({
      result: { systemMessages: [base, { role: 'system', content: financialAdviceReminder }] },
    });
    expect(args.systemMessages).toEqual([base]);
  });

  it('adds the reminder once', async () => {
    const systemMessages = [base, { role: 'system', content: financialAdviceReminder }];
    expect(await callHook(financialAdviceGuard(), 'processInputStep', { systemMessages })).toEqual({ result: undefined });
  });

  it('uses a configured reminder', async () => {
    const guard = financialAdviceGuard({ reminder: 'No advice.', id: 'no-advice' });
    expect(guard.id).toBe('no-advice');
    expect(await callHook(guard, 'processInputStep', {})).toEqual({
      result: { systemMessages: [{ role: 'system', content: 'No advice.' }] },
    });
  });
});
