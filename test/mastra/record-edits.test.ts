import type { Processor, ProcessOutputStreamArgs } from '@mastra/core/processors';
import { describe, expect, it } from 'vitest';

import { pipeline, type InterlockCallOptions, type RunEvent } from '../../src/index.js';
import { runEventSchema } from '../../schemas/index.js';
import { callThen, echo, makeAgent, modes, withText } from './support.js';

const [echoCall = {}] = callThen('echo', { say: 'a' });
const calls = [echoCall, echoCall, echoCall];
const answers = ['One.', 'Two.', 'Three.', 'Four.'].map((text) => ({ text }));

const guards = {
  inputProcessors: [
    pipeline('p').parallel([
      {
        id: 'first',
        processInput: ({ messages }) => messages.map((one) => withText(one, (text) => text.replace('Hi', 'Hello'))),
      },
      {
        id: 'last',
        processInput: ({ messages }) => messages.map((one) => withText(one, (text) => text.replace('Bo', '[name]'))),
      },
      { id: 'reads', processInput: ({ messages }) => messages },
    ]),
  ],
  outputProcessors: [
    {
      id: 'stars',
      processOutputStream: async ({ part }: { part: { type: string; payload?: object } }) =>
        part.type === 'text-delta' ? { ...part, payload: { ...part.payload, text: '***' } } : part,
    },
  ],
};

describe.each(modes)('recordEdits, %s', (mode) => {
  const changesIn = async (config: object, options: InterlockCallOptions) => {
    const events: RunEvent[] = [];
    const { agent } = makeAgent(['one ', 'two'], { ...(guards as object), window: 'delta', ...config });
    const call = { ...options, onRunEvent: (event: RunEvent) => void events.push(event) };
    if (mode === 'generate') await agent.generate('Hi Bo', call);
    else await (await agent.stream('Hi Bo', call)).consumeStream();
    for (const event of events) expect(runEventSchema.safeParse(event).error).toBeUndefined();
    return Object.fromEntries(events.flatMap((event) => (event.type === 'guard' ? [[event.processorId, event.changes]] : [])));
  };
  const target = 'messages.0.content.parts.0.text';
  const recorded = {
    first: [{ target, before: 'Hi Bo', spans: [{ start: 0, end: 2, text: 'Hello' }] }],
    last: [{ target, before: 'Hi Bo', spans: [{ start: 3, end: 5, text: '[name]' }] }],
    reads: undefined,
    // In generate mode a text arrives in one piece.
    stars: (mode === 'generate' ? ['one two'] : ['one ', 'two']).map((before) => ({
      target: 'part.payload.text',
      before,
      spans: expect.arrayContaining([expect.objectContaining({ text: expect.stringContaining('***') as string })]) as unknown,
    })),
  };
  const none = { first: undefined, last: undefined, reads: undefined, stars: undefined };

  it('records the edits of each guard, for the agent or for a call', async () => {
    expect(await changesIn({ recordEdits: true }, {})).toEqual(recorded);
    expect(await changesIn({}, { recordEdits: true })).toEqual(recorded);
  });

  it('is off by default, and a call can disable it', async () => {
    expect(await changesIn({}, {})).toEqual(none);
    expect(await changesIn({ recordEdits: true }, { recordEdits: false })).toEqual(none);
  });

  it.each(['processInputStep', 'processOutputStream', 'processOutputStep', 'processOutputResult', 'processToolResult'] as const)(
    'a guard that returns its input has no edits, in any attempt that %s requests',
    async (hook) => {
      const same = (id: string): Processor => ({
        id,
        processInput: ({ messages }) => messages,
        processInputStep: ({ messages }) => ({ messages }),
        processOutputStep: ({ messages }) => [...messages],
        processOutputResult: ({ messages }) => messages,
      });
      const retryCounts = new Set<unknown>();
      const rejecting: Processor = {
        id: 'asking',
        [hook]: ({ abort, retryCount, part }: ProcessOutputStreamArgs) => {
          retryCounts.add(retryCount);
          return retryCount < 2 ? abort('Again.', { retry: true }) : part;
        },
      };
      const { agent } = makeAgent([...calls, ...answers], {
        tools: { echo },
        maxProcessorRetries: 2,
        inputProcessors: hook === 'processInputStep' ? [same('in'), rejecting, same('in last')] : [same('in')],
        outputProcessors:
          hook === 'processInputStep'
            ? [same('out')]
            : [same('out'), rejecting, pipeline('p').parallel([same('left'), same('right')])],
      });
      const verdicts: string[] = [];
      const onRunEvent = (event: RunEvent) => {
        if (event.type === 'guard' && event.processorId !== 'asking') verdicts.push(event.verdict);
      };
      await (
        await agent[mode]('Hi', { onRunEvent, recordEdits: true })
      ).text;
      expect(retryCounts.size).toBe(3);
      expect(new Set(verdicts)).toEqual(new Set(['pass']));
    },
  );
});
