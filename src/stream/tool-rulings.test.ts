import { expect, it } from 'vitest';

import { rejectToolCall, requireApproval, type ToolCallChunk } from './tool-rulings.js';

const about = { runId: 'run', from: 'AGENT' };
const call = {
  ...about,
  type: 'tool-call',
  payload: { toolCallId: 'one', toolName: 'refund', args: { amount: 5 } },
} as ToolCallChunk;

it('rejectToolCall returns an error of the same call, without its arguments by default', () => {
  const payload = { toolCallId: 'one', toolName: 'refund', args: {}, error: 'Refunds need a supervisor.' };
  expect(rejectToolCall(call, 'Refunds need a supervisor.')).toEqual({ ...about, type: 'tool-error', payload });
  const rejected = rejectToolCall(call, 'No.', { args: { amount: 'hidden' } }).payload;
  expect(rejected).toEqual({ ...payload, args: { amount: 'hidden' }, error: 'No.' });
});

it('requireApproval returns an approval request with a copy of the arguments', () => {
  const ruling = requireApproval(call);
  const payload = { toolCallId: 'one', toolName: 'refund', args: { amount: 5 }, resumeSchema: '' };
  expect(ruling).toEqual({ ...about, type: 'tool-call-approval', payload });
  expect(ruling.payload.args).not.toBe(call.payload.args);
});
