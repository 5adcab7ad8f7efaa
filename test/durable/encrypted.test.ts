import { randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

import { expect, it, onTestFinished } from 'vitest';

import { openWorkflow } from '../../src/durable/openworkflow/index.js';
import { unpack, unpackText } from '../../src/durable/packed.js';
import { createSeal } from '../../src/durable/encrypted.js';
import { encrypted, InterlockAgent } from '../../src/index.js';
import type { Engine } from '../../src/engine.js';
import { scriptedModel } from '../../src/testing/index.js';
import { createDisk, mortalEngine, type Disk } from './mortal-engine.js';
import { scenarios, type Scenario } from './scenarios.js';

const prompt = 'My card is 4111-1111-1111-1111.';
const rejected = 'FORBIDDEN-WORDS';

/** An agent that stores a value separately, and whose first answer is rejected. */
const careful = (durability: Engine) =>
  new InterlockAgent({
    id: 'careful',
    name: 'Careful',
    instructions: 'Answer.',
    model: scriptedModel({ steps: (call) => ({ text: call.index === 0 ? rejected : 'All is well.' }) }),
    inputProcessors: [
      {
        id: 'vault',
        processInput: ({ state, messages }) => {
          state['value'] = '4111-1111-1111-1111';
          return messages;
        },
      },
    ],
    outputProcessors: [
      {
        id: 'polite',
        processOutputStep: ({ text, abort, messages }) => {
          if (text?.includes(rejected)) abort('mind your words', { retry: true });
          return messages;
        },
      },
    ],
    maxProcessorRetries: 1,
    durability,
  });

/** The values of a file without their compression. */
const unpacked = (path: string): string[] => {
  const db = new DatabaseSync(path);
  const tables = db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all();
  const rows = tables.flatMap(({ name }) => db.prepare(`SELECT * FROM "${String(name)}"`).all());
  db.close();
  return rows
    .flatMap((row) => Object.values(row))
    .map((value) => unpack(value, path).replace(/deflate [\w+/=]+/g, (packed) => unpackText(packed, path)));
};

/** The bytes of all data that an engine stores on the disk, as text, and the values in them. */
const kept = async (wrap: (engine: Engine) => Engine): Promise<string> => {
  const folder = mkdtempSync(join(tmpdir(), 'interlock-durable-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const engine = wrap(openWorkflow({ path: join(folder, 'runs.db') }));
  const agent = careful(engine);
  const { text } = await agent.generate(prompt, { runId: 'one' });
  expect([text, await (await agent.attach('one', { from: 0 })).text]).toEqual(['All is well.', 'All is well.']);
  const read = () => readdirSync(folder).map((name) => readFileSync(join(folder, name), 'latin1'));
  const whileOpen = read();
  await engine.close();
  return [...whileOpen, ...read(), ...unpacked(join(folder, 'runs.db'))].join('');
};

it('the file contains no text of a run: no rejected text, no guard state, no other text', async () => {
  const key = randomBytes(32);
  const closed = await kept((engine) => encrypted(engine, { key }));
  const open = await kept((engine) => engine);
  for (const words of [rejected, '4111-1111', 'All is well', 'mind your words']) {
    expect(open, words).toContain(words);
    expect(closed, words).not.toContain(words);
  }
});

it('rotates keys during runs; without the key nothing is read and no run restarts', async () => {
  const [old, young] = [randomBytes(32), randomBytes(32).toString('base64')];
  const scenario = (scenarios['tools'] as () => Scenario)();
  const on = (disk: Disk, key: string | Buffer, previousKeys?: Buffer[]) =>
    scenario.agent({ durability: encrypted(mortalEngine(disk), { key, previousKeys }) });
  const disk = createDisk();
  await on(disk, old).generate(prompt, { runId: 'run' });
  expect(await (await on(disk, young, [old]).attach('run')).text).toBe('All is paid.');
  await expect(on(disk, young).attach('run')).rejects.toMatchObject({ code: 'durable/unreadable' });
  await expect(scenario.agent({ durability: mortalEngine(disk) }).attach('run')).rejects.toMatchObject({
    code: 'durable/unreadable',
  });
  expect(scenario.effects).toHaveLength(2);
});

it('rejects a changed or moved ciphertext', () => {
  const seal = createSeal([randomBytes(32)]);
  const closed = seal.close('words', 'here');
  expect([seal.open(closed, 'here'), seal.close('words', 'here') === closed]).toEqual(['words', false]);
  const unreadable = expect.objectContaining({ code: 'durable/unreadable' });
  expect(() => seal.open(closed, 'there')).toThrow(unreadable);
  expect(() => seal.open('words', 'here')).toThrow(unreadable);
  const [id = '', body = ''] = closed.split('.');
  const bytes = Buffer.from(body, 'base64');
  for (let index = 0; index < bytes.length; index += 1) {
    const changed = Buffer.from(bytes);
    changed[index] = (changed[index] ?? 0) ^ 1;
    expect(() => seal.open(`${id}.${changed.toString('base64')}`, 'here'), `byte ${index}`).toThrow(unreadable);
  }
  expect(() => seal.open(`${id}.`, 'here')).toThrow(unreadable);
});

it.each([Buffer.alloc(16), 'a password', '', undefined, 32])('rejects the key %o', (key) => {
  expect(() => encrypted(mortalEngine(createDisk()), { key: key as string })).toThrow(
    expect.objectContaining({ code: 'durable/invalid-key' }),
  );
});

it('reads with `none` the runs that were stored before encryption, and encrypts what follows', async () => {
  const scenario = (scenarios['tools'] as () => Scenario)();
  const disk = createDisk();
  const dying = mortalEngine(disk, 8);
  void scenario
    .agent({ durability: dying })
    .generate(prompt, { runId: 'run' })
    .catch(() => undefined);
  await dying.died;
  const key = randomBytes(32);
  const agentWith = (previousKeys: string[]) =>
    scenario.agent({ durability: encrypted(mortalEngine(disk), { key, previousKeys }) });
  await expect(agentWith([]).attach('run')).rejects.toMatchObject({ code: 'durable/unreadable' });
  const { status, text } = await (await agentWith(['none']).attach('run')).getFullOutput();
  expect([status, text]).toEqual(['success', 'I charge. All is paid.']);
  expect(disk.runs.get('0:run')?.output).not.toContain('paid');
});

it('the file rejects a program with encrypted runs in a process without a key', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'interlock-durable-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = () => openWorkflow({ path: join(folder, 'runs.db') });
  const first = encrypted(file(), { key: randomBytes(32) });
  await careful(first).generate(prompt, { runId: 'one' });
  await first.close();
  const second = file();
  expect(() => careful(second)).toThrow(expect.objectContaining({ code: 'durable/unreadable', path: 'careful' }));
  await second.close();
});
