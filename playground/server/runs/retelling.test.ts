import { expect, it } from 'vitest';
import type { RunEvent } from '../../../src/index.js';
import type { StudioEntry } from '../../protocol/trace-entry.js';
import { createNewEntries } from './new-entries.js';

const place = { stepNumber: 0, attempt: 1 };
const common = { seq: 0, at: 1 };

const delta = (text: string, id = 't') => ({ type: 'text-delta', payload: { id, text }, metadata: { ...place, sequence: 7 } });

const emitted = (text: string, partId = 't'): StudioEntry => ({
  ...common,
  ...place,
  kind: 'left',
  part: { type: 'text-delta', partId, chars: text.length },
  text,
});

const event = (seq: number, fields: object): RunEvent => ({ runId: 'r', seq, at: seq, ...place, ...fields }) as RunEvent; // as recorded

const textsOf = (facts: readonly object[]): unknown[] => facts.map((fact) => (fact as { text?: string }).text);

it('adds only repetitions beyond the recorded ones', () => {
  const { chunk } = createNewEntries([emitted('ha'), emitted('ha'), emitted('other', 'u')]);
  const entries = ['ha', 'ha', 'ha'].map((text) => delta(text));
  expect(textsOf([...entries, delta('other'), delta('other', 'u')].flatMap(chunk))).toEqual(['ha', 'other']);
});

it('places a chunk at its own position with the retracted parts', () => {
  const { chunk } = createNewEntries([]);
  const data = { partIds: ['t'], stepNumber: 2, attempt: 3 };
  expect(chunk({ type: 'data-interlock-retract', data, metadata: { stepNumber: 2, attempt: 3 } } as never)).toEqual([
    { kind: 'left', stepNumber: 2, attempt: 3, part: { type: 'data-interlock-retract', chars: 0 }, data },
  ]);
});

it('adds a tool call once with its result', () => {
  const call = { type: 'tool-call', payload: { toolCallId: 'c', toolName: 'charge', args: { amount: 5 } } };
  const [first, tool] = createNewEntries([]).chunk(call);
  expect(tool).toMatchObject({ kind: 'tool', toolCallId: 'c', args: { amount: 5 } });
  expect(createNewEntries([{ ...common, ...first } as StudioEntry]).chunk(call)).toEqual([]);
});

it('adds events from the first difference, and states only of the last position', () => {
  const start = event(0, { type: 'run-start', agentId: 'a' });
  const calling = event(1, { type: 'state-enter', state: 'step.calling' });
  const before = [start, calling, event(2, { type: 'model-call', modelId: 'lost' })];
  const guard = event(2, {
    type: 'guard',
    phase: 'outputStep',
    processorId: 'g',
    path: 'g',
    verdict: 'pass',
    changes: ['secret'],
  });
  const first = event(3, { type: 'state-enter', state: 'step.deciding' });
  const ended = [
    event(4, { type: 'state-enter', state: 'success' }),
    event(5, { type: 'run-finish', status: 'success', retries: 0 }),
  ];
  const last = ended.map((one): RunEvent => ({ ...one, stepNumber: 1 }));
  const { events } = createNewEntries(before.map((one): StudioEntry => ({ ...common, kind: 'event', event: one })));
  const entries = events([start, calling, guard, first, ...last]);
  expect(entries.map((fact) => fact.kind === 'event' && fact.event.type)).toEqual(['guard', 'state-enter', 'run-finish']);
  expect(JSON.stringify(entries)).not.toContain('secret');
  expect(events(before)).toEqual([]);
});
