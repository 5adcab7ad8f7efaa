import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { randomBytes } from 'node:crypto';
import { openWorkflow } from '../../src/durable/openworkflow/index.js';
import { encrypted, InterlockAgent, type Durable, type Engine, type Program } from '../../src/index.js';
import { noJournal } from '../../src/loop/journal.js';
import { scriptedModel } from '../../src/testing/index.js';
import { fileSize, timeToResume } from './restart.js';

/** `npm run bench:durable`: what it costs to keep a run, per stretch of it, in time and bytes; and how soon a killed one goes on. */

const runs = 40;
const warmUps = 5;
const emptySteps = 8;
const tellLine = (line: string): void => console.log(line);

/** What an engine was given to keep. */
type Kept = { readonly key: string; readonly bytes: number }[];

const counting = (engine: Engine, kept: Kept): Engine => ({
  ...engine,
  host: (program) => {
    const seen = (durable: Durable): Durable => ({
      canceled: durable.canceled,
      step: async (key, run) => {
        const text = await durable.step(key, (inner) => run(seen(inner)));
        kept.push({ key, bytes: text.length });
        return text;
      },
    });
    return engine.host({ ...program, run: (durable, call) => program.run(seen(durable), call) });
  },
});

/** An engine that keeps nothing: what is left is what keeping costs here. */
const sieve = (): Engine => ({
  name: 'sieve',
  isDurable: false,
  host: (program) => {
    const outputs = new Map<string, string>();
    const durable: Durable = { step: (_key, run) => run(durable), canceled: new AbortController().signal };
    return {
      start: async (call) => {
        outputs.set(call.runId, await program.run(durable, call));
        return true;
      },
      find: async (runId) => ({ kind: 'ended', output: outputs.get(runId) ?? '' }),
      cancel: async () => undefined,
    };
  },
  close: async () => undefined,
});

const history = (length: number) =>
  Array.from({ length }, (_, index) => ({
    role: index % 2 === 0 ? ('user' as const) : ('assistant' as const),
    content: `${index} ${'word '.repeat(100)}`,
  }));

const agentOn = (durability: Engine | undefined) =>
  new InterlockAgent({
    id: `bench-${Math.random()}`,
    name: 'Bench',
    instructions: 'Answer.',
    model: scriptedModel({ steps: () => ({ text: 'An answer of a few words.' }) }),
    durability,
  });

/** What a run takes: the middle of the times until its end, and on the average of the processor, which a busy machine does not disturb. */
interface Cost {
  readonly ms: number;
  readonly cpuMs: number;
}

const median = (times: readonly number[]): number => times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0;

const costOf = async (act: () => Promise<unknown>): Promise<Cost> => {
  for (let index = 0; index < warmUps; index += 1) await act();
  const times: number[] = [];
  const before = process.cpuUsage();
  for (let index = 0; index < runs; index += 1) {
    const startedAt = performance.now();
    await act();
    times.push(performance.now() - startedAt);
  }
  const { user, system } = process.cpuUsage(before);
  return { ms: median(times), cpuMs: (user + system) / 1_000 / runs };
};

const told = ({ ms, cpuMs }: Cost): string => `${ms.toFixed(1)} ms (${cpuMs.toFixed(1)} ms of processor)`;

const costPerRun = (agent: InterlockAgent, messages: number): Promise<Cost> => {
  const said = [...history(messages - 1), { role: 'user', content: 'And now?' }] as never; // plain messages, one of each role
  return costOf(() => agent.generate(said));
};

/** The same engine's run of as many steps that do nothing, from its start until its end is found. */
const costPerEmptyRun = async (engine: Engine): Promise<Cost> => {
  const ends = new Map<string, () => void>();
  const program: Program = {
    id: 'empty',
    run: async (durable, { runId }) => {
      for (let step = 0; step < emptySteps; step += 1) await durable.step(String(step), async () => '');
      ends.get(runId)?.();
      return '';
    },
  };
  const empty = engine.host(program);
  let count = 0;
  return costOf(async () => {
    const runId = String((count += 1));
    const ended = new Promise<void>((resolve) => ends.set(runId, resolve));
    await empty.start({ runId, input: '' });
    await ended;
  });
};

const seam = async (): Promise<number> => {
  const body = async (): Promise<number> => 1;
  const count = 1_000_000;
  const time = async (act: () => Promise<number>): Promise<number> => {
    const startedAt = performance.now();
    for (let index = 0; index < count; index += 1) await act();
    return performance.now() - startedAt;
  };
  await time(body);
  const plain = await time(body);
  const through = await time(() => noJournal.stretch(undefined as never, '', body));
  return ((through - plain) / count) * 1_000;
};

const folder = mkdtempSync(join(tmpdir(), 'interlock-bench-'));
const onFile = (name: string) => {
  const path = join(folder, `${name}.db`);
  return { path, engine: openWorkflow({ path }) };
};

tellLine(`in process, a stretch that nothing keeps: ${(await seam()).toFixed(2)} us`);
const bare = onFile('empty');
const empty = await costPerEmptyRun(bare.engine);
await bare.engine.close();
tellLine(`openworkflow, ${emptySteps} empty steps: ${told(empty)} a run`);
for (const messages of [10, 100, 1_000]) {
  const plain = await costPerRun(agentOn(undefined), messages);
  const kept: Kept = [];
  const sieved = await costPerRun(agentOn(counting(sieve(), kept)), messages);
  const perRun = kept.length / (runs + warmUps);
  const first = Math.max(...kept.map(({ bytes }) => bytes));
  const others = kept.filter(({ key }) => key !== 'begin' && !key.startsWith('0 ')).map(({ bytes }) => bytes);
  const mean = others.reduce((sum, bytes) => sum + bytes, 0) / others.length;
  const file = onFile(String(messages));
  const filed = await costPerRun(agentOn(file.engine), messages);
  await file.engine.close();
  const bytes = fileSize(file.path) / (runs + warmUps);
  const locked = onFile(`locked-${messages}`);
  const sealed = await costPerRun(agentOn(encrypted(locked.engine, { key: randomBytes(32) })), messages);
  await locked.engine.close();
  tellLine(
    `${messages} messages, a run: in process ${told(plain)}; kept nowhere ${told(sieved)}; in a file ${told(filed)}; encrypted ${told(sealed)}; ` +
      `${perRun} steps, of which the first keeps ${(first / 1_024).toFixed(1)} KiB and each other ${(mean / 1_024).toFixed(2)} KiB; ` +
      `the file grows by ${(bytes / 1_024).toFixed(0)} KiB a run; a step in the file takes ${((filed.ms - plain.ms) / perRun).toFixed(2)} ms, an empty one ${(empty.ms / emptySteps).toFixed(2)} ms`,
  );
}
for (const leaseMs of [500, 2_000]) {
  const { restartedMs, endedMs } = await timeToResume(join(folder, `killed-${leaseMs}.db`), leaseMs);
  tellLine(
    `killed, lease ${leaseMs} ms: the run goes on ${restartedMs.toFixed(0)} ms after the next process has built its agent, and has ended after ${endedMs.toFixed(0)} ms`,
  );
}
rmSync(folder, { recursive: true, force: true });
