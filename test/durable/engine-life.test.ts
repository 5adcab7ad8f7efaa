import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

import { describe, expect, it, onTestFinished } from 'vitest';

import type { Engine } from '../../src/durable/journal.js';
import { openFile } from '../../src/durable/openworkflow/open-file.js';
import { runTables } from '../../src/durable/openworkflow/tables.js';
import { openWorkflow, type OpenWorkflowOptions } from '../../src/durable/openworkflow/index.js';
import { InterlockAgent } from '../../src/index.js';
import type { CodeChange } from '../../src/mastra/options/own-options.js';
import { scriptedModel } from '../../src/testing/index.js';
import { createDisk, mortalEngine } from './mortal-engine.js';
import { scenarios, type Scenario } from './scenarios.js';

const prompt = 'Please charge me.';
const tools = () => (scenarios['tools'] as () => Scenario)();

const newFile = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'interlock-durable-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, 'runs.db');
};

const onFile = (options: OpenWorkflowOptions): Engine => {
  const engine = openWorkflow(options);
  onTestFinished(() => engine.close());
  return engine;
};

describe('changed code', () => {
  const guardNamed = (id: string) => ({ id, processInput: ({ messages }: { messages: never[] }) => messages }) as never;

  /** A run that one version of the code started and another continues. */
  const changed = async (accepts?: (change: CodeChange) => boolean) => {
    const disk = createDisk();
    const mortal = mortalEngine(disk, 5);
    const before = tools().agent({ durability: mortal, inputProcessors: [guardNamed('old')] });
    void before.generate(prompt, { runId: 'one' }).catch(() => undefined);
    await mortal.died;
    const refusals: unknown[] = [];
    const after = mortalEngine(disk);
    const recordingEngine: Engine = {
      ...after,
      host: (program) =>
        after.host({
          ...program,
          run: (...args) =>
            program.run(...args).catch((error: unknown) => {
              refusals.push(error);
              return new Promise<never>(() => undefined); // like an engine that waits for the right code
            }),
        }),
    };
    const agent = tools().agent({
      durability: recordingEngine,
      inputProcessors: [guardNamed('new')],
      acceptChangedCode: accepts,
    });
    return { agent, refusals };
  };

  const greeter = (options: object) =>
    new InterlockAgent({ id: 'greeter', name: 'Greeter', instructions: 'Greet.', ...options } as never);

  const agentOn = (path: string, guard: string, acceptChangedCode?: () => boolean) => {
    const durability = onFile({ path, leaseMs: 1_000 });
    const model = scriptedModel({ steps: () => ({ text: 'Hello.' }) });
    const agent = greeter({ model, durability, acceptChangedCode, inputProcessors: [guardNamed(guard)] });
    return Object.assign(agent, { close: () => durability.close() });
  };

  /** A run in a file whose process died in the middle of a model call. */
  const abandon = async () => {
    const path = newFile();
    const disk = onFile({ path, leaseMs: 1_000 });
    const model = scriptedModel({ steps: () => ({ hang: true }) });
    const dying = mortal(disk);
    void greeter({ model, durability: dying, inputProcessors: [guardNamed('old')] })
      .generate('Hi', { runId: 'one' })
      .catch(() => undefined);
    await expect.poll(() => model.calls.length).toBe(1);
    dying.die();
    await disk.close();
    return { path, modelCalls: () => model.calls.length };
  };

  /** An engine whose runs are interrupted when the process should die. */
  const mortal = (engine: Engine) => {
    const { promise, reject } = Promise.withResolvers<never>();
    promise.catch(() => undefined);
    const host: Engine['host'] = (program) =>
      engine.host({
        ...program,
        run: (durable, call) =>
          Promise.race([
            promise,
            program.run(
              {
                ...durable,
                step: (key, body) => Promise.race([promise, durable.step(key, (inner) => Promise.race([promise, body(inner)]))]),
              },
              call,
            ),
          ]),
      });
    return { ...engine, host, die: () => reject(new Error('The process is gone.')) };
  };

  it('is rejected, and the run waits', async () => {
    const { agent, refusals } = await changed();
    await expect.poll(() => refusals, { timeout: 5_000 }).toMatchObject([{ code: 'durable/changed-code', path: 'one' }]);
    const ended = agent
      .attach('one')
      .then((stream) => stream.getFullOutput())
      .then(() => 'ended');
    expect(await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, 300, 'waiting'))])).toBe('waiting');
  });

  it('is listed as needs-decision, is reported to followers, and continues after acceptance', async () => {
    const { path, modelCalls } = await abandon();
    const waiting = agentOn(path, 'new');
    await expect
      .poll(() => waiting.listRuns({ status: 'needs-decision' }), { timeout: 20_000 })
      .toMatchObject([{ runId: 'one', status: 'needs-decision' }]);
    const [noted] = await waiting.listRuns({ status: 'needs-decision' });
    const { fullStream } = await waiting.attach('one');
    for await (const chunk of fullStream as AsyncIterable<{ type: string; data?: object }>)
      if (chunk.type === 'data-interlock-needs-decision') {
        expect(noted).toMatchObject(chunk.data ?? {});
        break;
      }
    expect((await waiting.listSuspendedRuns()).total).toBe(0);
    await waiting.close();
    const accepting = agentOn(path, 'new', () => true);
    expect((await (await accepting.attach('one')).getFullOutput()).text).toBe('Hello.');
    expect([modelCalls(), await accepting.listRuns({ status: 'needs-decision' })]).toEqual([1, []]);
  });

  it('can be canceled while it waits for a decision', async () => {
    const { path } = await abandon();
    const waiting = agentOn(path, 'new');
    await expect.poll(() => waiting.listRuns({ status: 'needs-decision' }), { timeout: 20_000 }).toHaveLength(1);
    await waiting.cancel('one');
    expect((await (await waiting.attach('one')).getFullOutput()).status).toBe('canceled');
    expect(await waiting.listRuns({ status: 'needs-decision' })).toEqual([]);
  });

  it('is accepted if a function returns true', async () => {
    const changes: CodeChange[] = [];
    const { agent } = await changed((change) => changes.push(change) > 0);
    expect((await (await agent.attach('one')).getFullOutput()).text).toBe('I charge. All is paid.');
    expect(changes).toMatchObject([{ runId: 'one' }]);
    expect(changes[0]?.from).not.toBe(changes[0]?.to);
  });
});

describe('the persisted data of a step', () => {
  /** The stored bytes per step, except for the first, which stores the conversation. */
  const sizes = async (messages: number): Promise<number[]> => {
    const disk = createDisk();
    const agent = tools().agent({ durability: mortalEngine(disk) });
    const history = Array.from({ length: messages }, (_, index) => ({
      role: 'user' as const,
      content: `${index} ${'word '.repeat(50)}`,
    }));
    await agent.generate([...history, { role: 'user' as const, content: prompt }], { runId: 'one' });
    return [...(disk.runs.get('0:one')?.kept ?? [])].slice(2).map(([, text]) => text.length);
  };

  it('does not grow with the earlier conversation', async () => {
    const [few, many] = [await sizes(2), await sizes(200)];
    expect(many).toHaveLength(few.length);
    for (const [index, size] of many.entries())
      expect(Math.abs(size - (few[index] as number)), `step ${index}`).toBeLessThan(200);
  });
});

describe('openWorkflow', () => {
  it('two agents on one file do not adopt each other’s runs', async () => {
    const path = newFile();
    const engine = onFile({ path });
    const agents = ['one', 'two'].map(
      (id) =>
        new InterlockAgent({
          id,
          name: id,
          instructions: 'Answer.',
          model: scriptedModel({ steps: () => ({ text: id }) }),
          durability: engine,
        }),
    );
    const texts = await Promise.all([...agents, ...agents].map(async (agent) => (await agent.generate('Go')).text));
    expect(texts).toEqual(['one', 'two', 'one', 'two']);
  });

  it('completes many concurrent runs, each effect once', async () => {
    const scenario = tools();
    const agent = scenario.agent({ durability: onFile({ path: newFile() }) });
    const results = await Promise.all(Array.from({ length: 60 }, () => agent.generate(prompt)));
    expect(new Set(results.map(({ status }) => status))).toEqual(new Set(['success']));
    expect(new Set(results.map(({ runId }) => runId)).size).toBe(60);
    expect(scenario.effects).toHaveLength(120);
  });

  it('another process can follow and cancel a run', async () => {
    const path = newFile();
    const model = scriptedModel({ steps: (call) => (call.index === 0 ? { text: 'Hello.' } : { hang: true }) });
    const agentOn = (durability: Engine) =>
      new InterlockAgent({ id: 'greeter', name: 'Greeter', instructions: 'Greet.', model, durability });
    const [here, there] = [agentOn(onFile({ path })), agentOn(onFile({ path }))];
    expect((await here.generate('Hi', { runId: 'one' })).text).toBe('Hello.');
    expect((await (await there.attach('one')).getFullOutput()).text).toBe('Hello.');
    const hanging = here.generate('Hi', { runId: 'two' });
    await expect.poll(() => model.calls.length).toBe(2);
    await there.cancel('two');
    expect((await hanging).status).toBe('canceled');
    expect((await (await there.attach('two')).getFullOutput()).status).toBe('canceled');
  });

  it('has no step limit: a run of 1,100 steps ends, and each step runs once', async () => {
    let starts = 0;
    const runs = onFile({ path: newFile() }).host({
      id: 'counter',
      run: async (durable) => {
        for (let step = 0; step < 1_100; step += 1) await durable.step(`step ${step}`, async () => `${(starts += 1)}`);
        return `${starts}`;
      },
    });
    await runs.start({ runId: 'one', input: '' });
    await expect.poll(() => runs.find('one'), { timeout: 20_000 }).toEqual({ kind: 'ended', output: '1100' });
  });

  it('reports an unwritable file with a code', async () => {
    const path = newFile();
    const model = scriptedModel({ steps: [{ text: 'Hello.' }] });
    const agent = new InterlockAgent({
      id: 'greeter',
      name: 'Greeter',
      instructions: 'Greet.',
      model,
      durability: onFile({ path }),
    });
    const other = new DatabaseSync(path);
    other.exec('DROP TABLE interlock_runs');
    other.close();
    await expect(agent.generate('Hi', { runId: 'one' })).rejects.toMatchObject({ code: 'durable/unreachable', path });
  });

  it('retry continues an abandoned run from its journal', async () => {
    const path = newFile();
    const file = openFile(path);
    for (let life = 0; life < 3; life += 1) await runTables(file, 'greeter').ledgerOf('0:one').countStart(0);
    file.close();
    const model = scriptedModel({ steps: [{ text: 'Hello.' }] });
    const durability = onFile({ path, maxDeaths: 3 });
    const agent = new InterlockAgent({ id: 'greeter', name: 'Greeter', instructions: 'Greet.', model, durability });
    await expect(agent.generate('Hi', { runId: 'one' })).rejects.toMatchObject({ code: 'durable/lost-run' });
    await agent.retry('one');
    expect((await (await agent.attach('one')).getFullOutput()).text).toBe('Hello.');
    await expect(agent.retry('one')).rejects.toMatchObject({ code: 'durable/wrong-state' });
  });

  it('counts only the processes that died at the same step of a run', async () => {
    const file = openFile(newFile());
    onTestFinished(() => file.close());
    const { countStart, uncountStart } = runTables(file, 'program').ledgerOf('run');
    expect([await countStart(0), await countStart(0), await countStart(0)]).toEqual([0, 1, 2]); // each of the first two has died
    expect(await countStart(3)).toBe(0); // the third got further
    await uncountStart(); // it was interrupted, and lives
    expect([await countStart(3), await countStart(3)]).toEqual([0, 1]);
  });

  it('abandons a run that killed too many processes, with an error code', async () => {
    const path = newFile();
    const file = openFile(path);
    for (let life = 0; life < 3; life += 1) await runTables(file, 'greeter').ledgerOf('0:one').countStart(0);
    file.close();
    const model = scriptedModel({ steps: [{ text: 'Hello.' }] });
    const durability = onFile({ path, maxDeaths: 3 });
    const agent = new InterlockAgent({ id: 'greeter', name: 'Greeter', instructions: 'Greet.', model, durability });
    await expect(agent.generate('Hi', { runId: 'one' })).rejects.toMatchObject({
      code: 'durable/lost-run',
      message: expect.stringContaining('3 processes have died of it') as string,
    });
    expect(model.calls).toHaveLength(0);
  });
});
