import { RequestContext } from '@mastra/core/request-context';
import { describe, expect, it } from 'vitest';

import { callThen, echo, modes } from '../mastra/support.js';
import { agentsOf, openDisk, target, type Disk } from './support.js';

type Row = Record<string, unknown>;

const tables = ['mastra_threads', 'mastra_messages', 'mastra_resources'];

/** Rows without what differs from run to run: ids and times are named in the order in which they first appear. */
const normalised = (rows: Row[]): unknown => {
  const names = new Map<string, string>();
  const named = (kind: string, value: string): string => {
    const name = names.get(value) ?? `${kind}-${names.size}`;
    names.set(value, name);
    return name;
  };
  const text = JSON.stringify(rows.map(readJson), (key, value: unknown) =>
    key === 'createdAt' || key === 'updatedAt' ? 'time' : value,
  );
  return JSON.parse(text.replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, (id) => named('id', id)));
};

const readJson = (row: Row): Row =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      name,
      typeof value === 'string' && /^[{[]/.test(value) ? JSON.parse(value) : value,
    ]),
  );

const contentOf = async (disk: Disk): Promise<Record<string, unknown>> => {
  const all: Record<string, unknown> = {};
  for (const table of tables) all[table] = normalised(await disk.rows(table));
  return all;
};

const scripts = {
  'a plain answer': { steps: [{ text: ['Hello ', 'Ada.'] }], said: ['I am Ada.'] },
  'two turns': { steps: [{ text: 'Hello Ada.' }, { text: 'Ada.' }], said: ['I am Ada.', 'Who am I?'] },
  'a tool': { steps: callThen('echo', { say: 'hi' }), tools: { echo }, said: ['Say hi.'] },
};

describe.each(modes)('what stands in the database after %s', (mode) => {
  it.each(Object.entries(scripts))('is what Mastra’s agent saves: %s', async (_name, { said, steps, ...config }) => {
    const found = [];
    for (const kind of ['stock', 'interlock'] as const) {
      const disk = openDisk();
      const agent = agentsOf(steps, config)[kind](disk.memory());
      for (const text of said) {
        const result = await agent[mode](text, { memory: target, requestContext: new RequestContext() });
        await result.text;
      }
      found.push(await contentOf(disk));
    }
    const [stock, interlock] = found;
    expect(interlock).toEqual(stock);
  });
});
