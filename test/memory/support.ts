import { Agent } from '@mastra/core/agent';
import type { MastraDBMessage } from '@mastra/core/agent/message-list';
import { LibSQLStore, LibSQLVector } from '@mastra/libsql';
import { Memory } from '@mastra/memory';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync, type SQLOutputValue } from 'node:sqlite';
import { onTestFinished } from 'vitest';

import { InterlockAgent, type RunEvent } from '../../src/index.js';
import { scriptedModel, type ScriptedModel, type ScriptedModelOptions, type ScriptedStep } from '../../src/testing/index.js';

export const target = { thread: 'thread-1', resource: 'user-1' };

type MemoryConfig = ConstructorParameters<typeof Memory>[0] & object;

/** A database on disk, with access to its files. */
export interface Disk {
  readonly url: string;
  readonly store: LibSQLStore;
  /** Its vectors; opened on first use. */
  readonly vector: LibSQLVector;
  /** A memory over this database. */
  memory(config?: Omit<MemoryConfig, 'storage'>): Memory;
  /** The same files, as opened by another process. */
  reopen(): LibSQLStore;
  /** Whether the database's files contain a text anywhere, including free pages and log. */
  holds(text: string): boolean;
  /** The rows of a table. */
  rows(table: string): Record<string, unknown>[];
}

/** A database in a temporary folder, removed after the test. */
export const openDisk = (): Disk => {
  const folder = mkdtempSync(join(tmpdir(), 'interlock-memory-'));
  const file = join(folder, 'memory.db');
  const url = `file:${file}`;
  const stores = [new LibSQLStore({ id: 'disk', url })];
  const [store] = stores as [LibSQLStore];
  let vector: LibSQLVector | undefined;
  onTestFinished(async () => {
    for (const one of stores) await one.close();
    rmSync(folder, { recursive: true, force: true });
  });
  return {
    url,
    store,
    get vector() {
      return (vector ??= new LibSQLVector({ id: 'vectors', url }));
    },
    memory: (config = {}) => new Memory({ storage: store, ...config }),
    reopen: () => {
      const again = new LibSQLStore({ id: 'disk-again', url });
      stores.push(again);
      return again;
    },
    holds: (text) => readdirSync(folder).some((name) => readFileSync(join(folder, name)).includes(text)),
    rows: (table) => {
      const database = new DatabaseSync(file, { readOnly: true });
      const asText = database.prepare('SELECT json(?) AS text'); // some columns are SQLite's own binary form of JSON
      const read = (value: SQLOutputValue) => (value instanceof Uint8Array ? asText.get(value)?.['text'] : value);
      const rows = database.prepare(`SELECT * FROM ${table} ORDER BY "createdAt", id`).all();
      const plain = rows.map((row) => Object.fromEntries(Object.entries(row).map(([name, value]) => [name, read(value)])));
      database.close();
      return plain;
    },
  };
};

const dimensions = 64;

/** Texts that share words are near each other: enough meaning for a search. Nothing else is simulated. */
const vectorOf = (text: string): number[] => {
  const vector = Array.from({ length: dimensions }, () => 0.001);
  for (const word of text.toLowerCase().match(/\p{L}+/gu) ?? []) {
    let place = 0;
    for (const sign of word) place = (place * 31 + (sign.codePointAt(0) ?? 0)) % dimensions;
    vector[place] = 1;
  }
  return vector;
};
let models = 0;
const embedder = () => ({
  specificationVersion: 'v2' as const,
  provider: 'stub',
  modelId: `words-${(models += 1)}`,
  maxEmbeddingsPerCall: 100,
  supportsParallelCalls: true,
  doEmbed: async ({ values }: { values: string[] }) => ({ embeddings: values.map(vectorOf) }),
});

/** A memory with semantic recall. */
export const recalling = (disk: Disk, scope: 'thread' | 'resource' = 'thread') =>
  disk.memory({
    vector: disk.vector,
    embedder: embedder() as never, // a v2 model, typed for another version of the interface
    options: { lastMessages: 1, semanticRecall: { topK: 1, messageRange: 0, scope } },
  });

type Steps = readonly ScriptedStep<'v2'>[];
/** Any options of an agent; their own type, with a memory of any form, is too complex for the compiler. */
type Config = Readonly<Record<string, unknown>>;

/** The common interface of both agents in tests. */
export type Answering = Record<'generate' | 'stream', (text: string, options: object) => Promise<{ text: unknown }>>;

const base = (model: unknown): object => ({ id: 'tested', name: 'Tested', instructions: 'Answer.', model });

/** The same agent with Mastra's loop or ours, and its model. */
export const agentOf = (
  kind: 'stock' | 'interlock',
  steps: Steps,
  config: Config,
): { agent: Answering; model: ScriptedModel } => {
  const model = scriptedModel({ steps });
  const given = { ...base(model), ...config } as never;
  return { agent: kind === 'stock' ? new Agent(given) : new InterlockAgent(given), model };
};

/** An agent with memory over a scripted model, and the model. */
export const remembering = (memory: unknown, steps: ScriptedModelOptions['steps'], config: Config = {}) => {
  const model = scriptedModel({ steps });
  const agent = new InterlockAgent({ ...base(model), ...config, memory } as never);
  return { agent, model };
};

/** The content of a message, with its role. */
const describeMessage = ({ role, content }: MastraDBMessage): string =>
  `${role}: ${content.parts.flatMap((part) => (part.type === 'text' ? [part.text] : part.type === 'step-start' ? [] : [`(${part.type})`])).join(' ')}`;

/** The messages of a thread, oldest first. */
export const savedIn = async (memory: Pick<Memory, 'recall'>, threadId = target.thread): Promise<string[]> => {
  const { messages } = await memory.recall({ threadId, resourceId: target.resource, perPage: false });
  return messages.map(describeMessage);
};

/** The messages for memory, from a run's events. */
export const givenIn = (events: readonly RunEvent[]): string[] =>
  events.flatMap((event) => (event.type === 'memory' ? [event.error ? `${event.given}: ${event.error}` : event.given] : []));
