import { readFileSync, writeFileSync } from 'node:fs';
import { goalLine } from '../goals.js';
import { tableOf } from '../table.js';
import { atHand } from './engines.js';
import { measureDurable, type Wanted } from './measure.js';
import { writeGuide } from './page.js';
import type { DurableRun } from './run.js';
import { durableTables } from './tables.js';

export interface DurableBench {
  /** Default: those that have no server to be installed or started. */
  readonly names?: Wanted['names'];
  readonly isQuick: boolean;
  /** A file that what was measured is written to. */
  readonly json?: string;
  /** Whether the tables of the guide are written. */
  readonly writes?: boolean;
  /** Such a file, which is told in place of what would be measured. */
  readonly from?: string;
}

const tell = (line: string): void => void (process.stderr.isTTY && process.stderr.write(`\r\x1b[K${line}`));

/** Measures what it costs to keep a run, and tells it. */
export const benchDurable = async ({ names = atHand, isQuick, json, writes, from }: DurableBench): Promise<void> => {
  const run =
    from === undefined ? await measureDurable({ names, isQuick, tell }) : (JSON.parse(readFileSync(from, 'utf8')) as DurableRun);
  tell('');
  console.log(`What it costs to keep a run, on ${run.machine}; ${Math.round(run.seconds)} s in all.\n`);
  for (const { head, rows } of durableTables(run)) console.log(`${tableOf(head, rows)}\n`);
  console.log(run.goals.map(goalLine).join('\n'));
  if (json !== undefined) writeFileSync(json, JSON.stringify(run, undefined, 2));
  if (writes) writeGuide(run);
};
