import type { ProcessInputStepArgs, Processor } from '@mastra/core/processors';
import { generateText, isStepCount, streamText } from 'ai';
import { describe, expect, it, vi } from 'vitest';
import { createGuardedRun, guardTools, toPrepareStep, withGuards } from '../../src/ai-sdk/index.js';
import { scriptedModel } from '../../src/testing/index.js';
import { throwsOnWrite } from '../../src/ai-sdk/guard-step.js';
import { createTools, opening } from './support.js';

const onStep = (processInputStep: (args: ProcessInputStepArgs) => unknown): Processor =>
  ({ id: 'step', processInputStep }) as Processor;

describe.each(['generate', 'stream'] as const)('processInputStep around a model alone, %s', (mode) => {
  const tools = { ...createTools([]), look: createTools([]).charge };
  const ask = async (guard: Processor, settings: object = {}) => {
    const model = scriptedModel({ specificationVersion: 'v4', steps: [{ text: 'Hi.' }] });
    const call = { model: withGuards(model, [guard], { maxProcessorRetries: 1 }), prompt: 'Hello', maxRetries: 0, ...settings };
    const result = mode === 'generate' ? await generateText(call) : streamText({ ...call, onError: () => undefined });
    return { text: await result.text, sent: model.calls.map(({ options }) => options) };
  };

  it('gets the settings of the call in the form of the AI SDK', async () => {
    const got: object[] = [];
    const guard = onStep(({ toolChoice, providerOptions, modelSettings, tools: offered, systemMessages, stepNumber }) => {
      got.push({ toolChoice, providerOptions, modelSettings, names: Object.keys(offered ?? {}), systemMessages, stepNumber });
    });
    const settings = { tools, toolChoice: 'auto', temperature: 0.5, providerOptions: { a: { b: 1 } }, instructions: 'Be brief.' };
    const { sent } = await ask(guard, settings);
    const systemMessages = [{ role: 'system', content: 'Be brief.' }];
    const names = ['charge', 'look'];
    const { toolChoice, providerOptions } = settings;
    expect(got).toMatchObject([
      { toolChoice, providerOptions, modelSettings: { temperature: 0.5 }, names, systemMessages, stepNumber: 0 },
    ]);
    expect(sent).toMatchObject([{ toolChoice: { type: 'auto' }, temperature: 0.5, providerOptions }]);
  });

  it('changes the call', async () => {
    const other = scriptedModel({ specificationVersion: 'v2', steps: [{ text: 'Other.' }] });
    const guard = onStep(({ messageList }) => {
      messageList.add({ role: 'user', content: 'And thanks.' }, 'input');
      messageList.addSystem('Be kind.');
      return {
        model: other as never,
        activeTools: ['look'],
        toolChoice: { type: 'tool', toolName: 'look' },
        providerOptions: { a: { c: 2 } },
        modelSettings: { temperature: 1 },
      };
    });
    const { text, sent } = await ask(guard, { tools, providerOptions: { a: { b: 1 } } });
    expect({ text, sent }).toEqual({ text: 'Other.', sent: [] });
    expect(other.calls.map(({ options }) => options)).toMatchObject([
      {
        toolChoice: { type: 'tool', toolName: 'look' },
        tools: [{ name: 'look' }],
        temperature: 1,
        providerOptions: { a: { b: 1, c: 2 } },
      },
    ]);
    expect(JSON.stringify(other.calls[0]?.prompt)).toMatch(/Be kind\..*Hello.*And thanks\./);
  });

  it('removes all tools, with the choice among them', async () => {
    const { sent } = await ask(
      onStep(() => ({ activeTools: [] })),
      { tools, toolChoice: 'auto' },
    );
    expect([sent[0]?.tools, sent[0]?.toolChoice]).toEqual([undefined, undefined]);
  });

  it('blocks the call, and is repeated by a retry', async () => {
    await expect(ask(onStep(({ abort }) => abort('No.')))).rejects.toMatchObject({ name: 'TripwireError', reason: 'No.' });
    const tries: number[] = [];
    const { text } = await ask(
      onStep(({ abort, retryCount }) => {
        tries.push(retryCount);
        return retryCount === 0 ? abort('Again.', { retry: true }) : undefined;
      }),
    );
    expect({ text, tries }).toEqual({ text: 'Hi.', tries: [0, 1] });
  });

  it('fails the call for a change that it cannot make', async () => {
    const added = onStep(() => ({ tools: { other: {} } }));
    await expect(ask(added, { tools })).rejects.toMatchObject({ name: 'GuardUnavailableError' });
  });
});

it.each([true, false])('is called once in each step of a shared run, with toPrepareStep: %s', async (withPrepare) => {
  const steps: number[] = [];
  const run = createGuardedRun([
    onStep(({ stepNumber, messages }) => {
      steps.push(stepNumber);
      return [...messages, { role: 'user', content: `Step ${stepNumber}.` } as never];
    }),
  ]);
  const model = scriptedModel({ specificationVersion: 'v4', steps: [opening, { text: 'Done.' }] });
  await generateText({
    model: withGuards(model, run),
    tools: guardTools(createTools([]), run),
    ...(withPrepare && { prepareStep: toPrepareStep(run) as never }),
    stopWhen: isStepCount(3),
    prompt: 'Hi',
  });
  expect(steps).toEqual([0, 1]);
  expect(model.calls.map(({ prompt }) => JSON.stringify(prompt).match(/Step \d/g))).toEqual([['Step 0'], ['Step 1']]);
});

it('a runtime without `process`, such as a browser, does not report writes to read-only values', () => {
  expect(throwsOnWrite()).toBe(true);
  vi.stubGlobal('process', undefined);
  const reports = throwsOnWrite();
  vi.unstubAllGlobals();
  expect(reports).toBe(false);
});
