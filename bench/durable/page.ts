import { readFileSync, writeFileSync } from 'node:fs';

import { goalRow } from '../goals.js';
import { filled, markdownOf, type FigureTable } from '../table.js';
import type { DurableRun } from './run.js';
import { queueTable, type QueueRun } from './queue.js';
import { durableTables } from './tables.js';

const page = new URL('../../docs/durable-cost.md', import.meta.url);

const about = ({ machine, date, isQuick = false }: Pick<DurableRun, 'machine' | 'date'> & { isQuick?: boolean }): string =>
  `Measured on ${date} on ${machine}${isQuick ? '; a quick run' : ''}.`;

/** Writes measurements into their places in the page; the surrounding text is written by hand. */
export const writeGuide = (run: DurableRun): void => {
  let text = filled(readFileSync(page, 'utf8'), 'durable-about', about(run));
  for (const table of durableTables(run)) text = filled(text, table.id, markdownOf(table));
  const goals = { id: '', head: ['goal', 'measured', 'at most', 'held'], rows: run.goals.map(goalRow) };
  text = filled(text, 'durable-goals', markdownOf(goals));
  writeFileSync(page, text);
};

/** Writes the measurements of queued runs into the same page. */
export const writeQueue = (run: QueueRun): void => {
  const text = filled(readFileSync(page, 'utf8'), 'durable-queue-about', about(run));
  const table = queueTable(run);
  writeFileSync(page, filled(text, table.id, markdownOf(table)));
};

/** Writes a single table into the same page. */
export const writeTable = (table: FigureTable): void =>
  writeFileSync(page, filled(readFileSync(page, 'utf8'), table.id, markdownOf(table)));
