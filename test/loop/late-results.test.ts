import { MockMemory } from '@mastra/core/memory';
import type { OutputProcessor } from '@mastra/core/processors';
import { createTool } from '@mastra/core/tools';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { InterlockConfig } from '../../src/mastra/agent/config.js';
import { scriptedModel, type ScriptedStep } from '../../src/testing/index.js';
import { createAgent, guardOn, modes, type Mode } from '../promises/support.js';

const usage = { inputTokens: 1, outputTokens: 1, totalTokens: 2 };
const provided = { toolName: 'search', providerExecuted: true };
const search = (toolCallId: string, query: string) => ({
  type: 'tool-call',
  toolCallId,
  ...provided,
  input: JSON.stringify({ query }),
});
const found = (toolCallId: string, result: string, more: object = {}) => ({
  type: 'tool-result',
  toolCallId,
  ...provided,
  result,
  ...more,
});
const wait = { type: 'tool-call', toolCallId: 'w', toolName: 'wait', input: '{}' };
const answer = [
  { type: 'text-start', id: 't' },
  { type: 'text-delta', id: 't', delta: 'Found.' },
  { type: 'text-end', id: 't' },
];

const stepOf = (parts: object[]): ScriptedStep<'v2'> => ({
  parts: [
    { type: 'stream-start', warnings: [] },
    ...parts,
    { type: 'finish', finishReason: parts.includes(wait) ? 'tool-calls' : 'stop', usage },
  ] as NonNullable<ScriptedStep<'v2'>['parts']>,
});

/** The steps of a run: all but the last call a tool of the client, too. */
const stepsOf = (...steps: object[][]) =>
  steps.map((parts, at) => stepOf(at < steps.length - 1 ? [...parts, wait] : [...parts, ...answer]));

const configs: Record<string, () => InterlockConfig> = {
  'without guards': () => ({}),
  'with a guard of results': () => ({ outputProcessors: [guardOn('toolResult', () => undefined)] }),
};

/** The results of a run's searches, by their query, as its messages have them. */
const searchesIn = async (steps: ScriptedStep<'v2'>[], mode: Mode, config: InterlockConfig): Promise<Record<string, unknown>> => {
  const tools = {
    wait: createTool({ id: 'wait', description: 'Waits.', inputSchema: z.object({}), execute: async () => 'waited' }),
  };
  const memory = new MockMemory({ enableMessageHistory: true });
  const agent = createAgent({ model: scriptedModel({ steps }), ...config, tools, memory });
  const call = { memory: { thread: 't', resource: 'r' } };
  if (mode === 'generate') await agent.generate('Search.', call);
  else await (await agent.stream('Search.', call)).consumeStream();
  const { messages } = await memory.recall({ threadId: 't', resourceId: 'r' });
  const invocations = messages.flatMap(({ content }) =>
    content.parts.flatMap((part) => (part.type === 'tool-invocation' ? [part.toolInvocation] : [])),
  );
  return Object.fromEntries(
    invocations.flatMap((one) =>
      one.toolName === 'search' ? [[(one.args as { query: string }).query, one.state === 'result' ? one.result : 'none']] : [],
    ),
  );
};

const cases: Record<string, { readonly steps: object[][]; readonly results: Record<string, string> }> = {
  'in a later step': { steps: [[search('c', 'A')], [found('c', 'a')]], results: { A: 'a' } },
  'for the last of two calls with one id': {
    steps: [[search('c', 'A')], [search('c', 'B')], [found('c', 'b')]],
    results: { A: 'none', B: 'b' },
  },
  'for both, the last one first': {
    steps: [[search('c', 'A')], [search('c', 'B')], [found('c', 'b'), found('c', 'a')]],
    results: { A: 'a', B: 'b' },
  },
  'for the first, if the last one has a result': {
    steps: [[search('c', 'A')], [search('c', 'B'), found('c', 'b')], [found('c', 'a')]],
    results: { A: 'a', B: 'b' },
  },
  'for the first, in the step of the last': {
    steps: [[search('c', 'A')], [search('c', 'B'), found('c', 'b'), found('c', 'a')]],
    results: { A: 'a', B: 'b' },
  },
  'for two different calls of one step': {
    steps: [
      [search('c', 'A'), search('c', 'B')],
      [found('c', 'b'), found('c', 'a')],
    ],
    results: { A: 'a', B: 'b' },
  },
  'for a call with the id that another one got': {
    steps: [[search('c', 'A')], [search('c', 'B'), search('c-2', 'C')], [found('c-2', 'c'), found('c', 'b')]],
    results: { A: 'none', B: 'b', C: 'c' },
  },
  'for a call whose id looks like one that was given': {
    steps: [[search('c', 'A'), search('c-2', 'C')], [found('c', 'a')]],
    results: { A: 'a', C: 'none' },
  },
  'after a preliminary one': {
    steps: [[search('c', 'A')], [search('c', 'B'), found('c', 'b?', { preliminary: true }), found('c', 'b')]],
    results: { A: 'none', B: 'b' },
  },
  twice: { steps: [[search('c', 'A')], [found('c', 'a')], [found('c', 'again')]], results: { A: 'again' } },
};

describe.each(modes)("%s: the result of a provider's tool", (mode) => {
  describe.each(Object.keys(configs))('%s', (name) => {
    it.each(Object.keys(cases))('goes to its call: %s', async (title) => {
      const { steps, results } = cases[title] as (typeof cases)[string];
      expect(await searchesIn(stepsOf(...steps), mode, configs[name]?.() ?? {})).toEqual(results);
    });
  });
});

const partial = [search('c', 'A'), found('c', 'a secret', { preliminary: true }), found('c', 'a')];
const shownWith = async (config: InterlockConfig): Promise<unknown[]> => {
  const agent = createAgent({ model: scriptedModel({ steps: stepsOf(partial) }), ...config });
  const shown: unknown[] = [];
  for await (const chunk of (await agent.stream('Search.')).fullStream)
    if (chunk.type === 'tool-result') shown.push(chunk.payload.result);
  return shown;
};
const blocksSecrets: OutputProcessor = {
  id: 'blocks-secrets',
  processOutputStep: ({ messages, abort }) => (JSON.stringify(messages).includes('secret') ? abort('A secret.') : messages),
};

it('a preliminary result of a provider’s tool is not sent without a guard’s verdict', async () => {
  expect(await shownWith({})).toEqual(['a secret', 'a']);
  expect(await shownWith({ outputProcessors: [blocksSecrets], hold: 'auto' })).toEqual(['a']);
});
