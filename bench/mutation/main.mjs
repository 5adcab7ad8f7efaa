import { spawnSync } from 'node:child_process';

import { rooms } from './rooms.mjs';

/** `npm run mutation -- pipeline [--mutate src/pipeline/merge.ts]`: changes the code of a room bit by bit, and asks its tests each time. */
const [room, ...more] = process.argv.slice(2);
if (!room || !(room in rooms)) {
  process.stderr.write(`Name a room: ${Object.keys(rooms).join(', ')}.\n`);
  process.exit(1);
}
const stryker = 'bench/mutation/node_modules/@stryker-mutator/core/bin/stryker.js';
const args = [stryker, 'run', 'bench/mutation/stryker.config.mjs', ...more];
process.exitCode = spawnSync(process.execPath, args, { stdio: 'inherit', env: { ...process.env, ROOM: room } }).status ?? 1;
