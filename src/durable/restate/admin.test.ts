import { describe, expect, it } from 'vitest';

import { readJournal } from './admin.js';

const bytesOf = (text: string): number[] => [...new TextEncoder().encode(text)];

const rowsOf = (...entries: readonly object[]) => entries.map((entry) => ({ entry_json: JSON.stringify(entry) }));

const inputOf = (text: string, headers: readonly object[] = []) => ({
  Command: { Input: { headers, payload: bytesOf(text), name: '' } },
});
const stepOf = (id: number, name: string) => ({ Command: { Run: { completion_id: id, name } } });
const resultOf = (id: number, result: object) => ({ Notification: { Completion: { Run: { completion_id: id, result } } } });

describe('the journal of a run on Restate', () => {
  it('has the input, the resource, and each step with a result', () => {
    const rows = rowsOf(
      inputOf('in: ü€😀', [{ name: 'x-interlock-resource', value: 'ann' }]),
      { Command: { GetPromise: { key: 'cancel', completion_id: 1, name: '' } } },
      stepOf(2, 'begin'),
      stepOf(3, '0 input'),
      resultOf(3, { Success: bytesOf('second ü') }),
      resultOf(2, { Success: bytesOf('first') }),
      stepOf(4, '1 prepare'),
      resultOf(4, { Failure: { code: 410, message: 'given up' } }),
      stepOf(5, '2 request'),
      { Command: { Output: { result: { Success: bytesOf('out') } } } },
    );
    expect(readJournal(rows)).toEqual({
      input: 'in: ü€😀',
      resource: 'ann',
      steps: [
        { key: 'begin', text: 'first' },
        { key: '0 input', text: 'second ü' },
      ],
    });
  });

  it('has a step with an empty result', () => {
    expect(readJournal(rowsOf(inputOf(''), stepOf(1, 'a'), resultOf(1, { Success: [] })))).toEqual({
      input: '',
      resource: undefined,
      steps: [{ key: 'a', text: '' }],
    });
  });

  it('is undefined if Restate has deleted it', () => {
    expect(readJournal([])).toBeUndefined();
  });
});
