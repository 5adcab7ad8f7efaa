import { rmSync } from 'node:fs';
import { loadScores, reportFolder, scoreOf, writeScores } from './scores.js';
import { modules } from './modules.js';
import { runStryker } from './run-stryker.js';

const help = `npm run mutation                     all modules, one after another: for a night
npm run mutation -- gate machine     these modules
npm run mutation -- --sample 5       one in five of the changes of every module
npm run mutation -- gate --mutate src/stream/gate/queue.ts
                                     a part of it; arguments from the first dash on go to Stryker

Changes the code of a module bit by bit and runs its tests each time. A module with earlier results runs only the mutants of changed
code; a run of all modules starts from scratch. Scores go to docs/mutation.md, except those of a part of a module. Modules: ${Object.keys(modules).join(', ')}.
`;

const args = process.argv.slice(2);
const from = args.findIndex((arg) => arg.startsWith('-'));
const [named, options] = from < 0 ? [args, []] : [args.slice(0, from), args.slice(from)];
const sample = options[0] === '--sample' ? Number(options.splice(0, 2)[1]) : undefined;
const unknown = named.find((name) => !(name in modules));
if (unknown !== undefined || (sample !== undefined && !(sample > 1)) || options.includes('--help')) {
  process.stderr.write(help);
  process.exit(options.includes('--help') ? 0 : 1);
}
const scores = loadScores();
for (const name of named.length > 0 ? named : Object.keys(modules)) {
  if (named.length === 0) rmSync(reportFolder(name), { recursive: true, force: true });
  const status = runStryker(name, { sample, options });
  process.exitCode ||= status;
  if (status !== 0 || options.length > 0) continue;
  scores[name] = scoreOf(name, sample);
  await writeScores(scores); // the process may end early
}
