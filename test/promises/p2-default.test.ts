import { setImmediate } from 'node:timers/promises';
import type { Processor } from '@mastra/core/processors';
import { describe, expect, it } from 'vitest';
import { guard, InterlockAgent } from '../../src/index.js';
import type { InterlockConfig } from '../../src/mastra/agent/config.js';
import { guardedToolLoop } from '../../src/ai-sdk/index.js';
import { scriptedModel } from '../../src/testing/index.js';
import { modes, retractionsOf, runAgent, textOnWire } from './support.js';

const card = '4111 1111 2222 3333';
const split = ['The card is 4111 11', '11 2222 3333, ', 'thank you. ', 'Bye.'];

const agentWith = (guards: InterlockConfig['outputProcessors'], config: InterlockConfig = {}) =>
  new InterlockAgent({
    id: 'a',
    name: 'A',
    instructions: 'Help.',
    model: scriptedModel({ steps: () => ({ text: split }) }),
    outputProcessors: guards,
    ...(config as object),
  });

type Hooks = Omit<Processor, 'id'>;
const without = (text: string) => text.replace(card, '[card]');

/** Guards as an application writes them for Mastra, without a word about windows or buffering. */
const blocking: Record<string, Hooks> = {
  outputStream: {
    processOutputStream: async ({ part, abort }) =>
      part.type === 'text-delta' && part.payload.text.includes(card) ? abort('card') : part,
  },
  llmResponse: { processLLMResponse: ({ chunks, abort }) => (textOnWire({ chunks }).includes(card) ? abort('card') : undefined) },
  outputStep: { processOutputStep: ({ text = '', messages, abort }) => (text.includes(card) ? abort('card') : messages) },
  outputResult: {
    processOutputResult: ({ messages, abort }) => (JSON.stringify(messages).includes(card) ? abort('card') : messages),
  },
};

const editing: Record<string, Hooks> = {
  outputStream: {
    processOutputStream: async ({ part }) =>
      part.type === 'text-delta' ? { ...part, payload: { ...part.payload, text: without(part.payload.text) } } : part,
  },
  outputStep: { processOutputStep: ({ messages }) => JSON.parse(without(JSON.stringify(messages))) as typeof messages },
  outputResult: { processOutputResult: ({ messages }) => JSON.parse(without(JSON.stringify(messages))) as typeof messages },
};

const casesOf = (guards: Record<string, Hooks>) => Object.keys(guards).flatMap((place) => modes.map((mode) => ({ place, mode })));

const inLane = (place: string, guards: Record<string, Hooks>) => {
  const own = [{ id: 'cards', ...guards[place] } as Processor];
  return place === 'llmResponse' ? agentWith([], { inputProcessors: own }) : agentWith(own);
};

describe('P2 in the default form: a guard without options', () => {
  it.each(casesOf(blocking))('$mode, $place: what it blocks was never sent', async ({ place, mode }) => {
    const ran = await runAgent(inLane(place, blocking), mode);
    expect(ran.status).toBe('tripwire');
    expect(textOnWire(ran)).not.toMatch(/4111 11|11 2222/);
    expect(retractionsOf(ran)).toEqual([]);
  });

  it.each(casesOf(editing))('$mode, $place: what it edits was never sent, and its version is', async ({ place, mode }) => {
    const ran = await runAgent(inLane(place, editing), mode);
    expect(ran.status).toBe('success');
    expect(textOnWire(ran)).toBe(without(split.join('')));
    expect(ran.result?.text).toBe(without(split.join('')));
    expect(retractionsOf(ran)).toEqual([]);
  });

  it.each(Object.keys(blocking))('in the AI SDK, %s', async (place) => {
    const loop = guardedToolLoop({
      model: scriptedModel({ steps: () => ({ text: split }) }),
      guards: [{ id: 'cards', ...blocking[place] } as Processor],
    });
    const { textStream, steps } = await loop.stream({ prompt: 'Hello.' });
    void Promise.resolve(steps).catch(() => undefined);
    let sent = '';
    const reading = (async () => {
      for await (const text of textStream) sent += text;
    })();
    await reading.catch(() => undefined);
    expect(sent).not.toMatch(/4111 11|11 2222/);
  });
});

/** Verdicts on a sub-agent's answer, which is a tool's result for its supervisor. */
const onResult: Record<string, Hooks['processToolResult']> = {
  blocks: ({ abort }) => abort('card'),
  retries: ({ abort }) => abort('card', { retry: true }),
  fails: () => Promise.reject(new Error('down')),
  edits: ({ messageList, ...call }) => {
    const { result } = JSON.parse(without(JSON.stringify(call, ['result', 'text']))) as typeof call;
    const { toolCallId, toolName, args } = call;
    const toolInvocation = { state: 'result' as const, toolCallId, toolName, args, result };
    messageList.updateToolInvocation({ type: 'tool-invocation', toolInvocation });
  },
};

const supervising = (hooks: Hooks, config: InterlockConfig = {}) => {
  const child = new InterlockAgent({
    id: 'child',
    name: 'Child',
    description: 'Knows it.',
    instructions: 'Answer.',
    model: scriptedModel({ steps: () => ({ text: split }) }),
  });
  const steps = [{ toolCalls: [{ name: 'agent-child', args: { prompt: 'Say it.' } }] }, { text: 'Well.' }];
  const model = scriptedModel({ steps });
  const outputProcessors = [{ id: 'cards', ...hooks } as Processor];
  return agentWith(outputProcessors, { model, agents: { child }, maxProcessorRetries: 1, ...config } as InterlockConfig);
};

describe('P2 in the default form: output of a sub-agent', () => {
  it.each(Object.keys(onResult))('is not sent before a guard of results %s it', async (act) => {
    const { chunks } = await runAgent(supervising({ processToolResult: onResult[act] }), 'stream');
    expect(JSON.stringify(chunks)).not.toMatch(/4111 11|11 2222/);
  });

  it('is sent after the verdict of such a guard, and at once with hold: none or if it checks the stream', async () => {
    const stream = editing['outputStream'] as Hooks;
    const passes: Hooks = { processToolResult: () => undefined };
    const placesOf = async (hooks: Hooks, config?: InterlockConfig) => {
      let verdict: unknown[] | undefined;
      const chunks: unknown[] = [];
      const judged = hooks.processToolResult && { ...hooks, processToolResult: () => void (verdict = [...chunks]) };
      const result = await supervising(judged ?? hooks, config).stream('Go.');
      for await (const chunk of result.fullStream) chunks.push(chunk);
      return [JSON.stringify(verdict ?? []).includes('Bye.'), JSON.stringify(chunks).includes('Bye.')];
    };
    expect(await placesOf(passes)).toEqual([false, true]);
    expect(await placesOf(passes, { hold: 'none' })).toEqual([true, true]);
    expect(await placesOf({ ...passes, ...stream, traits: { checksStream: true } } as Hooks)).toEqual([true, true]);
  });
});

describe("hold: 'auto'", () => {
  /** The text that readers have when a guard of the step runs. */
  const sentBefore = async (wrap: (own: Processor) => Processor | ReturnType<typeof guard>): Promise<string> => {
    let [sent, before] = ['', ''];
    const own: Processor = {
      id: 'last',
      processOutputStep: async ({ messages }) => {
        await setImmediate();
        before = sent;
        return messages;
      },
    };
    const stream = await agentWith([wrap(own) as Processor]).stream('Hello.');
    for await (const text of stream.textStream) sent += text;
    expect(sent).toBe(split.join(''));
    return before;
  };

  it('content waits for a guard of the step', async () => {
    expect(await sentBefore((own) => own)).toBe('');
  });

  it.each<[string, (own: Processor) => Processor | ReturnType<typeof guard>]>([
    ['reads: true', (own) => guard(own, { reads: true })],
    ["hold: 'none'", (own) => guard(own, { hold: 'none' })],
    [
      'traits.checksStream',
      (own) => ({ ...own, traits: { checksStream: true }, processOutputStream: async ({ part }) => part }) as Processor,
    ],
    ['traits.decides: []', (own) => ({ ...own, traits: { decides: [] } }) as Processor],
  ])('content does not wait for a guard with %s', async (_name, wrap) => {
    expect(await sentBefore(wrap)).toContain('thank you.');
  });

  it('an edit of a guard that only reads is an error', async () => {
    const log = guard({ id: 'log', ...editing['outputResult'] } as Processor, { reads: true });
    const ran = await runAgent(agentWith([log]), 'stream');
    expect(ran.error ?? ran.result?.error).toMatchObject({ code: 'guard/reader-edits' });
  });

  it('a call may hold more, but not less', async () => {
    await expect(agentWith([]).generate('Hello.', { hold: 'run' })).resolves.toMatchObject({ status: 'success' });
    for (const hold of ['none', 'step'] as const)
      await expect(agentWith([]).generate('Hello.', { hold })).rejects.toMatchObject({ code: 'agent/loosened-option' });
  });
});

describe("hold: 'none'", () => {
  it.each(['outputStep', 'outputResult'] as const)(
    'a late edit in %s retracts the attempt and sends its accepted content',
    async (place) => {
      const ran = await runAgent(agentWith([{ id: 'cards', ...editing[place] } as Processor], { hold: 'none' }), 'stream');
      const [retraction, ...more] = retractionsOf(ran);
      expect(more).toEqual([]);
      const at = ran.chunks.findIndex(({ type }) => type === 'data-interlock-retract');
      const sentIds = new Set(
        ran.chunks.slice(0, at).flatMap(({ type, payload }) => (type === 'text-start' ? [(payload as { id: string }).id] : [])),
      );
      expect(new Set(retraction?.partIds)).toEqual(sentIds);
      expect(textOnWire({ chunks: ran.chunks.slice(at) })).toBe(without(split.join('')));
    },
  );
});
