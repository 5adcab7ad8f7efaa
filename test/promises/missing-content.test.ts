import { Agent } from '@mastra/core/agent';
import type { Processor } from '@mastra/core/processors';
import { describe, expect, it } from 'vitest';
import { guard, InterlockAgent, phases, pipeline, type Phase, type PipelineStep } from '../../src/index.js';
import { memoryEngine } from '../../src/durable/memory-engine.js';
import { scriptedModel } from '../../src/testing/index.js';
import { runGuarded, waysInTurn } from '../ai-sdk/support.js';
import { createAgent, laned, modelFor, recovering, runAgent } from './support.js';

/** The arguments of a hook whose content it removes. */
interface Args {
  readonly messages?: Message[];
  readonly prompt?: { content: unknown }[];
  readonly part?: { type: string; payload: { text: unknown } };
  readonly systemMessages?: { content: unknown }[];
}

interface Message {
  content: { parts: { type: string; text?: unknown }[] };
}

type Spoil = (args: Args) => unknown;

/** The text part of the last message, which is an answer's if there is one. */
const spoilText = (absent: null | undefined): Spoil => {
  return ({ messages = [] }) => {
    const part = messages.flatMap(({ content }) => content.parts).find(({ type }) => type === 'text');
    if (part) part.text = absent;
    return undefined;
  };
};

const withoutLast = ({ messages = [] }: Args): Message[] => [
  ...messages.slice(0, -1),
  { ...messages.at(-1), content: null as never },
];

const overMessages: Record<string, [spoil: Spoil, path: RegExp]> = {
  'a text set to null in place': [spoilText(null), /messages\[\d\]\.content\.parts\[\d\]\.text/],
  'a text set to undefined in place': [spoilText(undefined), /messages\[\d\]\.content\.parts\[\d\]\.text/],
  'content set to null in place': [
    ({ messages = [] }) => void Object.assign(messages.at(-1) ?? {}, { content: null }),
    /messages\[\d\]\.content /,
  ],
  'parts set to null in place': [
    ({ messages = [] }) => void Object.assign(messages.at(-1)?.content ?? {}, { parts: null }),
    /messages\[\d\]\.content\.parts /,
  ],
  'a part set to null in place': [
    ({ messages = [] }) => void messages.at(-1)?.content.parts.splice(0, 1, null as never),
    /messages\[\d\]\.content\.parts\[0\] /,
  ],
  'a message returned without content': [withoutLast, /messages\[\d\]\.content /],
  'a null returned for a message': [({ messages = [] }) => [...messages, null], /messages\[\d\] /],
};

const overPrompt: typeof overMessages = {
  'content set to null in place': [({ prompt = [] }) => void (prompt[0] && (prompt[0].content = null)), /prompt\[0\]\.content /],
  'a prompt returned without content': [
    ({ prompt = [] }) => ({ prompt: [...prompt.slice(0, -1), { ...prompt.at(-1), content: undefined }] }),
    /prompt\[\d\]\.content /,
  ],
};

const overChunks: typeof overMessages = {
  'a text set to null in place': [
    ({ part }) => {
      if (part?.type === 'text-delta') part.payload.text = null;
      return part;
    },
    /part\.payload\.text /,
  ],
  'a chunk returned without payload': [
    ({ part }) => (part?.type === 'text-delta' ? { type: part.type } : part),
    /part\.payload /,
  ],
};

const spoilings: readonly [Phase, typeof overMessages][] = [
  ['input', overMessages],
  ['inputStep', overMessages],
  ['llmRequest', overPrompt],
  ['outputStream', overChunks],
  ['outputStep', overMessages],
  [
    'toolResult',
    { ...overMessages, 'a message returned without content': overMessages['content set to null in place'] as never },
  ],
  ['outputResult', overMessages],
];

const cases = spoilings
  .flatMap(([phase, all]) => Object.entries(all).map(([content, [spoil, path]]) => ({ phase, what: content, spoil, path })))
  .map((one, turn) => ({ ...one, turn }));

const guardFor = (phase: Phase, spoil: Spoil): Processor => ({ id: 'spoils', [phases[phase].hook]: spoil });

/** The texts of an error and of its causes. */
const errorChain = (error: unknown): string => {
  const { code, path, message, cause } = error as Error & { code?: string; path?: string };
  return `${code} ${path} ${message}\n${cause === undefined ? '' : errorChain(cause)}`;
};

const expectNamed = (error: unknown, phase: Phase, path: RegExp): void => {
  const text = errorChain(error);
  expect(text).toContain('phase/invalid-result');
  expect(text).toContain(`${phase}/spoils`);
  expect(text).toMatch(path);
  expect(text).not.toContain('TypeError');
  expect(text).not.toContain('Cannot read');
};

const wirings: Record<string, (one: Processor) => PipelineStep> = {
  alone: (one) => one,
  'in a parallel block': (one) =>
    pipeline('house')
      .parallel([
        one,
        { id: 'beside', processInput: ({ messages }) => messages, processOutputResult: ({ messages }) => messages },
      ])
      .commit(),
};

describe.each(cases)('$phase: $what', ({ phase, spoil, path, turn }) => {
  it.each(Object.entries(wirings))('fails with an error that names the field in an InterlockAgent, %s', async (_wiring, wire) => {
    for (const mode of ['generate', 'stream'] as const) {
      const agent = createAgent({ ...laned([phase, wire(guardFor(phase, spoil))]), model: modelFor(phase) });
      const ran = await runAgent(agent, mode);
      expect(ran.status).toBe('failed');
      expectNamed(ran.error, phase, path);
    }
  });

  it('fails with an error that names the field in a durable run', async () => {
    const durability = memoryEngine();
    const agent = createAgent({ ...laned([phase, guardFor(phase, spoil)]), model: modelFor(phase), durability });
    const ran = await runAgent(agent, 'stream');
    expect(ran.status).toBe('failed');
    expectNamed(ran.error, phase, path);
  });

  it.each(waysInTurn(turn))('fails with an error that names the field in the AI SDK: %s', async (way) => {
    const ran = await runGuarded(way, { guards: [guardFor(phase, spoil)], model: aiSdkModelFor(phase) });
    expectNamed(ran.error, phase, path);
  });
});

const aiSdkModelFor = (phase: Phase) => scriptedModel({ specificationVersion: 'v4', steps: scriptOf(phase) });

const scriptOf = (phase: Phase) => {
  const charge = { text: ['I will charge. '], toolCalls: [{ name: 'charge', args: { amount: 1 } }] };
  return phase === 'outputResult' ? [{ text: ['All is ', 'paid.'] }] : [charge, { text: ['All is ', 'paid.'] }];
};

it('an error hook that leaves a message without content fails with an error that names the field', async () => {
  const spoil: Spoil = ({ messages = [] }) => {
    Object.assign(messages.at(-1) ?? {}, { content: null });
    return { retry: true };
  };
  const agent = createAgent({
    ...laned(['apiError', guardFor('apiError', spoil), recovering()]),
    model: modelFor('apiError'),
  });
  expectNamed((await runAgent(agent, 'generate')).error, 'apiError', /messages\[\d\]\.content /);
});

it.each(['input', 'outputResult'] as const)(
  'Mastra’s own agent with the pipeline fails with an error that names the field: %s',
  async (phase) => {
    const guards = pipeline('guards')
      .then(guardFor(phase, spoilText(null)))
      .commit();
    const lane = phase === 'input' ? 'inputProcessors' : 'outputProcessors';
    const model = scriptedModel({ steps: [{ text: 'Well.' }] }) as never;
    const agent = new Agent({ id: 'a', name: 'a', instructions: 'Help.', model, [lane]: [guards as never] });
    const error: unknown = await agent.generate('Hi').catch((caught: unknown) => caught);
    expect(`${errorChain(error)} ${JSON.stringify(error)}`).toMatch(/has no content/);
  },
);

it('an error names a system message without content, too', async () => {
  const spoiling: Processor = {
    id: 'spoils',
    processInput: ({ messages }) => ({ messages, systemMessages: [{ role: 'system', content: null as never }] }),
  };
  const model = scriptedModel({ steps: [{ text: 'Well.' }] });
  const agent = new InterlockAgent({ id: 'a', name: 'a', instructions: 'Help.', model, inputProcessors: [spoiling] });
  const error: unknown = await agent.generate('Hi').catch((caught: unknown) => caught);
  expectNamed(error, 'input', /systemMessages\[0\]\.content /);
});

it.each(['input', 'outputStep'] as const)(
  'a guard with onUnavailable pass does not stop the run if it leaves missing content: %s',
  async (phase) => {
    const guarded = guard(guardFor(phase, overMessages['a part set to null in place']?.[0] ?? spoilText(null)), {
      onUnavailable: 'pass',
    });
    const ran = await runAgent(createAgent({ ...laned([phase, guarded]), model: modelFor('input') }), 'generate');
    expect(ran.status).toBe('success');
  },
);
