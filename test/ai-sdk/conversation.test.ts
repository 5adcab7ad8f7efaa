import type { MastraDBMessage, MessageList } from '@mastra/core/agent/message-list';
import type { Processor } from '@mastra/core/processors';
import { generateText, isStepCount, tool, wrapLanguageModel } from 'ai';
import { describe, expect, it } from 'vitest';
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

describe.each(['processInput', 'processInputStep'] as const)('two calls at the same time with one run, guarded by %s', (hook) => {
  const secret = 'My number is PIN-4471.';
  it.each([[['Hello.', secret]], [[secret, 'Hello.']], [[secret, secret]]])(
    'both send what their guards left: %j',
    async (prompts) => {
      const guard: Processor = {
        id: 'redacts',
        [hook]: ({ messages }: { messages: MastraDBMessage[] }) => {
          for (const { content } of messages)
            for (const part of content.parts) if (part.type === 'text') part.text = part.text.replace('PIN-4471', '[number]');
          return messages;
        },
      };
      const [run, provider] = [
        createGuardedRun([guard]),
        scriptedModel({ specificationVersion: 'v4', steps: () => ({ text: ['Done.'] }) }),
      ];
      const guarded = withGuards(provider, run);
      const prepareStep = hook === 'processInputStep' ? toPrepareStep(run) : undefined;
      await Promise.all(prompts.map((prompt) => generateText({ model: guarded, prompt, ...(prepareStep && { prepareStep }) })));
      const sent = provider.calls.map(({ prompt }) => JSON.stringify(prompt)).join(' ');
      expect(sent).toContain('My number is [number].');
      expect(sent).not.toContain('PIN-4471');
    },
  );
});

it('guards of two calls at the same time with one run and one prompt get the response of their call only', async () => {
  const seen: string[][] = [];
  const guard: Processor = {
    id: 'notes',
    processInputStep: () => undefined,
    processOutputStep: ({ messageList, messages }) => (seen.push(textsIn(messageList)), messages),
  };
  const run = createGuardedRun([guard]);
  const guarded = withGuards(scriptedModel({ specificationVersion: 'v4', steps: () => ({ text: ['Done.'] }) }), run);
  const call = () => generateText({ model: guarded, prompt: 'Look.', prepareStep: toPrepareStep(run) });
  await Promise.all([call(), call()]);
  expect(seen).toEqual([
    ['Look.', 'Done.'],
    ['Look.', 'Done.'],
  ]);
});

it.each([true, false])('a second call with the same run has its input judged, too; with toPrepareStep: %s', async (withSteps) => {
  const judged: string[] = [];
  const guard: Processor = {
    id: 'notes',
    processInput: ({ messageList, messages }) => (judged.push(...textsIn(messageList)), messages),
  };
  const run = createGuardedRun([guard]);
  const guarded = withGuards(scriptedModel({ specificationVersion: 'v4', steps: () => ({ text: ['Done.'] }) }), run);
  const prepareStep = withSteps ? toPrepareStep(run) : undefined;
  for (const prompt of ['One.', 'Two.']) await generateText({ model: guarded, prompt, ...(prepareStep && { prepareStep }) });
  expect(judged).toEqual(['One.', 'Two.']);
});

it('a guard of a step that changes its messages after its verdict does not affect guards of the response', async () => {
  const { seen, guard } = noting();
  let change = (): void => undefined;
  const late: Processor = {
    id: 'late',
    processInputStep: ({ messages, messageList }) => {
      change = () => {
        Object.assign(messages[0]?.content.parts[0] ?? {}, { text: 'Changed.' });
        messageList.add('Added.', 'input');
      };
    },
  };
  const run = createGuardedRun([late, guard]);
  const outer = wrapLanguageModel({
    model: withGuards(model(), run),
    middleware: {
      specificationVersion: 'v4',
      transformParams: async ({ params }) => {
        change();
        return params;
      },
    },
  });
  await generateText({ model: outer, prepareStep: toPrepareStep(run), prompt: 'Look.' });
  expect([seen.before, seen.after].map(([list]) => textsIn(list))).toEqual([['Changed.', 'Added.'], ['Look.']]);
});
