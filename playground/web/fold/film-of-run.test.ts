import { expect, it } from 'vitest';
import { frameAt, describeFrame } from '../workbench/lab/film.js';
import { filmOfRun } from './film-of-run.js';
import { line } from '../../fold/test-setup.js';

const place = { stepNumber: 0, attempt: 1 };

const held = [
  line.state(0, 'step.calling'),
  line.came(1, 5),
  line.came(2, 3),
  line.left(4, 'Hello'),
  line.event(5, { type: 'step-finish', reason: 'stop' }),
];

it('creates a frame for each received chunk, each later release and the end', () => {
  const film = filmOfRun(held, place);
  expect(film?.emissions.map(({ pushed, emitted, held: words }) => [pushed, emitted, words])).toEqual([
    ['▒▒▒▒▒', '', '▒▒▒▒▒'],
    ['▒▒▒', '', '▒▒▒▒▒▒▒▒'],
    ['', 'Hello', '▒▒▒'],
    [undefined, '', ''],
  ]);
  expect(film?.lines).toEqual([1, 2, 4, 5]);
  expect(film && describeFrame(frameAt(film, 3))).toBe('received nothing; emitted "Hello"; 3 buffered');
});

it('shows revealed text', () => {
  const words = new Map([
    [1, 'Hello'],
    [2, ' 4 U'],
  ]);
  expect(filmOfRun(held, place, words)?.emissions[1]?.held).toBe('Hello 4 U');
});

it('ends at the tripwire of the attempt and ignores other attempts', () => {
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
