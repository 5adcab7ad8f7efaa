import {
  experimental_createSteering as createSteering,
  generateText,
  isStepCount,
  tool,
  type ModelMessage,
  type ToolSet,
} from 'ai';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Processor } from '@mastra/core/processors';

import { createGuardedRun, guardTools, withGuards } from '../../src/ai-sdk/index.js';
import { scriptedModel } from '../../src/testing/index.js';
import { runGuarded, statusOf, ways } from './support.js';

// Messages that a user sends while the run is in progress are messages of the caller, as the first ones.

const secret = 'ZEBRA42';

const createModel = () =>
  scriptedModel({
    specificationVersion: 'v4',
    steps: [
      { text: ['Wait. '], toolCalls: [{ name: 'look', args: {} }] },
      { toolCalls: [{ name: 'wait', args: {} }] },
      { text: 'Done.' },
    ],
  });

/** Tools of which one sends a message to the running generation. */
const steered = () => {
  const steering = createSteering();
  const tools: ToolSet = {
    look: tool({ inputSchema: z.object({}), execute: async () => void steering.steer(`Use ${secret}.`) }),
    wait: tool({ inputSchema: z.object({}), execute: async () => 'waited' }),
  };
  return { settings: { tools }, callSettings: { experimental_steering: steering } };
};

const blocking: Processor = {
  id: 'blocking',
  processInput: ({ messages, abort }) => (JSON.stringify(messages).includes(secret) ? abort('No codes.') : messages),
};
const redacting: Processor = {
  id: 'redacting',
  processInput: ({ messages }) => JSON.parse(JSON.stringify(messages).replaceAll(secret, '[out]')) as typeof messages,
};
const promptsOf = (model: ReturnType<typeof createModel>): string[] => model.calls.map(({ prompt }) => JSON.stringify(prompt));

describe.each(ways)('a message sent during the run: %s', (way) => {
  it('is blocked by the guards of the input', async () => {
    const model = createModel();
    const ran = await runGuarded(way, { model, guards: [blocking], ...steered() });
    expect(statusOf(ran)).toBe('tripwire');
    expect(model.calls).toHaveLength(1);
  });

  it('reaches the model, in every later step, as those guards left it', async () => {
    const model = createModel();
    const ran = await runGuarded(way, { model, guards: [redacting], ...steered() });
    expect(ran.result?.text).toBe('Done.');
    expect(promptsOf(model).map((prompt) => prompt.split('Use [out].').length - 1)).toEqual([0, 1, 1]);
    expect(promptsOf(model).join()).not.toContain(secret);
  });

  it("is judged before the application's prepareStep gets it", async () => {
    const model = createModel();
    const given: unknown[] = [];
    const prepareStep = ({ messages, ...args }: { messages: unknown[]; experimental_steeringMessages?: unknown[] }) => {
      given.push(args);
      return { messages: [...messages, ...(args.experimental_steeringMessages ?? [])] };
    };
    const { settings, callSettings } = steered();
    await runGuarded(way, { model, guards: [redacting], settings: { ...settings, prepareStep }, callSettings });
    expect(promptsOf(model)[1]?.split('Use [out].')).toHaveLength(3);
    expect([JSON.stringify(given), ...promptsOf(model)].join()).not.toContain(secret);
  });
});

it('a model guarded alone in a run judges such messages, too', async () => {
  const { settings, callSettings } = steered();
  const model = createModel();
  const run = createGuardedRun([redacting]);
  const tools = guardTools(settings.tools, run);
  const prompt = `Hello ${secret}`;
  await generateText({ model: withGuards(model, run), tools, prompt, stopWhen: isStepCount(5), ...callSettings });
  expect(promptsOf(model).map((sent) => sent.split('[out]').length - 1)).toEqual([1, 2, 2]);
  expect(promptsOf(model).join()).not.toContain(secret);
});

it('a model guarded alone judges such a message also if prepareStep leaves out an earlier one', async () => {
  const { settings, callSettings } = steered();
  const model = createModel();
  const run = createGuardedRun([blocking]);
  const withoutFirst = ({ messages }: { messages: ModelMessage[] }) => ({ messages: messages.slice(-1) });
  const prepareStep = (args: { stepNumber: number; messages: ModelMessage[] }) =>
    args.stepNumber === 1 ? withoutFirst(args) : {};
  const call = { model: withGuards(model, run), tools: settings.tools, prompt: 'Hello', stopWhen: isStepCount(5), prepareStep };
  await expect(generateText({ ...call, ...callSettings })).rejects.toThrow('No codes.');
  expect(model.calls).toHaveLength(1);
});
