import { expect, it } from 'vitest';
import { entriesOfChunk } from './entries-of-chunk.js';

it('tells the error of a tool with its causes, and a repeated message once', () => {
  const messageOf = (error: Error) =>
    entriesOfChunk({ type: 'tool-error', payload: { toolCallId: 'c', error } }, { stepNumber: 0, attempt: 1 }).flatMap((entry) =>
      entry.kind === 'tool' ? [entry.error] : [],
    );
  const closed = new Error('The ledger is closed.');
  expect(messageOf(new Error(closed.message, { cause: closed }))).toEqual(['The ledger is closed.']);
  expect(messageOf(new Error('No answer.', { cause: closed }))).toEqual(['No answer.; caused by: The ledger is closed.']);
});
