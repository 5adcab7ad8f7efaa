import { writeSync } from 'node:fs';

import { encrypted } from '../../src/index.js';
import type { Durable, Engine } from '../../src/engine.js';
import { answerOf, clerk, clerks, type Outside, type Version } from './clerk.js';
import { followCommands } from './commands.js';
import { followCrowd, saying, type Crowd } from './crowd.js';
import { engineOf, type EngineSpec } from './engine-spec.js';
import { shippedAt } from './outside.js';

/** The orders for a process that will be killed. */
export interface Orders extends Outside {
  readonly engine: EngineSpec;
  /** The run that it starts; undefined if it continues those of others. */
  readonly begins?: { readonly runId: string; readonly prompt: string; readonly isStreamed?: boolean };
  readonly crowd?: Crowd;
  /** Whether the runs of its crowd are encrypted. */
  readonly isSealed?: boolean;
  /** The letter of its key; undefined for none. */
  readonly key?: string;
  /** The letters of its earlier keys. Default: none. */
  readonly previousKeys?: readonly string[];
  /** Default: a version without guards of the input. */
  readonly version?: Version;
  /** The run that it follows to its end, and continues if necessary. */
  readonly follows?: string;
  /** The boundary at which it kills itself; undefined for none. */
  readonly dieAt?: number;
}

/**
 * An engine whose process kills itself with `kill -9` at a boundary of its journal: before a step, and before its result is stored. It says
 * which steps are under way then: parallel tools pass their boundaries in any order.
 */
const mortal = (engine: Engine, { dieAt = Infinity }: Orders, passed: string[]): Engine => {
  const underWay = new Set<string>();
  const pass = (boundary: string): void => {
    if (passed.length === dieAt) {
      writeSync(process.stdout.fd, [...underWay].join('\n'));
      process.kill(process.pid, 'SIGKILL');
    }
    passed.push(boundary);
  };
  const counting = (durable: Durable): Durable => ({
    ...durable,
    step: (key, run, records) => {
      const counted = async (inner: Durable): Promise<string> => {
        pass(`before ${key}`);
        underWay.add(key);
        const text = await run(counting(inner));
        pass(`unkept ${key}`);
        return text;
      };
      return durable.step(key, counted, records).finally(() => underWay.delete(key));
    },
  });
  return {
    ...engine,
    host: (program) => engine.host({ ...program, run: (durable, call) => program.run(counting(durable), call) }),
  };
};

const orders = JSON.parse(process.argv[2] ?? '{}') as Orders;
const passed: string[] = [];
const { begins, crowd, follows } = orders;
const engine = engineOf(orders.engine, crowd && 1_000);
const { key, previousKeys = [], isSealed = false } = orders;
const keyOf = (letter: string): Buffer => Buffer.alloc(32, letter);
const keyed = key === undefined ? engine : encrypted(engine, { key: keyOf(key), previousKeys: previousKeys.map(keyOf) });
const agents = crowd
  ? clerks(orders, saying(keyed), { name: isSealed ? 'sealed' : 'clerk', version: orders.version })
  : undefined;
const agent = agents?.auto ?? clerk(orders, mortal(engine, orders, passed), orders.version);
const end = async (report: object): Promise<void> => {
  await engine.close();
  process.stdout.write(JSON.stringify({ ...report, passed }));
};
if (crowd && agents && crowd.count !== 0) {
  followCommands();
  await followCrowd(agents, crowd, shippedAt(orders.sinkUrl));
  await engine.close();
} else if (begins) {
  const { status } = await answerOf(agent, begins);
  await end({ status });
} else if (follows !== undefined) {
  const result = agent.attach(follows).then((stream) => stream.getFullOutput());
  await end(
    await result.then(
      ({ status }) => ({ status }),
      (error: unknown) => ({ code: (error as { code?: string }).code }),
    ),
  );
} else {
  await agent.attach('nobody').catch(() => undefined); // it is ready once it has found out that there is no such run
  process.stdout.write('there');
}
