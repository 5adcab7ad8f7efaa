import { MastraLogger } from '@mastra/core/logger';
import { Mastra } from '@mastra/core/mastra';
import type { Processor } from '@mastra/core/processors';
import { createTool } from '@mastra/core/tools';
import { Observability, TestExporter } from '@mastra/observability';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { InterlockAgent, memoryEngine, type InterlockCallOptions } from '../../src/index.js';
import { scriptedModel, type ScriptedStep } from '../../src/testing/index.js';
import { settled } from '../mastra/support.js';
import { inTurn } from '../modes.js';
import { carriers, finish, inTokens, nameOf, readable, rows, secretOf, type Carrier, type Part } from './field-carriers.js';

const isIn = (value: unknown, secret: string): boolean => {
  const text = readable(value);
  return text.includes(secret) || inTokens(secret).every(({ token }) => text.includes(token));
};

const cleaned = (value: unknown, secret: string): unknown => {
  if (typeof value === 'string') return value.replaceAll(secret, '[x]');
  if (typeof value !== 'object' || value === null) return value;
  for (const [name, one] of Object.entries(value)) Object.assign(value, { [name]: cleaned(one, secret) });
  return value;
};

type Hook = 'processOutputStep' | 'processOutputResult';
type Guarding = (secret: string, hook: Hook) => Processor;
interface Message {
  readonly role: string;
  readonly content: { parts: { type: string }[] };
}
type Args = { messages: Message[]; abort(reason: string, options?: { retry: boolean }): never };

const judges = (hook: Hook, judge: (args: Args) => unknown) => ({ id: 'judge', [hook]: judge }) as unknown as Processor;

/** Guards of a whole answer. The edit removes files with the secret, and changes every other text in its messages. */
const guards: Readonly<Record<'edit' | 'trip' | 'retry' | 'fail', Guarding>> = {
  edit: (secret, hook) =>
    judges(hook, ({ messages }) => {
      for (const { role, content } of messages) {
        if (role !== 'assistant') continue;
        content.parts = content.parts.filter((part) => part.type !== 'file' || !isIn(part, secret));
        cleaned(content.parts, secret);
      }
      return messages;
    }),
  trip: (_secret, hook) => judges(hook, ({ abort }) => abort('No.')),
  retry: (_secret, hook) => {
    let count = 0;
    return judges(hook, ({ abort, messages }) => (count++ === 0 ? abort('No.', { retry: true }) : messages));
  },
  fail: (_secret, hook) =>
    judges(hook, ({ messages }) => {
      throw new Error(`Cannot judge ${readable(messages)}`);
    }),
};

/** Fields without a place in messages, where guards of a whole answer cannot see them. */
const unseen = new Set<string>([
  'file.filename',
  'reasoning-file.data',
  'reasoning-file.base64',
  'custom.*',
  '*.*',
  '*.providerMetadata', // its tokens are no value one by one; a value in one is in the tests below
]);

class Lines extends MastraLogger {
  readonly lines: unknown[] = [];
  debug(...line: unknown[]) {
    this.lines.push(line);
  }
  info(...line: unknown[]) {
    this.lines.push(line);
  }
  warn(...line: unknown[]) {
    this.lines.push(line);
  }
  error(...line: unknown[]) {
    this.lines.push(line);
  }
  override trackException(...line: unknown[]) {
    this.lines.push(line);
  }
}

type Way = 'generate' | 'stream' | 'durable';
const ways: readonly Way[] = ['generate', 'stream', 'durable'];

const copied = (value: unknown): unknown => {
  try {
    return structuredClone(value);
  } catch {
    return JSON.parse(JSON.stringify(value));
  }
};

/** Everything that an application can read of a run, by its source. */
const run = async (way: Way, { parts, tool, before }: Carrier, guard: Processor): Promise<Record<string, unknown>> => {
  const seen: Record<string, unknown[]> = { events: [], chunks: [], steps: [], ends: [], errors: [], left: [], result: [] };
  const into = (name: string) => (value: unknown) => void seen[name]?.push(copied(value));
  const answer = parts.some(({ type }) => type === 'finish') ? parts : [...parts, finish()];
  const steps = [{ parts: answer }, { text: 'Done.' }, { text: 'Other.' }] as unknown as ScriptedStep<'v2'>[];
  const search = createTool({
    id: 'search',
    description: 'Finds.',
    inputSchema: z.object({}),
    execute: (_input, context) => tool?.(context.writer) ?? Promise.resolve('none'),
  });
  const agent = new InterlockAgent({
    id: 'a',
    name: 'a',
    instructions: 'Help.',
    model: scriptedModel({ steps }),
    tools: { search },
    outputProcessors: [...(before ? [before] : []), guard],
    hold: 'run',
    maxProcessorRetries: 1,
    onRunEvent: into('events'),
    ...(way === 'durable' && { durability: memoryEngine() }),
  });
  const [exporter, logger] = [new TestExporter({ storeLogs: false }), new Lines()];
  const observability = new Observability({ configs: { default: { serviceName: 'tests', exporters: [exporter] } } });
  const { a } = new Mastra({ agents: { a: agent }, observability, logger }).listAgents();
  expect(a).toBe(agent);
  const options = {
    runId: 'r',
    includeRawChunks: true,
    onChunk: into('chunks'),
    onStepFinish: into('steps'),
    onFinish: (value: unknown) => void seen['ends']?.push(value),
    onError: (value: unknown) => void seen['errors']?.push(value),
  } as unknown as InterlockCallOptions;
  try {
    if (way === 'generate') seen['result']?.push(await agent.generate('Hi', options));
    else {
      const stream = await agent.stream('Hi', options);
      for await (const chunk of stream.fullStream) into('left')(chunk);
      seen['result']?.push(await stream.getFullOutput());
    }
  } catch (error) {
    seen['errors']?.push(error);
  }
  await settled();
  return { ...seen, spans: exporter.events, logs: logger.lines };
};

const leaksOf = async (way: Way, row: (typeof rows)[number], guarding: (secret: string) => Processor): Promise<string[]> => {
  const secret = secretOf(rows.indexOf(row));
  const seen = await run(way, carriers[nameOf(row)](secret, 'p'), guarding(secret));
  return Object.entries(seen).flatMap(([name, value]) => (isIn(value, secret) ? [`${nameOf(row)} in ${name}`] : []));
};

describe.each(ways)('P2 every field of the table, judged as a whole answer with hold run, %s', (way) => {
  /** A third of the fields, another one in each way for each verdict. */
  const fieldsFor = (verdict: string) => inTurn(rows, ways.indexOf(way) + verdict.length, 3);

  it.each(['processOutputStep', 'processOutputResult'] as const)('an edit in %s: the value is nowhere', async (hook) => {
    const leaks: string[] = [];
    for (const row of fieldsFor(`edit${hook}`)) {
      if (unseen.has(nameOf(row))) continue;
      leaks.push(...(await leaksOf(way, row, (secret) => guards.edit(secret, hook))));
    }
    expect(leaks).toEqual([]);
  });

  it.each([
    ['trip', 'processOutputStep'],
    ['trip', 'processOutputResult'],
    ['retry', 'processOutputStep'],
    ['fail', 'processOutputStep'],
    ['fail', 'processOutputResult'],
  ] as const)('a %s in %s: the value is nowhere', async (verdict, hook) => {
    const leaks: string[] = [];
    for (const row of fieldsFor(`${verdict}${hook}`))
      leaks.push(...(await leaksOf(way, row, (secret) => guards[verdict](secret, hook))));
    expect(leaks).toEqual([]);
  });

  it('control: without a verdict against it, the value is emitted', async () => {
    const missing: string[] = [];
    const own = fieldsFor('');
    for (const row of own) {
      const secret = secretOf(rows.indexOf(row));
      const seen = await run(
        way,
        carriers[nameOf(row)](secret, 'p'),
        judges('processOutputStep', ({ messages }) => messages),
      );
      if (!isIn(seen, secret)) missing.push(nameOf(row));
    }
    expect(missing).toEqual(unjudged.filter((name) => own.some((row) => nameOf(row) === name)));
  });
});

/** Fields that are not emitted, because no guard of a whole answer sees them. */
const unjudged = ['tool-call-delta.argsTextDelta', 'tool-call-input-streaming-start.toolName', 'raw.*'];

describe.each(ways)('P2 fields without a value of their own, %s', (way) => {
  const secret = secretOf(0);
  const text = (metadata: object): Part[] => [
    { type: 'text-start', id: 't' },
    { type: 'text-delta', id: 't', delta: 'Hello.' },
    { type: 'text-end', id: 't', providerMetadata: metadata },
  ];

  it('an edit of the metadata of a text alone reaches stream and result', async () => {
    const parts = text({ google: { quote: `To ${secret}` }, openai: { itemId: 'item-1' } });
    for (const hook of ['processOutputStep', 'processOutputResult'] as const) {
      const seen = await run(way, { parts }, guards.edit(secret, hook));
      expect(isIn(seen, secret)).toBe(false);
      expect(readable(seen)).toContain('item-1');
    }
  });

  it.each(['text/plain', 'image/png'])(
    'a file in bytes that a guard removed is not emitted, others are: %s',
    async (mediaType) => {
      const file = (content: string): Part => ({ type: 'file', mediaType, data: new TextEncoder().encode(content) });
      const seen = await run(way, { parts: [file('kept bytes'), file(secret)] }, guards.edit(secret, 'processOutputResult'));
      expect(isIn(seen, secret)).toBe(false);
      expect(readable(seen['chunks'])).toContain('kept bytes');
    },
  );

  it('pieces of arguments that are no valid JSON are not emitted', async () => {
    const input = `{"q": "${secret}`;
    const parts: Part[] = [
      { type: 'tool-input-start', id: 'c', toolName: 'search' },
      { type: 'tool-input-delta', id: 'c', delta: input },
      { type: 'tool-input-end', id: 'c' },
      { type: 'tool-call', toolCallId: 'c', toolName: 'search', input },
    ];
    const seen = await run(way, { parts }, guards.edit(secret, 'processOutputStep'));
    expect(isIn(seen, secret)).toBe(false);
  });
});
