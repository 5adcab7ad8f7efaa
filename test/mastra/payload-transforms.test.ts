import { Agent } from '@mastra/core/agent';
import { MockMemory } from '@mastra/core/memory';
import { Mastra } from '@mastra/core/mastra';
import { createTool, getTransformedToolPayload, type ToolPayloadTransformContext } from '@mastra/core/tools';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { collectTraces, formatTrace, replay } from '../../src/replay.js';
import { InterlockAgent, type InterlockAgentConfig } from '../../src/index.js';
import { scriptedModel } from '../../src/testing/index.js';
import { all, callThen, makeAgent, modes } from './support.js';

const card = '4111111111111111';

interface PayOptions {
  readonly outcome?: 'result' | 'error' | 'approval' | 'suspended';
  readonly transform?: object;
}

const masked = ({ input }: ToolPayloadTransformContext) => ({ card: `ends in ${(input as { card: string }).card.slice(-4)}` });

const pay = ({ outcome = 'result', transform }: PayOptions = {}) =>
  createTool({
    id: 'pay',
    description: 'Pays with a card.',
    inputSchema: z.object({ card: z.string() }),
    suspendSchema: z.object({ ask: z.string() }),
    requireApproval: outcome === 'approval',
    execute: async ({ card: given }, context) => {
      if (outcome === 'error') throw new Error(`${given} was declined`);
      if (outcome === 'suspended') return context.agent?.suspend({ ask: `Really charge ${given}?` });
      return { paid: given };
    },
    transform: transform ?? {
      display: { input: masked, output: () => ({ paid: 'yes' }) },
      transcript: {
        input: () => ({ card: 'a card' }),
        error: () => ({ message: 'declined' }),
        suspend: () => ({ ask: 'Really?' }),
      },
    },
  });

type Kind = typeof Agent;

const apart = new Set(['createdAt', 'runId', 'id', 'threadId', 'resourceId', 'resumeSchema', 'model', 'error']);
const plain = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value ?? null, (key, field: unknown) => (apart.has(key) ? undefined : field)));

const notesOf = (chunks: readonly { type: string; metadata?: unknown }[], types: ReadonlySet<string>) =>
  chunks.filter(({ type }) => types.has(type)).map(({ type, metadata }) => [type, plain(metadata)]);

/** Mastra's agent records nothing on the call itself. */
const compared = new Set(['tool-call-delta', 'tool-result', 'tool-error', 'tool-call-approval', 'tool-call-suspended']);

const outcomeOf = async (OfKind: Kind, options: PayOptions) => {
  const thread = crypto.randomUUID(); // one for each: runs of a thread wait for each other
  const memory = new MockMemory();
  const model = scriptedModel({ steps: callThen('pay', { card }) });
  const agent = new OfKind({ id: 'payer', name: 'Payer', instructions: 'Pay.', model, memory, tools: { pay: pay(options) } });
  const mastra = new Mastra({ agents: { agent }, logger: false });
  const stream = await mastra.getAgent('agent').stream('Pay.', { memory: { thread, resource: 'r' } });
  const chunks = (await all(stream.fullStream)) as { type: string; metadata?: unknown }[];
  const output = await stream.getFullOutput();
  const { messages } = await memory.recall({ threadId: thread, resourceId: 'r' });
  return {
    chunks: notesOf(chunks, compared),
    results: output.toolResults.map(({ metadata }) => plain(metadata)),
    saved: messages.flatMap(({ content }) =>
      content.parts.map(({ type, providerMetadata }) => [type, type === 'tool-invocation' ? plain(providerMetadata) : undefined]),
    ),
    waiting: messages.map(({ content: { metadata } }) =>
      plain([metadata?.['pendingToolApprovals'], metadata?.['suspendedTools']]),
    ),
  };
};

describe('the display payload of a tool', () => {
  it.each(['result', 'error', 'approval', 'suspended'] as const)('is recorded as in Mastra’s agent: %s', async (outcome) => {
    const ours = await outcomeOf(InterlockAgent as unknown as Kind, { outcome });
    expect(ours).toEqual(await outcomeOf(Agent, { outcome }));
    expect(ours.chunks.length).toBeGreaterThan(1);
  });

  it.each(modes)('is in the messages of the result and on the call, in %s', async (mode) => {
    const chunks: { type: string; metadata?: unknown }[] = [];
    const { agent } = makeAgent(callThen('pay', { card }), { tools: { pay: pay() } });
    const call = { onChunk: (chunk: { type: string; metadata?: unknown }) => void chunks.push(chunk) };
    const output =
      mode === 'generate' ? await agent.generate('Pay.', call) : await (await agent.stream('Pay.', call)).getFullOutput();
    expect(JSON.stringify(output.response.uiMessages)).toContain('ends in 1111');
    const onCall = chunks.find(({ type }) => type === 'tool-call')?.metadata;
    expect(getTransformedToolPayload(onCall, 'display', 'input-available')).toEqual({ transformed: { card: 'ends in 1111' } });
  });

  it.each(['none', 'step', 'run'] as const)('is made from accepted payloads, with hold "%s"', async (hold) => {
    const seen: unknown[] = [];
    const note = (context: ToolPayloadTransformContext) => {
      seen.push(structuredClone({ input: context.input, output: context.output, delta: context.inputTextDelta }));
      return { input: context.input, output: context.output };
    };
    const config: Partial<InterlockAgentConfig> = {
      hold,
      tools: { pay: pay({ transform: { display: { input: note, inputDelta: note, output: note } } }) },
      outputProcessors: [
        {
          id: 'mask',
          processOutputStream: async ({ part }) =>
            JSON.stringify(part).includes(card)
              ? (JSON.parse(JSON.stringify(part).replaceAll(card, '[CARD]')) as typeof part)
              : part,
        },
      ],
    };
    const { agent } = makeAgent(callThen('pay', { card }), config);
    const stream = await agent.stream('Pay.');
    const chunks = await all(stream.fullStream);
    expect(JSON.stringify([chunks, (await stream.getFullOutput()).response])).not.toContain(card);
    expect(JSON.stringify(seen)).not.toContain(card);
    expect(JSON.stringify(seen)).toContain('[CARD]');
  });

  it('follows an edit of a later guard', async () => {
    const { agent } = makeAgent(callThen('pay', { card }), {
      tools: {
        pay: pay({ transform: { display: { output: ({ output }: ToolPayloadTransformContext) => ({ shown: output }) } } }),
      },
      outputProcessors: [
        {
          id: 'late',
          processOutputResult: async ({ messages }) =>
            JSON.parse(JSON.stringify(messages).replaceAll(`"paid":"${card}"`, '"paid":"gone"')) as typeof messages,
        },
      ],
    });
    const output = await agent.generate('Pay.');
    const notes = output.response.uiMessages?.map(({ parts }) => parts.map((part) => ('output' in part ? part.output : '')));
    expect(notes?.flat()).toContainEqual({ shown: { paid: 'gone' } });
  });

  it('comes from the call, else the agent, else the Mastra instance, else the tool', async () => {
    const by = (name: string, targets?: ['display']) => ({
      transformToolPayload: ({ phase }: ToolPayloadTransformContext) => (phase === 'input-available' ? { by: name } : undefined),
      targets,
    });
    const displayedBy = async (config: object, call: object) => {
      const { agent } = makeAgent(callThen('pay', { card }), { tools: { pay: pay() }, ...config });
      const mastra = new Mastra({ agents: { agent }, logger: false, transform: by('mastra') });
      const { toolResults } = await mastra.getAgent('agent').generate('Pay.', call);
      const { metadata } = toolResults[0] ?? {};
      return (['display', 'transcript'] as const).map(
        (target) => getTransformedToolPayload(metadata, target, 'input-available')?.transformed,
      );
    };
    const one = { by: 'mastra' };
    expect(await displayedBy({}, {})).toEqual([one, one]);
    expect(await displayedBy({ transform: by('agent') }, {})).toEqual([{ by: 'agent' }, { by: 'agent' }]);
    expect(await displayedBy({ transform: by('agent') }, { transform: by('call', ['display']) })).toEqual([
      { by: 'call' },
      { card: 'a card' },
    ]);
  });

  it('is a placeholder if a transform fails, and the logger gets a warning', async () => {
    const warnings: unknown[] = [];
    const broken = () => {
      throw new Error('No card.');
    };
    const { agent } = makeAgent(callThen('pay', { card }), {
      tools: { pay: pay({ transform: { display: { output: broken, inputDelta: broken } } }) },
    });
    const mastra = new Mastra({ agents: { agent } });
    mastra.getLogger().warn = (message: string, fields: unknown) => void warnings.push([message, fields]);
    const stream = await agent.stream('Pay.');
    const chunks = (await all(stream.fullStream)) as { type: string; metadata?: unknown }[];
    const result = chunks.find(({ type }) => type === 'tool-result')?.metadata;
    const delta = chunks.find(({ type }) => type === 'tool-call-delta')?.metadata;
    expect(getTransformedToolPayload(result, 'display', 'output-available')).toEqual({
      transformed: { message: 'Tool output-available payload unavailable' },
      failed: true,
    });
    expect(getTransformedToolPayload(delta, 'display', 'input-delta')).toEqual({ suppress: true, failed: true });
    expect(JSON.stringify(warnings)).toContain('"toolName":"pay"');
  });

  it('keeps the order of chunks, even if the transform is slow', async () => {
    const slow = async () => {
      await new Promise((resolve) => setTimeout(resolve, 15));
      return {};
    };
    const { agent } = makeAgent(callThen('pay', { card }), {
      tools: { pay: pay({ transform: { display: { input: slow, inputDelta: slow } } }) },
    });
    const { agent: same } = makeAgent(callThen('pay', { card }), {
      tools: { pay: pay({ transform: { display: { output: () => ({}) } } }) },
    });
    const typesOf = async (one: InterlockAgent) => {
      const called: string[] = [];
      const stream = await one.stream('Pay.', { onChunk: ({ type }) => void called.push(type) });
      const read = (await all(stream.fullStream)).map(({ type }) => type);
      return { called, read };
    };
    const { called, read } = await typesOf(agent);
    expect(read).toEqual((await typesOf(same)).read);
    expect(called).toEqual(read);
    expect(read.at(-1)).toBe('finish');
  });

  it.each(modes)('is for readers: a trace and its replay have the accepted payloads, in %s', async (mode) => {
    const recording = collectTraces();
    const { agent } = makeAgent(callThen('pay', { card }), { tools: { pay: pay() } });
    if (mode === 'generate') await agent.generate('Pay.', { record: recording.record });
    else await (await agent.stream('Pay.', { record: recording.record })).consumeStream();
    const replayed = await replay(recording.trace, agent);
    const timeless = (trace: typeof recording.trace) => formatTrace(trace).replaceAll(/"(?:at|durationMs)":[\d.]+/g, '');
    expect(replayed.endedAt).toBeUndefined();
    expect(timeless(replayed.trace)).toBe(timeless(recording.trace));
    expect(formatTrace(recording.trace)).toContain(card);
  });
});
