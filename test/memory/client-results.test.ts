import { Agent as StockAgent } from '@mastra/core/agent';
import type { AgentConfig } from '@mastra/core/agent';
import type { MastraDBMessage, MessageListInput } from '@mastra/core/agent/message-list';
import type { OutputProcessor } from '@mastra/core/processors';
import { InMemoryStore } from '@mastra/core/storage';
import { createTool } from '@mastra/core/tools';
import { Memory } from '@mastra/memory';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { Agent } from '../../src/index.js';
import { scriptedModel, type ScriptedStep } from '../../src/testing/index.js';

const inputSchema = z.object({ hint: z.string() });
const pick: ScriptedStep<'v2'> = { toolCalls: [{ name: 'pickColor', args: { hint: 'warm' } }] };
const [one, two] = ['call-0-0', 'call-1-0'] as const; // the ids of the first and the second call
const user = (id: string, text: string) => ({ id, role: 'user', parts: [{ type: 'text', text }] });

/** The client's copy of a message with calls: an outcome for each. */
const copy = (id: string, outcomes: Readonly<Record<string, object>>) => ({
  id,
  role: 'assistant',
  parts: Object.entries(outcomes).map(([toolCallId, outcome]) => ({
    type: 'tool-invocation',
    toolInvocation: { toolCallId, toolName: 'pickColor', args: { hint: 'warm' }, ...outcome },
  })),
});

const [red, blue] = ['red', 'blue'].map((color) => ({ state: 'result', result: { color } })) as [object, object];
const closed = { state: 'output-error', errorText: 'The picker was closed.' };

/** The time of a message is among the options of its parts. */
const withoutTimes = (key: string, value: unknown): unknown => (key === 'providerOptions' ? undefined : value);

/** The later turns of the client, which knows the id of the first response. */
const cases: Readonly<Record<string, (id: string) => readonly object[][]>> = {
  'a result alone': (id) => [[copy(id, { [one]: red })]],
  'an error alone': (id) => [[copy(id, { [one]: closed })]],
  'a result with the next message': (id) => [[user('u1', 'Pick.'), copy(id, { [one]: red }), user('u2', 'Thanks.')]],
  'a result that changes later': (id) => [[copy(id, { [one]: red })], [copy(id, { [one]: blue })]],
  'a result that changes with the next message': (id) => [
    [copy(id, { [one]: red })],
    [copy(id, { [one]: blue }), user('u2', 'Thanks.')],
  ],
  'a result under another id': () => [[copy('another', { [one]: red }), user('u2', 'Thanks.')]],
  'a result for each of two calls': (id) => [[copy(id, { [one]: red })], [copy(id, { [one]: red, [two]: blue })]],
};

const played = async (AgentClass: typeof StockAgent, turns: (id: string) => readonly object[][], savePerStep?: true) => {
  const memory = new Memory({ storage: new InMemoryStore(), options: { lastMessages: 20 } });
  const isTwice = JSON.stringify(turns('')).includes(two);
  const steps = [pick, ...(isTwice ? [pick] : [])];
  const model = scriptedModel({ steps: ({ index }) => steps[index] ?? { text: `Answer ${index}.` } });
  const pickColor = createTool({ id: 'pickColor', description: 'Asks for a color.', inputSchema });
  const config: AgentConfig = { id: 'a', name: 'A', instructions: 'Help.', model, memory, tools: { pickColor } };
  const agent = new AgentClass(config);
  const turn = async (messages: readonly object[]): Promise<void> => {
    const options = { memory: { thread: 't', resource: 'r' }, savePerStep };
    await (await agent.stream(messages as MessageListInput, options)).consumeStream();
  };
  const rows = async () => (await memory.recall({ threadId: 't', resourceId: 'r', perPage: false })).messages;
  await turn([user('u1', 'Pick.')]);
  const first = (await rows()).find(({ role }) => role === 'assistant')?.id ?? '';
  for (const messages of turns(first)) await turn(messages);
  return {
    prompts: model.calls.map(({ prompt }) => JSON.parse(JSON.stringify(prompt, withoutTimes)) as object),
    rows: (await rows()).map((row) => [row.role, row.id === first ? 'first' : '', callsIn(row)]),
  };
};

const callsIn = ({ content }: MastraDBMessage): object[] =>
  content.parts.flatMap((part): object[] => {
    if (part.type === 'text') return [{ text: part.text }];
    return part.type === 'tool-invocation' ? [{ ...part.toolInvocation, step: undefined }] : [{ type: part.type }];
  });

describe.each([undefined, true] as const)(
  'a client sends results on its copy of a stored response, savePerStep %s',
  (savePerStep) => {
    it.each(Object.entries(cases))('prompts and rows are those of Mastra’s agent: %s', async (_name, turns) => {
      const stock = await played(StockAgent, turns, savePerStep);
      expect(stock.rows.length).toBeGreaterThan(1);
      const ours = await played(Agent as unknown as typeof StockAgent, turns, savePerStep);
      expect(ours).toEqual(stock);
    });
  },
);

describe('a response that continues the client’s copy and is rejected', () => {
  const bad: ScriptedStep<'v2'> = { text: 'Bad words.' };
  const blocks: OutputProcessor = {
    id: 'blocks',
    processOutputStep: ({ text, messages, abort }) => (text?.includes('Bad') ? abort('No.') : messages),
  };
  const look = createTool({ id: 'look', description: 'Looks.', inputSchema: z.object({}), execute: async () => ({ seen: 1 }) });
  const looking: ScriptedStep<'v2'> = { text: 'I look.', toolCalls: [{ name: 'look', args: {} }] };

  it.each([
    ['in its first step', [bad], {}, [{ state: 'result' }]],
    [
      'in its second step',
      [looking, bad],
      {},
      [{ state: 'result' }, { type: 'step-start' }, { text: 'I look.' }, { state: 'result' }],
    ],
    [
      'after a saved step',
      [looking, bad],
      { savePerStep: true },
      [{ state: 'result' }, { type: 'step-start' }, { text: 'I look.' }, { state: 'result' }],
    ],
    [
      'after a saved step that is taken back',
      [looking, bad],
      { savePerStep: true, persistence: { tripwire: 'drop' } },
      [{ state: 'result' }],
    ],
  ] as const)('keeps the results, and nothing that was rejected: %s', async (_name, steps, options, kept) => {
    const memory = new Memory({ storage: new InMemoryStore(), options: { lastMessages: 20 } });
    const model = scriptedModel({ steps: [pick, ...steps] });
    const pickColor = createTool({ id: 'pickColor', description: 'Asks for a color.', inputSchema });
    const tools = { pickColor, look };
    const agent = new Agent({ id: 'a', name: 'A', instructions: 'Help.', model, memory, tools, outputProcessors: [blocks] });
    const target = { memory: { thread: 't', resource: 'r' } };
    const rows = async () => (await memory.recall({ threadId: 't', resourceId: 'r', perPage: false })).messages;
    await (await agent.stream([user('u1', 'Pick.')] as MessageListInput, target)).consumeStream();
    const first = (await rows())[1]?.id ?? '';
    const messages = [copy(first, { [one]: red })] as MessageListInput;
    const stream = await agent.stream(messages, { ...target, ...options });
    await stream.consumeStream();
    expect(stream.status).toBe('tripwire');
    const saved = (await rows()).filter(({ role }) => role === 'assistant');
    expect(saved.map(({ id }) => id)).toEqual([first]);
    expect(saved.flatMap(callsIn)).toMatchObject(kept);
  });
});
