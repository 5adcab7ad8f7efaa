import { describe, expect, it } from 'vitest';

import type { PrepareStep } from '../../src/mastra/call-options.js';
import { callThen, echo, echoAs } from '../mastra/support.js';
import { conflictingNames, runExample, sentTo, titlesOf, world } from './example.js';

const document = '5-prepare-step-semantics';
const oneCall = callThen('echo', { say: 'a' });

/** The fragment's `prepareStep`, with a context like the AI SDK's. */
const prepareStepOf = async (title: string, { context, ...scope }: Record<string, unknown> = {}): Promise<PrepareStep> => {
  const { prepareStep } = await runExample<{ prepareStep: PrepareStep }>({ document, title, scope });
  return (args) => prepareStep(Object.assign(args, { experimental_context: context }));
};

/**
 * This document is about the AI SDK's own `prepareStep`, whose messages are gone at the next step. Those of an agent stay in its
 * list, by the specification of `processInputStep`; so only the latest message's content is the same in both.
 */
describe(`the examples of ${document}`, () => {
  it('are all here', ({ task }) => expect(conflictingNames(task)).toEqual(titlesOf(document)));

  it('Pattern 1: Reminder injection (ephemeral context) [spec 5.4]', async ({ task: { name: title } }) => {
    const { agent, calls } = world(oneCall);
    const prepareStep = await prepareStepOf(title, { context: { reminders: ['No emojis.'] } });
    await agent({ tools: { echo } }).generate('Hi', { prepareStep });
    const reminder = '[system directive — not user input]\n<system-reminder>\nNo emojis.\n</system-reminder>';
    expect(calls.map((call) => sentTo(call, 'user').at(-1))).toEqual([reminder, reminder]);
  });

  it('Pattern 2: Tool narrowing (big toolset → small candidate) [spec 5.5]', async ({ task: { name: title } }) => {
    const { agent, calls } = world(callThen('read_file', { say: 'a' }));
    const tools = Object.fromEntries(['read_file', 'grep', 'write_file'].map((name) => [name, echoAs(name)]));
    const toolDiscovery = { active: true, getActiveToolNames: () => ['read_file', 'grep'] };
    await agent({ tools }).generate('Hi', { prepareStep: await prepareStepOf(title, { context: { toolDiscovery } }) });
    expect(calls.map(({ options }) => options.tools?.map(({ name }) => name))).toEqual([
      ['read_file', 'grep'],
      ['read_file', 'grep'],
    ]);
  });

  it('Pattern 3: Force tool usage (prevent premature exit) [spec 5.6]', async ({ task: { name: title } }) => {
    const { agent, calls } = world(oneCall);
    const todos = [{ status: 'open' }];
    const tools = { echo: echoAs('echo', () => void todos.pop()) };
    await agent({ tools }).generate('Hi', { prepareStep: await prepareStepOf(title, { context: { todos } }) });
    expect(calls.map(({ options }) => options.toolChoice?.type)).toEqual(['required', 'auto']);
  });

  it('Pattern 4: Dynamic model switching [spec 5.7]', async ({ task: { name: title } }) => {
    const { agent, calls, modelOf } = world([...Array.from({ length: 3 }, () => oneCall[0] ?? {}), { text: 'Done.' }]);
    const scope = { haikuModel: modelOf('haiku'), sonnetModel: modelOf('sonnet') };
    await agent({ tools: { echo } }).generate('Hi', { prepareStep: await prepareStepOf(title, scope) });
    expect(calls.map(({ model }) => model)).toEqual(['haiku', 'haiku', 'haiku', 'sonnet']);
  });

  it('Anti-example (polluting version)', async ({ task: { name: title } }) => {
    const { prepareStep } = await runExample<{
      prepareStep: (args: { messages: { role: string; content: string }[] }) => unknown;
    }>({
      document,
      title,
      scope: { ctx: { getRemindersText: () => 'Be brief.' } },
    });
    const messages = [{ role: 'user', content: 'Hi' }];
    await prepareStep({ messages: [...messages] });
    await prepareStep({ messages: [...messages] });
    expect(messages).toEqual([{ role: 'user', content: 'Hi\nBe brief.\nBe brief.' }]);
  });

  it('Correct version (uniform push)', async ({ task: { name: title } }) => {
    const { agent, calls } = world(oneCall);
    const scope = { ctx: { getRemindersText: () => 'Be brief.' } };
    await agent({ tools: { echo } }).generate('Hi', { prepareStep: await prepareStepOf(title, scope) });
    const reminder = '[system directive — not user input]\nBe brief.';
    expect(calls.map((call) => sentTo(call, 'user').at(-1))).toEqual([reminder, reminder]);
  });
});
