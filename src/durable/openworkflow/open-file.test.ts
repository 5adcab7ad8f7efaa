import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';

import { expect, it, onTestFinished } from 'vitest';

import { openFile } from './open-file.js';
import { runTables } from './tables.js';

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

it('openFile creates a file with the tables of OpenWorkflow, which does not wait for other processes that create them', () => {
  const folder = mkdtempSync(join(tmpdir(), 'interlock-file-'));
  const file = openFile(join(folder, 'runs.db'));
  onTestFinished(() => {
    file.close();
    rmSync(folder, { recursive: true, force: true });
  });
  expect(file.prepare('SELECT count(*) AS migrations FROM openworkflow_migrations').get()).toMatchObject({
    migrations: expect.toSatisfy((count: number) => count > 0) as number,
  });
});
