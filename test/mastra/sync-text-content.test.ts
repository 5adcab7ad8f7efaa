import type { MastraDBMessage } from '@mastra/core/agent/message-list';
import { createScorer } from '@mastra/core/evals';
import { Mastra } from '@mastra/core/mastra';
import type { Processor } from '@mastra/core/processors';
import { InMemoryStore } from '@mastra/core/storage';
import { Memory } from '@mastra/memory';
import { Observability, TestExporter } from '@mastra/observability';
import { describe, expect, it } from 'vitest';
import { InterlockAgent } from '../../src/index.js';
import { scriptedModel } from '../../src/testing/index.js';
import { modes } from './support.js';

type Content = MastraDBMessage['content'];
type Parts = Content['parts'];

interface ListLike {
  readonly get: { readonly all: { db(): readonly MastraDBMessage[] } };
}

const message = (content: Partial<Content>, role: 'user' | 'assistant' = 'user'): MastraDBMessage => ({
  id: 'm1',
  role,
  createdAt: new Date(0),
  content: { format: 2, parts: [], ...content },
});

const file = { type: 'file', mimeType: 'text/plain', data: 'aGk=' } as const;
const call = { state: 'result', toolCallId: 'c1', toolName: 'find', args: {}, result: 'SECRET' } as const;

/** The model's input from these messages, with a guard before it. */
const sent = async (guard: Processor, ...messages: MastraDBMessage[]): Promise<string> => {
  const model = scriptedModel({ steps: [{ text: 'Fine.' }] });
  const agent = new InterlockAgent({ id: 'a', name: 'A', instructions: 'Help.', model, inputProcessors: [guard] });
  const { status } = await agent.generate([
    ...messages,
    { ...message({ parts: [{ type: 'text', text: 'And now?' }] }), id: 'm2' },
  ]);
  return `${status}: ${JSON.stringify(model.calls[0]?.prompt)}`;
};

const keeping = (keep: (part: Parts[number]) => boolean, hook: 'processInput' | 'processInputStep'): Processor => ({
  id: 'keeps',
  [hook]: ({ messages }: { messages: MastraDBMessage[] }) =>
    messages.map((one) =>
      one.id === 'm1' ? { ...one, content: { ...one.content, parts: one.content.parts.filter(keep) } } : one,
    ),
});

describe.each(['processInput', 'processInputStep'] as const)('parts that %s removes', (hook) => {
  it.each([
    ['a whole message', message({ parts: [{ type: 'text', text: 'SECRET' }], content: 'SECRET' })],
    ['the text next to a file', message({ parts: [file, { type: 'text', text: 'SECRET' }], content: 'SECRET' })],
    [
      'a tool call',
      message({ parts: [{ type: 'tool-invocation', toolInvocation: call }], toolInvocations: [call] }, 'assistant'),
    ],
    [
      'the reasoning',
      message({ parts: [{ type: 'reasoning', reasoning: 'SECRET', details: [] }], reasoning: 'SECRET' }, 'assistant'),
    ],
  ])('are not sent from the field that repeats them: %s', async (_, text) => {
    const seen = await sent(
      keeping(({ type }) => type === 'file', hook),
      text,
    );
    expect(seen).toContain('success: ');
    expect(seen).not.toContain('SECRET');
  });

  it.each([
    ['text', message({ content: 'SECRET' })],
    ['text next to a file', message({ parts: [file], content: 'SECRET' })],
    ['tool calls', message({ toolInvocations: [call] }, 'assistant')],
    ['reasoning', message({ reasoning: 'SECRET' }, 'assistant')],
  ])('and %s that only a field of the message contains is read by guards', async (_, text) => {
    const finds: Processor = {
      id: 'finds',
      [hook]: ({ messages, abort }: { messages: MastraDBMessage[]; abort(reason: string): never }) =>
        messages.some(({ content }) => JSON.stringify(content.parts).includes('SECRET')) ? abort('found') : messages,
    };
    expect(await sent(finds, text)).toBe('tripwire: undefined');
  });
});

it.each([1, 30])('removed text does not come back after a retry, with %s earlier messages', async (count) => {
  const model = scriptedModel({ steps: [{ text: 'Bad.' }, { text: 'Fine.' }] });
  const seen: string[] = [];
  const read = (messageList: object) => void seen.push(JSON.stringify((messageList as ListLike).get.all.db()));
  const judge: Processor = {
    id: 'judge',
    processOutputStep: ({ text, abort, messages }) => (text === 'Bad.' ? abort('again', { retry: true }) : messages),
    processOutputResult: ({ messages, messageList }) => {
      read(messageList);
      return messages;
    },
  };
  const agent = new InterlockAgent({
    id: 'a',
    name: 'A',
    instructions: 'Help.',
    model,
    inputProcessors: [keeping(() => false, 'processInput')],
    outputProcessors: [judge],
    maxProcessorRetries: 1,
  });
  const earlier = Array.from({ length: count }, (_, index) => ({
    ...message({ parts: [{ type: 'text', text: `Number ${index}.` }] }),
    id: `earlier-${index}`,
  }));
  const secret = message({ parts: [{ type: 'text', text: 'SECRET' }], content: 'SECRET' });
  const question = { ...message({ parts: [{ type: 'text', text: 'And now?' }] }), id: 'm2' };
  expect((await agent.generate([secret, ...earlier, question])).status).toBe('success');
  expect(model.calls).toHaveLength(2);
  expect(JSON.stringify(model.calls)).not.toContain('SECRET');
  expect(seen).toEqual([expect.not.stringContaining('SECRET')]);
});

it('text that no guard removes is sent as in Mastra', async () => {
  const same = keeping(() => true, 'processInput');
  expect(await sent(same, message({ content: 'said in the field' }))).toContain('"text":"said in the field"');
});

describe.each(['processInput', 'processInputStep', 'processOutputStep'] as const)('text that %s edits in a part', (hook) => {
  it.each(modes.flatMap((mode) => [false, true].map((remembers) => [mode, remembers] as const)))(
    'is not read from the field that repeats it, by spans, scorers or hooks: %s, memory %s',
    async (mode, remembers) => {
      const seen: Record<string, string> = {};
      const note = (reader: string, value: unknown) => void (seen[reader] = JSON.stringify(value));
      const scorer = createScorer({ id: 'live', description: 'Reads.', type: 'agent' }).generateScore(({ run }) => {
        note('scorer', [run.input, run.output]);
        return 1;
      });
      const hides: Processor = {
        id: 'hides',
        [hook]: ({ messages }: { messages: MastraDBMessage[] }) => {
          for (const part of messages.flatMap(({ content }) => content.parts))
            if (part.type === 'text') part.text = part.text.replace('SECRET', '***');
          return messages;
        },
      };
      const agent = new InterlockAgent({
        id: 'a',
        name: 'A',
        instructions: 'Help.',
        model: scriptedModel({ steps: [{ text: 'Fine.' }] }),
        [hook === 'processOutputStep' ? 'outputProcessors' : 'inputProcessors']: [hides],
        scorers: { live: { scorer, sampling: { type: 'ratio', rate: 1 } } },
        ...(remembers && { memory: new Memory({ storage: new InMemoryStore() }) }),
      });
      const exporter = new TestExporter({ storeLogs: false });
      const observability = new Observability({ configs: { default: { serviceName: 'tests', exporters: [exporter] } } });
      const mastra = new Mastra({ observability, storage: new InMemoryStore(), logger: false }); // scorers need its storage
      mastra.addAgent(agent);
      const options = {
        returnScorerData: true,
        onIterationComplete: ({ messages }: { messages: unknown }) => note('hook', messages),
        ...(remembers && { memory: { thread: 't', resource: 'r' } }),
      };
      if (mode === 'generate') note('result', await agent.generate('A SECRET.', options));
      else note('result', await (await agent.stream('A SECRET.', options)).getFullOutput());
      await expect.poll(() => Object.keys(seen)).toContain('scorer');
      if (hook !== 'processOutputStep') note('spans', exporter.events); // else the model got it
      expect(Object.keys(seen).filter((reader) => seen[reader]?.includes('SECRET'))).toEqual([]);
    },
  );
});
