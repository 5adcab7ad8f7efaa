import type { MessageList } from '@mastra/core/agent/message-list';
import type { Processor } from '@mastra/core/processors';
import { generateText, isStepCount, tool, wrapLanguageModel } from 'ai';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { createGuardedRun, guardedToolLoop, toPrepareStep, withGuards, type GuardedRunEvent } from '../../src/ai-sdk/index.js';
import { scriptedModel } from '../../src/testing/index.js';

interface Seen {
  readonly before: MessageList[];
  readonly after: MessageList[];
}

const noting = (): { readonly seen: Seen; readonly guard: Processor } => {
  const seen: Seen = { before: [], after: [] };
  const guard: Processor = {
    id: 'notes',
    processInputStep: ({ messageList }) => void seen.before.push(messageList),
    processOutputStep: ({ messageList, messages }) => {
      seen.after.push(messageList);
      return messages;
    },
  };
  return { seen, guard };
};

const model = () =>
  scriptedModel({
    specificationVersion: 'v4',
    steps: [{ toolCalls: [{ name: 'look', args: {} }] }, { text: ['Done.'] }],
  });

const look = tool({ inputSchema: z.object({}), execute: async () => 'Nothing.' });

const textsIn = (list: MessageList | undefined): string[] =>
  (list?.get.all.db() ?? []).flatMap(({ content }) => content.parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])));

it.each(['generate', 'stream'] as const)('a step has one conversation for its guards (%s)', async (mode) => {
  const { seen, guard } = noting();
  const agent = guardedToolLoop({ model: model(), tools: { look }, guards: [guard] });
  const call = { prompt: 'Look.' };
  if (mode === 'generate') await agent.generate(call);
  else await (await agent.stream(call)).consumeStream();
  const [first, second] = seen.before;
  expect(seen.after.map((list) => seen.before.indexOf(list))).toEqual([0, 1]);
  expect(first).not.toBe(second);
});

it('guards of a response see the prompt that a middleware of the application changed', async () => {
  const { seen, guard } = noting();
  const run = createGuardedRun([guard]);
  const outer = wrapLanguageModel({
    model: withGuards(model(), run),
    middleware: {
      specificationVersion: 'v4',
      transformParams: async ({ params }) => ({
        ...params,
        prompt: [{ role: 'user', content: [{ type: 'text', text: 'Look again.' }] }],
      }),
    },
  });
  await generateText({ model: outer, prepareStep: toPrepareStep(run), prompt: 'Look.' });
  expect([seen.before, seen.after].map(([list]) => textsIn(list))).toEqual([['Look.'], ['Look again.']]);
});

it('fields that a guard of a step adds to its list are not there for guards of the response', async () => {
  const { seen, guard } = noting();
  const marking: Processor = {
    id: 'marks',
    processInputStep: ({ messages }) =>
      void Object.assign(messages[0]?.content.parts[0] ?? {}, { providerMetadata: { own: {} } }),
  };
  const events: GuardedRunEvent[] = [];
  const guardOptions = { onEvent: (event: GuardedRunEvent) => void events.push(event) };
  const stopWhen = isStepCount(1);
  await guardedToolLoop({ model: model(), tools: { look }, guards: [marking, guard], guardOptions, stopWhen }).generate({
    prompt: 'Look.',
  });
  const [part] = seen.after[0]?.get.all.db()[0]?.content.parts ?? [];
  expect(part).toMatchObject({ type: 'text', text: 'Look.' });
  expect(part).not.toHaveProperty('providerMetadata');
  expect(events.map(({ type }) => type)).not.toContain('edit-dropped');
});
