import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

import { format } from 'oxfmt';

import { median, quantile } from '../case.js';
import { brief, filled, markdownOf } from '../table.js';
import type { LoadOrders, ServerFigures } from './server.js';

/**
 * `npm run bench:load -- --streams 500 --rounds 3`: concurrent streams through a Hono server, first on our agent, then on Mastra's own agent.
 * `--write` writes the table of docs/performance.md.
 */
const { values } = parseArgs({
  options: {
    streams: { type: 'string', default: '500' },
    rounds: { type: 'string', default: '3' },
    chunks: { type: 'string', default: '60' },
    'chunk-ms': { type: 'string', default: '100' },
    write: { type: 'boolean', default: false },
  },
});
const streams = Number(values.streams);
const rounds = Number(values.rounds);
const pace = { chunks: Number(values.chunks), chunkMs: Number(values['chunk-ms']) };

interface LoadFigures extends ServerFigures {
  readonly seconds: number;
  readonly firstTextMs: readonly number[];
  readonly rssPerStream: number;
}

const startServer = async (subject: LoadOrders['subject']) => {
  const args = ['--expose-gc', '--import', 'tsx', join(import.meta.dirname, 'server.ts'), JSON.stringify({ subject, ...pace })];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  const url = `http://127.0.0.1:${line.toString().trim()}`;
  return { url, stop: () => child.kill('SIGKILL') };
};

const readFigures = async (url: string): Promise<ServerFigures> =>
  (await (await fetch(`${url}/figures`)).json()) as ServerFigures; // the shape of the server's response

/** One client: milliseconds until the first text; it reads the stream to its end. */
const chat = async (url: string): Promise<number> => {
  const startedAt = performance.now();
  const response = await fetch(`${url}/chat`, { method: 'POST', body: JSON.stringify({ text: 'How are you?' }) });
  let text = '';
  let firstMs: number | undefined;
  for await (const bytes of response.body ?? []) {
    if (firstMs === undefined) text += Buffer.from(bytes).toString();
    if (firstMs === undefined && text.includes('text-delta')) firstMs = performance.now() - startedAt;
  }
  if (firstMs === undefined) throw new Error(`A stream ended without text: ${response.status} ${text.slice(0, 500)}`);
  return firstMs;
};

const load = async (url: string): Promise<LoadFigures> => {
  const before = await readFigures(url);
  const startedAt = performance.now();
  const firstTextMs = await Promise.all(Array.from({ length: streams }, () => chat(url)));
  const seconds = (performance.now() - startedAt) / 1_000;
  const after = await readFigures(url);
  return { ...after, seconds, firstTextMs, rssPerStream: Math.max(after.rssBytes - before.rssBytes, 0) / streams };
};

const subjects = ['interlock', 'mastra'] as const;
const servers = new Map(await Promise.all(subjects.map(async (subject) => [subject, await startServer(subject)] as const)));
const measured = new Map<string, LoadFigures[]>(subjects.map((subject) => [subject, []]));
for (const { url } of servers.values()) await Promise.all(Array.from({ length: 20 }, () => chat(url))); // warm
for (let round = 0; round < rounds; round += 1)
  for (const [subject, { url }] of servers) measured.get(subject)?.push(await load(url));
for (const { stop } of servers.values()) stop();

const rows = subjects.map((subject) => {
  const all = measured.get(subject) ?? [];
  const medianOf = (of: (figures: LoadFigures) => number): number => median(all.map(of));
  const first = all.flatMap(({ firstTextMs }) => firstTextMs);
  return [
    medianOf(({ seconds }) => streams / seconds),
    quantile(first, 0.5),
    quantile(first, 0.99),
    medianOf(({ loopP99Ms }) => loopP99Ms),
    medianOf(({ cpuMs }) => cpuMs / streams),
    all[0] ? all[0].rssPerStream / 1_024 : 0, // later rounds reuse the memory of the first
  ];
});
const ratio = (rows[0] ?? []).map((value, index) => value / (rows[1]?.[index] ?? 1));
const table = markdownOf({
  id: 'load',
  head: ['server', 'streams / s', 'first text p50 ms', 'p99 ms', 'loop delay p99 ms', 'CPU ms / stream', 'RSS KiB / stream'],
  rows: [...subjects.map((subject, index) => [subject, ...(rows[index] ?? []).map(brief)]), ['ratio', ...ratio.map(brief)]],
});
const date = new Date().toISOString().slice(0, 10);
const about = `Measured on ${date} on a machine with ${availableParallelism()} cores, Node ${process.versions.node}: ${streams} streams at the same time, ${pace.chunks} chunks each, one every ${pace.chunkMs} ms; medians of ${rounds} rounds.`;
process.stdout.write(`${about}\n\n${table}\n`);
if (values.write) {
  const page = new URL('../../docs/performance.md', import.meta.url);
  const text = filled(filled(readFileSync(page, 'utf8'), 'load-about', about), 'load', table);
  writeFileSync(page, (await format('page.md', text)).code);
}
