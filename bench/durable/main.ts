import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { benchDurable } from './bench-durable.js';
import { allNames, type SubjectName } from './engines.js';

const help = `npm run bench:durable -- [--engines <names>|all] [--quick] [--json <file>] [--write] [--from <file>]

  --engines  ${allNames.join(', ')}; several with commas between. Default: those without a server.
             Restate's server is installed with test/engines, as for npm run test:engines; dbos needs PostgreSQL's programs
  --quick    with few runs and one kill: for a look, not for figures to quote
  --json     writes everything that was measured to a file
  --write    writes the tables of docs/guide/durable.md
  --from     measures nothing and tells what such a file holds`;

const { values } = parseArgs({
  options: {
    engines: { type: 'string' },
    quick: { type: 'boolean', default: false },
    json: { type: 'string' },
    write: { type: 'boolean', default: false },
    from: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});

const readNames = (asked: string | undefined): readonly SubjectName[] | undefined => {
  if (asked === undefined) return undefined;
  if (asked === 'all') return allNames;
  const wanted = asked.split(/,\s*/);
  const unknown = wanted.find((name) => !(allNames as readonly string[]).includes(name));
  if (unknown !== undefined) throw new Error(`There is no engine "${unknown}": ${allNames.join(', ')}.`);
  return wanted as readonly SubjectName[]; // each is one of them
};

/** As before the tests of engines: nothing happens where it is installed. */
const setUpEngines = (): void => {
  const root = fileURLToPath(new URL('../..', import.meta.url));
  const { status } = spawnSync(process.execPath, ['scripts/setup.mjs', 'test/engines'], { cwd: root, stdio: 'inherit' });
  if (status !== 0) throw new Error('What test/engines needs could not be installed.');
};

if (values.help) console.log(help);
else {
  const names = readNames(values.engines);
  if (names?.includes('restate') && values.from === undefined) setUpEngines();
  await benchDurable({ names, isQuick: values.quick, json: values.json, writes: values.write, from: values.from });
}
