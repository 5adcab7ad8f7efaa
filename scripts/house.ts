/**
 * The size and shape of the shipped sources, as a ratchet: `scripts/house.json` has each figure, which may fall and not rise.
 *
 *     npm run house                                           prints the figures
 *     npm run house -- --check                                fails if a figure has risen
 *     npm run house -- --update [--record docs/decisions/…]   writes them; a figure that rises needs a record
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';

import { eventFigures } from './house/events.js';
import { faultsOf, updated, type House } from './house/ratchet.js';
import { shapeFigures } from './house/shape.js';

const path = 'scripts/house.json';
const { values } = parseArgs({
  options: {
    check: { type: 'boolean', default: false },
    update: { type: 'boolean', default: false },
    record: { type: 'string' },
  },
});

const figures = { ...shapeFigures(), ...(await eventFigures()) };
const known: House = existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as House) : { figures: {}, records: {} };
const columns = Object.entries(figures).map(([name, now]) => [name, { now, 'house.json': known.figures[name] }] as const);
console.table(Object.fromEntries(columns));

const record = values.record && existsSync(values.record) ? values.record : undefined;
const faults = faultsOf(known, figures, values.update ? record : undefined);
if (values.update && faults.length === 0)
  writeFileSync(path, `${JSON.stringify(updated(known, figures, record), undefined, 2)}\n`);
if (values.check || values.update) {
  for (const fault of faults) console.error(fault);
  process.exitCode = faults.length > 0 ? 1 : 0;
}
