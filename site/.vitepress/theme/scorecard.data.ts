import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';

import { causeOf, programOf } from '../../../scorecard/causes.js';
import type { HostResult } from '../../../scorecard/results.js';
import { scenarios } from '../../../scorecard/scenarios/index.js';

/** A scenario on a host in one mode, as the page shows it. */
interface Row {
  readonly host: string;
  readonly promise: string;
  readonly scenario: string;
  readonly mode: string;
  readonly status: string;
  readonly detail: string;
  /** Why it fails, and the file of the program that shows it. */
  readonly cause: string;
  readonly program: string;
}

interface Scorecard {
  readonly hosts: readonly string[];
  readonly rows: readonly Row[];
  /** The title of each scenario, by its id. */
  readonly titles: Readonly<Record<string, string>>;
  /** The text of a program, by its file. */
  readonly programs: Readonly<Record<string, string>>;
}

declare const data: Scorecard;
export { data };

const folder = resolve(import.meta.dirname, '../../../scorecard');

const load = (): Scorecard => {
  const results = JSON.parse(readFileSync(resolve(folder, 'results.json'), 'utf8')) as HostResult[];
  const rows = results.flatMap(({ id, name, cells }) =>
    cells.map(({ promise, scenario, mode, status, detail = '' }): Row => {
      const cause = status === 'fails' ? causeOf(id, scenario) : undefined;
      const program = (cause && programOf(id, cause.id)) ?? '';
      return { host: name, promise, scenario, mode, status, detail, cause: cause?.title ?? '', program };
    }),
  );
  const files = new Set(rows.flatMap(({ program }) => (program ? [program] : [])));
  return {
    hosts: results.map(({ name }) => name),
    rows,
    titles: Object.fromEntries(scenarios.map(({ id, title }) => [id, title])),
    programs: Object.fromEntries([...files].map((file) => [file, readFileSync(resolve(folder, file), 'utf8')])),
  };
};

export default { watch: [resolve(folder, 'results.json')], load };
