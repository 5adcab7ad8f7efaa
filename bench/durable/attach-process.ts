import { median } from '../case.js';
import { InterlockAgent } from '../../src/index.js';
import { scriptedModel } from '../../src/testing/index.js';
import { engineOf, type Subject } from './engines.js';

/** Times until a client gets the rest of a stream. */
export interface Attaches {
  /** The number of chunks of the run. */
  readonly chunks: number;
  /** Milliseconds until the first chunk, from the start of the run. */
  readonly firstMs: number;
  /** The same, from five chunks before its end. */
  readonly lastMs: number;
}

export interface AttachOrders {
  readonly subject: Subject;
  readonly words: number;
  readonly times: number;
}

const { subject, words, times } = JSON.parse(process.argv[2] ?? '') as AttachOrders;
const durability = engineOf(subject);
const text = Array.from({ length: words }, (_, index) => `word${index} `);
const model = scriptedModel({ steps: () => ({ text }) });
const agent = new InterlockAgent({ id: 'speaker', name: 'Speaker', instructions: 'Speak.', model, durability });

const firstChunkMs = async (runId: string, from: number): Promise<number> => {
  const startedAt = performance.now();
  const reader = (await agent.attach(runId, { from })).fullStream.getReader();
  await reader.read();
  const ms = performance.now() - startedAt;
  while (!(await reader.read()).done);
  return ms;
};

const runId = crypto.randomUUID();
await (await agent.stream('Speak.', { runId })).consumeStream();
let last = 0;
let chunks = 0;
for await (const chunk of (await agent.attach(runId, { from: 0 })).fullStream as AsyncIterable<{
  metadata: { sequence: number };
}>) {
  last = chunk.metadata.sequence;
  chunks += 1;
}
const [first, tail]: [number[], number[]] = [[], []];
for (let time = 0; time < times; time += 1) {
  first.push(await firstChunkMs(runId, 0));
  tail.push(await firstChunkMs(runId, last - 5));
}
const found = { chunks, firstMs: median(first), lastMs: median(tail) } satisfies Attaches;
await durability?.close();
process.stdout.write(JSON.stringify(found), () => process.exit()); // an engine's timers must not keep it alive
