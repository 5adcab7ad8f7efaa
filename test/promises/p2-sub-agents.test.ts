import { inspect } from 'node:util';
import { Agent } from '@mastra/core/agent';
import type { Processor } from '@mastra/core/processors';
import { createTool } from '@mastra/core/tools';
import { createStep, createWorkflow } from '@mastra/core/workflows';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { InterlockAgent } from '../../src/index.js';
import { scriptedModel, type ScriptedStep } from '../../src/testing/index.js';
import { redactor } from '../../workflows/guards/index.js';
import type { Chunk } from './support.js';

const secret = 'ZEBRA42';
type Message = { role: string; content: { parts: { type: string; text?: string }[] } };

const redact = ({ messages }: { messages: Message[] }) => {
  const parts = messages.flatMap(({ role, content }) => (role === 'assistant' ? content.parts : []));
  for (const part of parts) if (part.text) part.text = part.text.replaceAll(secret, '[x]');
  return messages;
};

/** The sub-agent's guard and its effect on the answer. */
const guards = {
  'trips in outputStep': { processOutputStep: ({ abort }: { abort(why: string): never }) => abort('no') },
  'trips in outputResult': { processOutputResult: ({ abort }: { abort(why: string): never }) => abort('no') },
  'fails in outputStep': {
    processOutputStep: () => {
      throw new Error('down');
    },
  },
  'fails in outputResult': { processOutputResult: () => Promise.reject(new Error('down')) },
  'edits in outputStep': { processOutputStep: redact },
  'edits in outputResult': { processOutputResult: redact },
} as const;

const callsTo = (agent: string): ScriptedStep<'v2'>[] => [
  { toolCalls: [{ name: `agent-${agent}`, args: { prompt: 'Say it.' } }] },
  { text: ['Done.'] },
];

const common = (id: string, steps: ScriptedStep<'v2'>[]) => ({
  id,
  name: id,
  description: id,
  instructions: id,
  model: scriptedModel({ steps }),
  hold: 'none' as const,
  window: 'delta' as const,
});

const childWith = (kind: keyof typeof guards) =>
  new InterlockAgent({
    ...common('child', [{ text: ['It is ', 'ZEBRA', '42', '.'] }]),
    outputProcessors: [{ id: 'judge', ...guards[kind] } as unknown as Processor],
  });

/** A supervisor over a number of levels; the levels between may be Mastra's own agents. */
const supervisor = (child: InterlockAgent, { depth, middle, ...own }: Row): InterlockAgent => {
  let below: Agent = child;
  for (let level = 1; level < depth; level += 1) {
    const config = { ...common(`middle${level}`, callsTo(below.id)), agents: { [below.id]: below } };
    below = middle === 'stock' ? new Agent(config as never) : new InterlockAgent(config as never);
  }
  return new InterlockAgent({ ...common('top', callsTo(below.id)), agents: { [below.id]: below }, ...own });
};

interface Row {
  readonly depth: number;
  readonly middle: 'ours' | 'stock';
  readonly hold: 'none' | 'step' | 'run';
  readonly outputProcessors?: Processor[];
}

const streamed = async (agent: InterlockAgent): Promise<Chunk[]> => {
  const chunks: Chunk[] = [];
  const stream = await agent.stream('Go.');
  for await (const chunk of stream.fullStream) chunks.push(chunk);
  return chunks;
};

const generated = async (agent: InterlockAgent): Promise<Chunk[]> => {
  const chunks: Chunk[] = [];
  await agent.generate('Go.', { onChunk: (chunk: unknown) => void chunks.push(chunk as Chunk) });
  return chunks;
};

/** The frames of sub-agents, at any depth, flat. */
const framesIn = (chunks: readonly Chunk[]): Chunk[] =>
  chunks.flatMap((chunk) => {
    const inner = chunk.type === 'tool-output' ? (chunk.payload as { output?: Chunk }).output : undefined;
    return inner?.type === undefined ? [chunk] : framesIn([inner]);
  });

const textOf = (chunks: readonly Chunk[]): string =>
  chunks.map(({ type, payload }) => (type === 'text-delta' ? (payload as { text: string }).text : '')).join('');

/** The text on a client that follows retractions. */
const visibleText = (chunks: readonly Chunk[]): string => {
  const retracted = new Set(
    chunks.flatMap(({ type, data }) => (type === 'data-interlock-retract' ? (data as { partIds: string[] }).partIds : [])),
  );
  return textOf(chunks.filter(({ payload }) => !retracted.has((payload as { id?: string } | undefined)?.id ?? '')));
};

const whats = Object.keys(guards) as (keyof typeof guards)[];
const shapes = [
  { depth: 1, middle: 'ours' },
  { depth: 2, middle: 'ours' },
  { depth: 3, middle: 'ours' },
  { depth: 2, middle: 'stock' },
] as const;

describe.each(whats)('P2 the guard of a sub-agent %s', (kind) => {
  const held = [...shapes.map((shape) => ({ ...shape, hold: 'step' as const })), { ...shapes[1], hold: 'run' as const }];

  it.each(held)('depth $depth, $middle between, the supervisor holds each $hold: emits no unjudged text', async (row) => {
    const frames = framesIn(await streamed(supervisor(childWith(kind), row)));
    expect(textOf(frames)).not.toContain('ZEBRA');
    expect(JSON.stringify(frames)).not.toContain('ZEBRA');
    expect(frames.some(({ type }) => type === 'data-interlock-retract')).toBe(false);
    expect(textOf(frames)).toContain('Done.');
    expect(textOf(frames).includes('It is [x].')).toBe(kind.startsWith('edits'));
  });

  it('generate with a hold: emits no unjudged text', async () => {
    const frames = framesIn(await generated(supervisor(childWith(kind), { ...shapes[1], hold: 'step' })));
    expect(JSON.stringify(frames)).not.toContain('ZEBRA');
    expect(textOf(frames)).toContain('Done.');
  });

  it.each(shapes)('depth $depth, $middle between, no hold: retracts the emitted text', async (shape) => {
    const frames = framesIn(await streamed(supervisor(childWith(kind), { ...shape, hold: 'none' })));
    expect(textOf(frames)).toContain(secret); // it left before it was judged
    expect(visibleText(frames)).not.toContain('ZEBRA');
    expect(visibleText(frames).includes('It is [x].')).toBe(kind.startsWith('edits'));
  });
});

it.each(shapes)(
  'P2 text that a supervisor guard redacts does not reappear in later output of sub-agents: depth $depth, $middle',
  async (shape) => {
    const child = new InterlockAgent(common('child', [{ text: ['It is ', 'ZEBRA', '42', '.'] }]));
    const codes = redactor({ strategy: 'replace', kinds: [], patterns: [{ name: 'code', regex: /ZEBRA42/, maxLength: 7 }] });
    const kept: Chunk[] = [];
    const stream = await supervisor(child, { ...shape, hold: 'none', outputProcessors: [codes] }).stream('Go.', {
      onChunk: (chunk: unknown) => void kept.push(chunk as Chunk),
    });
    await stream.getFullOutput();
    expect(textOf(framesIn(kept))).toContain('Done.');
    expect(JSON.stringify(kept)).not.toContain(secret);
  },
);

it.each([
  ['a stock agent', Agent],
  ['an InterlockAgent', InterlockAgent],
] as const)('P2 partial objects of %s do not leave its supervisor before a guard has judged their text', async (_name, Kind) => {
  const config = common('child', [{ text: ['{"say":"It is ZEB', 'RA4', '2."}'] }]);
  const structuredOutput = { schema: z.object({ say: z.string() }) };
  const child = new (Kind as typeof Agent)({ ...config, defaultOptions: { structuredOutput } });
  const codes = redactor({ strategy: 'replace', kinds: [], patterns: [{ name: 'code', regex: /ZEBRA42/, maxLength: 7 }] });
  const top = { ...common('top', callsTo('child')), agents: { child }, outputProcessors: [codes] };
  const frames = framesIn(await streamed(new InterlockAgent(top)));
  expect(textOf(frames)).toContain('Done.');
  expect(JSON.stringify(frames)).not.toContain('ZEB');
});

const file = btoa(`It is ${secret}.`);

it.each([
  ['a stock agent', Agent],
  ['an InterlockAgent', InterlockAgent],
] as const)(
  'P2 errors and files of %s do not leave its supervisor before a guard has judged their texts',
  async (_name, Kind) => {
    const finish = { type: 'finish', finishReason: 'stop', usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 } } as const;
    const answers: ScriptedStep<'v2'>[] = [
      { text: ['No.'], error: new Error(`Cannot reach ${secret}`) },
      { parts: [{ type: 'file', mediaType: 'text/plain', data: file }, finish] },
    ];
    for (const answer of answers) {
      const child = new (Kind as typeof Agent)({ ...common('child', [answer]), maxRetries: 0 });
      const codes = redactor({ strategy: 'replace', kinds: [], patterns: [{ name: 'code', regex: /ZEBRA42/, maxLength: 7 }] });
      const top = { ...common('top', callsTo('child')), agents: { child }, outputProcessors: [codes] };
      const frames = framesIn(await streamed(new InterlockAgent(top)));
      expect(textOf(frames)).toContain('Done.');
      const left = inspect(frames, { depth: null, maxStringLength: null });
      expect([left.includes(secret), left.includes(file)]).toEqual([false, false]);
    }
  },
);

describe('a value in a field with any name', () => {
  const address = 'ann@example.com';
  const card = 4111111111111111;
  const fields = { from: address, id: address, reason: `For ${address}.`, state: address, [address]: 1, card };
  const patterns = redactor({ strategy: 'replace', kinds: ['email', 'card'] });
  /** The chunks of a supervisor that have the value, except as the type of a part. */
  const found = async (config: object): Promise<string[]> => {
    const agent = new InterlockAgent({ ...common('top', callsTo('child')), outputProcessors: [patterns], ...config });
    const texts = (await streamed(agent)).map((chunk) => JSON.stringify(chunk));
    return texts.filter((text) => /(?<!"type":"tool-)ann@example\.com|4111111111111111/.test(text));
  };

  it.each([InterlockAgent, Agent])('of a tool of a sub-agent is in no chunk of its supervisor: %o', async (Child) => {
    const mail = createTool({
      id: 'mail',
      description: 'Mails.',
      inputSchema: z.object({}).loose(),
      execute: async () => fields,
    });
    for (const call of [
      { name: 'mail', args: fields },
      { name: address, args: {} },
    ]) {
      const child = new (Child as typeof Agent)({
        ...common('child', [{ toolCalls: [call] }, { text: 'Done.' }]),
        tools: { mail },
      });
      expect(await found({ agents: { child } })).toEqual([]);
    }
  });

  it('of a step of a workflow is in no chunk of its supervisor', async () => {
    const any = { inputSchema: z.looseObject({}), outputSchema: z.any() };
    const first = createStep({ id: 'first', ...any, execute: async () => fields });
    const second = createStep({ id: 'second', ...any, execute: async ({ inputData }) => ({ inputData }) });
    const workflow = createWorkflow({ id: 'mails', description: 'Mails.', ...any })
      .then(first)
      .then(second)
      .commit();
    const steps = [{ toolCalls: [{ name: 'workflow-mails', args: { inputData: {} } }] }, { text: 'Done.' }];
    expect(await found({ ...common('top', steps), workflows: { mails: workflow } })).toEqual([]);
  });
});
