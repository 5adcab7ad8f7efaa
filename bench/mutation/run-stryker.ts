import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { reportFolder } from './scores.js';

const stryker = 'bench/mutation/node_modules/@stryker-mutator/core/bin/stryker.js';

/** Seconds of CPU of all processes that this one has started and that have ended; told by Linux alone. */
const childrenSeconds = (): number | undefined => {
  if (!existsSync('/proc/self/stat')) return undefined;
  const fields = readFileSync('/proc/self/stat', 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[13]) + Number(fields[14])) / 100; // `cutime` and `cstime` of proc(5), in ticks
};

/** Changes a room and asks its tests; gives the minutes of CPU that it took where every change was asked about. */
export const runStryker = (room: string, options: readonly string[]): { status: number; minutes: number | undefined } => {
  const isWhole = !existsSync(`${reportFolder(room)}/incremental.json`);
  const before = childrenSeconds();
  const args = [stryker, 'run', 'bench/mutation/stryker.config.mjs', ...options];
  const { status } = spawnSync(process.execPath, args, { stdio: 'inherit', env: { ...process.env, ROOM: room } });
  const after = childrenSeconds();
  const isTimed = isWhole && before !== undefined && after !== undefined;
  return { status: status ?? 1, minutes: isTimed ? (after - before) / 60 : undefined };
};
