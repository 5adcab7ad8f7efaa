import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';

import { expect, it, onTestFinished } from 'vitest';

import { openFile } from './open-file.js';
import { boardOn, runTables } from './tables.js';

/** Creates a file and holds its write lock for a while. */
const maker = `
  const { DatabaseSync } = require('node:sqlite');
  const { parentPort, workerData } = require('node:worker_threads');
  const db = new DatabaseSync(workerData);
  db.exec('PRAGMA user_version = 1; BEGIN IMMEDIATE; CREATE TABLE other (one)');
  parentPort.postMessage('held');
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200);
  db.exec('COMMIT');
`;

it.each([
  ['a folder', () => tmpdir(), 'durable/unreachable', /unable to open/],
  ['a file that is not a database', () => import.meta.filename, 'durable/damaged', /not a database/],
  [
    'a file below a path that is not a folder',
    () => join(import.meta.filename, 'runs.db'),
    'durable/unreachable',
    /ENOTDIR|EEXIST/,
  ],
])('openFile rejects %s and reports its path', (_what, pathOf, code, message) => {
  const path = pathOf();
  expect(() => openFile(path)).toThrow(expect.objectContaining({ code, path }));
  expect(() => openFile(path)).toThrow(message);
});

it('openFile waits for another process that writes a new file', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'interlock-file-'));
  const path = join(folder, 'runs.db');
  const worker = new Worker(maker, { eval: true, workerData: path });
  await once(worker, 'message');
  const file = openFile(path);
  onTestFinished(() => {
    file.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const labels = { resourceId: null, priority: 0 };
  const runs = runTables(file, 'program');
  runs.setWorkflowRun('run', 'one', labels);
  expect(runs.workflowRunOf('run')).toBeUndefined();
  runs.reserve('run', labels);
  runs.setWorkflowRun('run', 'one', labels);
  expect(runs.workflowRunOf('run')).toBe('one');
});

it('append assigns consecutive offsets to the entries of all processes', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'interlock-file-'));
  const files = [1, 2].map(() => openFile(join(folder, 'runs.db')));
  onTestFinished(() => {
    for (const file of files) file.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const [one, other] = files.map((file) => boardOn(file, 'program'));
  expect(await one?.append('run', [{ text: 'a', mark: 'life' }, { text: 'b' }])).toBe(0);
  expect(await other?.append('run', [{ text: 'c' }])).toBe(2);
  expect(await one?.append('run', [{ text: 'd' }, { text: 'e', mark: 'life' }])).toBe(3);
  expect(await one?.read('run', 2)).toEqual(['c', 'd', 'e']);
  expect(await other?.marked('run', 'life')).toEqual([
    { place: 0, text: 'a' },
    { place: 4, text: 'e' },
  ]);
  await one?.drop?.('run');
  expect(await other?.marked('run', 'life')).toEqual([]);
});

it('append rejects entries of a process after another one has taken over the run', async () => {
  const file = openFile(':memory:');
  onTestFinished(() => file.close());
  const board = boardOn(file, 'program');
  const life = (text: string) => board.append('run', [{ text, mark: 'life' }]);
  const [first, second] = [await life('first'), await life('second')];
  await expect(board.append('run', [{ text: 'late' }], first)).rejects.toMatchObject({ name: 'TakenOver' });
  expect(await board.append('run', [{ text: 'a' }], second)).toBe(2);
  expect(await board.append('other', [{ text: 'b' }], 0)).toBe(0);
  expect(await board.read('run', 0)).toEqual(['first', 'second', 'a']);
});

it('a failed append writes no entry, and the next one succeeds', async () => {
  const file = openFile(':memory:');
  onTestFinished(() => file.close());
  const board = boardOn(file, 'program');
  const unwritable = { text: 'b', mark: Symbol('no text') as never };
  await expect(board.append('run', [{ text: 'a' }, unwritable])).rejects.toThrow(/cannot be bound/);
  expect(await board.append('run', [{ text: 'c' }])).toBe(0);
  expect(await board.read('run', 0)).toEqual(['c']);
});
