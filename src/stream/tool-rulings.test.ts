import { expect, it } from 'vitest';

import { rejectToolCall, requireApproval, type ToolCallChunk } from './tool-rulings.js';

const about = { runId: 'run', from: 'AGENT' };
const call = {
  ...about,
  type: 'tool-call',
  payload: { toolCallId: 'one', toolName: 'refund', args: { amount: 5 } },
} as ToolCallChunk;

it('a rejected call is an error of the same call, without the arguments that may be its reason', () => {
  const payload = { toolCallId: 'one', toolName: 'refund', args: {}, error: 'Refunds need a supervisor.' };
  expect(rejectToolCall(call, 'Refunds need a supervisor.')).toEqual({ ...about, type: 'tool-error', payload });
  const shown = rejectToolCall(call, 'No.', { args: { amount: 'hidden' } }).payload;
  expect(shown).toEqual({ ...payload, args: { amount: 'hidden' }, error: 'No.' });
});

it('a call that waits for a person is shown with its arguments, which are a copy', () => {
  const ruling = requireApproval(call);
  const payload = { toolCallId: 'one', toolName: 'refund', args: { amount: 5 }, resumeSchema: '' };
  expect(ruling).toEqual({ ...about, type: 'tool-call-approval', payload });
  expect(ruling.payload.args).not.toBe(call.payload.args);
});
