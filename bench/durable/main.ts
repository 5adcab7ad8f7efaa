import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openWorkflow } from '../../src/durable/openworkflow/index.js';
import { InterlockAgent, type Durable, type Engine } from '../../src/index.js';
import { noJournal } from '../../src/loop/journal.js';
import { scriptedModel } from '../../src/testing/index.js';

/** `npm run bench:durable`: what it costs to keep a run, per stretch of it, in time and bytes. */

const runs = 40;
const warmUps = 5;
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

const msPerRun = async (agent: InterlockAgent, messages: number): Promise<number> => {
  const said = [...history(messages - 1), { role: 'user', content: 'And now?' }] as never; // plain messages, one of each role
  for (let index = 0; index < warmUps; index += 1) await agent.generate(said);
  const startedAt = performance.now();
  for (let index = 0; index < runs; index += 1) await agent.generate(said);
  return (performance.now() - startedAt) / runs;
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
tellLine(`in process, a stretch that nothing keeps: ${(await seam()).toFixed(2)} us`);
for (const messages of [10, 100, 1_000]) {
  const plain = await msPerRun(agentOn(undefined), messages);
  const kept: Kept = [];
  const sieved = await msPerRun(agentOn(counting(sieve(), kept)), messages);
  const perRun = kept.length / (runs + warmUps);
  const first = Math.max(...kept.map(({ bytes }) => bytes));
  const others = kept.filter(({ key }) => key !== 'begin' && !key.startsWith('0 ')).map(({ bytes }) => bytes);
  const mean = others.reduce((sum, bytes) => sum + bytes, 0) / others.length;
  const file = openWorkflow({ path: join(folder, `${messages}.db`) });
  const filed = await msPerRun(agentOn(file), messages);
  await file.close();
  tellLine(
    `${messages} messages: ${plain.toFixed(1)} ms a run in process; kept nowhere ${sieved.toFixed(1)} ms; in a file ${filed.toFixed(1)} ms; ` +
      `${perRun} steps, of which the first keeps ${(first / 1_024).toFixed(1)} KiB and each other ${(mean / 1_024).toFixed(2)} KiB`,
  );
}
rmSync(folder, { recursive: true, force: true });
