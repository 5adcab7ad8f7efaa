import { rmSync } from 'node:fs';
import { loadScores, reportFolder, scoreOf, writeScores } from './scores.js';
import { rooms } from './rooms.js';
import { runStryker } from './run-stryker.js';

const help = `npm run mutation                     all rooms, one after another: for a night
npm run mutation -- gate machine     these rooms
npm run mutation -- gate --mutate src/release/gate/queue.ts
                                     some of it; what begins with a dash, and all after it, is Stryker's

Changes the code of a room bit by bit and asks its tests each time. A room that was asked before asks again only about what has
changed since; all rooms begin anew. Scores go to docs/mutation.md, but those of a part of a room. Rooms: ${Object.keys(rooms).join(', ')}.
`;

const args = process.argv.slice(2);
const from = args.findIndex((arg) => arg.startsWith('-'));
const [named, options] = from < 0 ? [args, []] : [args.slice(0, from), args.slice(from)];
const unknown = named.find((name) => !(name in rooms));
if (unknown !== undefined || options.includes('--help')) {
  process.stderr.write(help);
  process.exit(unknown === undefined ? 0 : 1);
}
const scores = loadScores();
for (const name of named.length > 0 ? named : Object.keys(rooms)) {
  if (named.length === 0) rmSync(reportFolder(name), { recursive: true, force: true });
  const ran = runStryker(name, options);
  process.exitCode ||= ran.status;
  if (ran.status !== 0 || options.length > 0) continue;
  scores[name] = scoreOf(name, ran.minutes ?? scores[name]?.minutes);
  await writeScores(scores); // a night may end early
}
