import { expect, it } from 'vitest';
import { line } from '../../fold/test-setup.js';
import { describeFrame, frameAt, mostHeld } from '../workbench/lab/film.js';
import { filmOfRun } from './film-of-run.js';

const place = { stepNumber: 0, attempt: 1 };

const end = (seq: number) => ({ ...line.came(seq, 0), part: { type: 'text-end', partId: 't', chars: 0 } }) as const;

const held = [
  line.state(0, 'step.calling'),
  line.came(1, 5),
  line.came(2, 3),
  line.left(3, 'Hello'),
  end(4),
  line.left(5, ' 4 U'),
  line.event(6, { type: 'step-finish', reason: 'stop' }),
];

it('has a frame for each chunk and for the end, with everything that was sent before the next', () => {
  const film = filmOfRun(held, place);
  expect(film?.emissions.map(({ pushed, emitted, held: words }) => [pushed, emitted, words])).toEqual([
    ['▒▒▒▒▒', '', '▒▒▒▒▒'],
    ['▒▒▒', 'Hello', '▒▒▒'],
    [undefined, ' 4 U', ''],
  ]);
  expect(film?.lines).toEqual([1, 3, 5]);
  expect(film && mostHeld(film)).toBe(5);
  expect(film && describeFrame(frameAt(film, 3))).toBe('end of the stream; emitted " 4 U"; 0 buffered');
});

it('does not depend on the clock', () => {
  const slow = held.map((entry, index) => ({ ...entry, at: index * 10_000 }));
  expect(filmOfRun(slow, place)?.lines).toEqual(filmOfRun(held, place)?.lines);
});

it('shows revealed text', () => {
  const words = new Map([
    [1, 'Hello'],
    [2, ' 4 U'],
  ]);
  expect(filmOfRun(held, place, words)?.emissions[0]?.held).toBe('Hello');
});

it('ends at the block of the attempt and ignores other attempts', () => {
  const stopped = [
    ...held.slice(0, 3),
    line.event(3, { type: 'guard', processorId: 'leak', phase: 'outputStream', verdict: 'trip', reason: 'a key' }),
    line.event(4, { type: 'step-finish', reason: 'tripwire' }),
    line.came(5, 9, { stepNumber: 0, attempt: 2 }),
  ];
  const film = filmOfRun(stopped, place);
  expect(film?.emissions).toHaveLength(2);
  expect(film?.emissions.at(-1)?.stop).toEqual({ processorId: 'leak', kind: 'trip', reason: 'a key' });
  expect(filmOfRun(stopped, { stepNumber: 1, attempt: 1 })).toBeUndefined();
});
