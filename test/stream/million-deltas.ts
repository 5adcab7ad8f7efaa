import { guard } from '../../src/index.js';
import { delta, finish, openGate, patternGuard, patterns, source } from '../../src/stream/gate/test-setup.js';

/** Sends this number of deltas through guards with windows, and prints the heap in use on the way. Needs `--expose-gc`. */
const deltas = Number(process.argv[2]);
const samples = 4;
const words = 'The parcel of jane@example.com is on its way. It costs 4111 1111 1111 1111 or so! '.split(/(?<= )/);

// Synchronous: Mastra's type requires a promise.
const passing = (id: string) => ({ id, processOutputStream: (({ part }: { part: unknown }) => part) as never });

const guards = [
  patternGuard(patterns.email, 'replace', 'email'),
  patternGuard(patterns.card, 'replace', 'card'),
  guard(passing('sentences'), { window: 'sentence' }),
  guard(passing('chars'), { window: { chars: 100 } }),
];

let released = 0;
const { gate, emitted } = openGate(guards, {
  scope: { reportGuard: () => undefined },
  release: ({ payload }) => {
    released += (payload as { text?: string }).text?.length ?? 0;
    emitted.length = 0;
  },
});

const heapBytes: number[] = [];
for (let index = 1; index <= deltas; index += 1) {
  const word = words[Math.floor(index / 2) % words.length] as string; // one of them
  await gate.push(delta(word, index % 2 === 0 ? 'one' : 'two'));
  if (index % 1_000 === 0) await gate.push(source);
  if (index % (deltas / samples) !== 0) continue;
  globalThis.gc?.();
  heapBytes.push(process.memoryUsage().heapUsed);
}
await gate.push(finish);
await gate.idle();
if (gate.stopped) throw new Error('The stream was stopped.', { cause: gate.stopped });
process.stdout.write(JSON.stringify({ heapBytes, released }));
