import { openWorkflow } from '../../src/durable/openworkflow/index.js';
import type { Durable, Engine } from '../../src/engine.js';
import { cashier, type Outside } from './cashier.js';

/** The orders for a process that will be killed. */
export interface Orders extends Outside {
  readonly path: string;
  readonly runId: string;
  /** The boundary at which it kills itself; undefined if it should reach the end. */
  readonly dieAt?: number;
  /** The number of pieces of an answer after which it kills itself, in the middle of it. */
  readonly dieAfterPieces?: number;
  /** It kills itself whenever it reaches this boundary. */
  readonly dieAtEvery?: string;
  readonly maxDeaths?: number;
  readonly prompt?: string;
}

/** An engine whose process kills itself with `kill -9` at a boundary of its journal: before a step, and before its result is stored. */
const mortal = (engine: Engine, { dieAt = Infinity, dieAtEvery }: Orders, passed: string[]): Engine => {
  const pass = (boundary: string): void => {
    if (passed.length === dieAt || boundary === dieAtEvery) die();
    passed.push(boundary);
  };
  const counting = (durable: Durable): Durable => ({
    ...durable,
    step: (key, run, records) => {
      const counted = async (inner: Durable): Promise<string> => {
        pass(`before ${key}`);
        const text = await run(counting(inner));
        pass(`unkept ${key}`);
        return text;
      };
      return durable.step(key, counted, records);
    },
  });
  return {
    ...engine,
    host: (program) => engine.host({ ...program, run: (durable, call) => program.run(counting(durable), call) }),
  };
};

const die = (): void => void process.kill(process.pid, 'SIGKILL');

const orders = JSON.parse(process.argv[2] ?? '{}') as Orders;
const engine = openWorkflow({ path: orders.path, leaseMs: 1_000, maxDeaths: orders.maxDeaths });
const passed: string[] = [];
const agent = cashier(orders, mortal(engine, orders, passed));
const { prompt = 'Charge me.', runId, dieAfterPieces } = orders;
if (dieAfterPieces === undefined) await agent.generate(prompt, { runId });
else {
  let pieces = 0;
  for await (const { type } of (await agent.stream(prompt, { runId })).fullStream) {
    if (type === 'text-delta') pieces += 1;
    if (pieces === dieAfterPieces) setTimeout(die, 100); // the model stops here; by then everything visible is published
  }
}
await engine.close();
process.stdout.write(JSON.stringify(passed));
