import { generateText, isStepCount, Output, tool } from 'ai';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { createGuardedRun, guardedToolLoop, guardSettings, withGuards } from '../../src/ai-sdk/index.js';
import { scriptedModel } from '../../src/testing/index.js';
import { finishOf } from '../../src/testing/scripted-parts.js';
import { quoting } from '../quoting-model.js';
import { guardOn, isStreamed, runGuarded, statusOf, ways } from './support.js';

const secret = 'ZEBRA42';

/** The step with the secret in one of its fields. */
const places = {
  text: { text: [`The code is ${secret}. `] },
  reasoning: { reasoning: [`I know ${secret}. `], text: ['Wait. '] },
  arguments: { text: ['Wait. '], args: { note: `see ${secret}` } },
  result: { text: ['Wait. '], receipt: `paid with ${secret}` },
  error: { text: ['Wait. '], failure: `refused ${secret}` },
} as const satisfies Record<string, Place>;

interface Place {
  readonly text?: readonly string[];
  readonly reasoning?: readonly string[];
  readonly args?: { readonly note: string };
  readonly receipt?: string;
  readonly failure?: string;
}

const modelFor = ({ text, reasoning, args = { note: 'fine' } }: Place) =>
  scriptedModel({
    specificationVersion: 'v4',
    steps: [{ text, reasoning, toolCalls: [{ name: 'charge', args }] }, { text: ['All is paid.'] }],
  });

const toolsFor = ({ receipt = 'paid', failure }: Place) => ({
  charge: tool({
    inputSchema: z.object({ note: z.string() }),
    execute: async () => {
      if (failure) throw new Error(failure);
      return { receipt };
    },
  }),
});

/** Removes the secret from the whole answer, after its end. */
const redacting = () =>
  guardOn('outputResult', ({ messages }) => JSON.parse(JSON.stringify(messages).replaceAll(secret, '[out]')) as unknown);

/** All fields of a result, including getters. */
const allOf = (result: unknown): string =>
  JSON.stringify(result, (_, value: unknown) => {
    if (value instanceof Error) return value.message;
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
    const getters = Object.entries(Object.getOwnPropertyDescriptors((Object.getPrototypeOf(value) ?? {}) as object))
      .filter(([name, { get }]) => get && name !== 'experimental_output' && name !== 'output')
      .map(([name]) => [name, Reflect.get(value, name) as unknown]);
    return { ...value, ...Object.fromEntries(getters) };
  });

/** The output for all readers of a streamed result. */
const readWhole = async (result: Awaited<ReturnType<ReturnType<typeof guardedToolLoop>['stream']>>) => {
  const read = async (stream: ReadableStream<unknown>) => {
    const values: unknown[] = [];
    for await (const value of stream) values.push(value);
    return values;
  };
  const streams = await Promise.all([
    read(result.fullStream),
    read(result.textStream),
    read(result.toUIMessageStream({ sendReasoning: true, sendSources: true })),
    result.toTextStreamResponse().text(),
    result.toUIMessageStreamResponse().text(),
  ]);
  return {
    streams,
    steps: await result.steps,
    text: await result.text,
    response: await result.response,
    ...(await otherFields(result)),
  };
};

const otherFields = async (result: Awaited<ReturnType<ReturnType<typeof guardedToolLoop>['stream']>>) => ({
  reasoning: await result.reasoning,
  toolCalls: await result.toolCalls,
  toolResults: await result.toolResults,
  content: await result.content,
  request: await result.request,
});

describe.each(Object.entries(places))('a result guard removes %s from an earlier step', (_, place: Place) => {
  it.each(ways)('%s', async (way) => {
    const setup = { model: modelFor(place), guards: [redacting()], settings: { tools: toolsFor(place) } };
    const ran = await runGuarded(way, setup);
    if (way === 'streamText') {
      expect(ran.error).toMatchObject({ name: 'GuardUnavailableError', cause: { code: 'ai-sdk/late-edit' } });
      expect(ran.result).toBeUndefined();
    } else {
      expect(statusOf(ran)).toBe('success');
      expect(allOf(ran.result)).not.toContain(secret);
      expect(allOf(ran.result)).toContain('[out]');
      expect(allOf(ran.parts)).not.toContain(secret);
      if (isStreamed(way)) expect(allOf(ran.parts)).toContain('[out]');
    }
  });

  it.each(['generateText', 'agent.generate', 'agent.stream'] as const)(
    'also from provider data that repeats it, %s',
    async (way) => {
      const setup = { model: quoting(modelFor(place)), guards: [redacting()], settings: { tools: toolsFor(place) } };
      const ran = await runGuarded(way, setup);
      expect(statusOf(ran)).toBe('success');
      expect(allOf(ran.result?.steps)).toContain('provider');
      expect(allOf([ran.result, ran.parts])).not.toContain(secret);
    },
  );

  it.each(ways)('also if prepareStep adds a message of the user to each step, %s', async (way) => {
    const prepareStep = ({ messages }: { messages: object[] }) => ({
      messages: [...messages, { role: 'user', content: 'Be brief.' }],
    });
    const settings = { tools: toolsFor(place), prepareStep };
    const ran = await runGuarded(way, { model: modelFor(place), guards: [redacting()], settings });
    expect(statusOf(ran)).toBe(way === 'streamText' ? 'failed' : 'success');
    expect(allOf([ran.result, way !== 'streamText' && ran.parts])).not.toContain(secret);
  });

  it('with hold: "step" the stream of an agent fails, as the text is already emitted', async () => {
    const setup = { model: modelFor(place), guards: [redacting()], settings: { tools: toolsFor(place) } };
    const ran = await runGuarded('agent.stream', { ...setup, guardOptions: { hold: 'step' } });
    expect(ran.error).toMatchObject({ name: 'GuardUnavailableError', cause: { code: 'ai-sdk/late-edit' } });
  });

  it.each(['generate', 'stream'] as const)('no callback and no reader of an agent gets the removed value, %s', async (mode) => {
    const calls: string[] = [];
    const chunks: string[] = [];
    const logAs = (name: string) => (event: unknown) => void calls.push(`${name} ${allOf(event)}`);
    const settings = {
      model: quoting(modelFor(place)),
      tools: toolsFor(place),
      include: { requestBody: true, requestMessages: true },
      guards: [redacting()],
      onStepFinish: logAs('step of the agent'),
      onFinish: logAs('end of the agent'),
      onChunk: (event: unknown) => void chunks.push(allOf(event)),
    };
    const agent = guardedToolLoop(settings);
    const call = { prompt: 'Pay.', onStepFinish: logAs('step of the call') };
    const result = mode === 'generate' ? await agent.generate(call) : await readWhole((await agent.stream(call)) as never); // with its tools
    expect(chunks.join()).not.toContain(secret);
    expect(chunks.length > 0).toBe(mode === 'stream');
    expect(calls.map((one) => one.split(' {')[0])).toEqual([
      'step of the agent',
      'step of the call',
      'step of the agent',
      'step of the call',
      'end of the agent',
    ]);
    expect(calls.join()).not.toContain(secret);
    expect(allOf(result)).not.toContain(secret);
    expect(allOf(result)).toContain('[out]');
  });

  it('a guarded model without other adapters fails closed', async () => {
    const model = withGuards(modelFor(place), [redacting()]);
    const ending = generateText({ model, tools: toolsFor(place), prompt: 'Pay.', stopWhen: isStepCount(3), maxRetries: 0 });
    await expect(ending).rejects.toMatchObject({ cause: { code: 'ai-sdk/late-edit' } });
  });

  it('a run that stops after its tool calls has the results judged and fails closed', async () => {
    const run = createGuardedRun([redacting()]);
    const settings = { model: modelFor(place), tools: toolsFor(place), prompt: 'Pay.', stopWhen: isStepCount(1) };
    await generateText({ ...settings, ...guardSettings(settings, run) });
    await expect(run.finish()).rejects.toMatchObject({ cause: { code: 'ai-sdk/late-edit' } });
  });
});

describe.each(['outputStep', 'toolResult'] as const)('an edit of an earlier step in %s', (phase) => {
  const charge = { toolCalls: [{ name: 'charge', args: { note: 'fine' } }] };
  const threeSteps = (first: object) =>
    scriptedModel({
      specificationVersion: 'v4',
      steps: [{ ...charge, ...first }, { text: ['More. '], ...charge }, { text: ['All is paid.'] }],
    });
  /** Acts from the second step on. */
  const late = () =>
    guardOn(phase, ({ messages, stepNumber = 0 }) =>
      stepNumber === 0 ? messages : (JSON.parse(JSON.stringify(messages).replaceAll(secret, '[out]')) as unknown),
    );

  it.each(['generateText', 'agent.generate'] as const)('is applied once, however often a guard returns it, %s', async (way) => {
    const model = threeSteps({ text: [`The code is ${secret}. `] });
    const ran = await runGuarded(way, { model, guards: [late()], settings: { tools: toolsFor({}) } });
    expect(ran.error).toBeUndefined();
    expect(allOf(ran.result)).not.toContain(secret);
    expect(ran.result?.steps[0]?.text).toBe('The code is [out]. ');
  });

  it.each(['generateText', 'agent.generate', 'agent.stream'] as const)(
    'removes the value from recorded requests, %s',
    async (way) => {
      const include = { requestBody: true, requestMessages: true };
      const model = quoting(threeSteps({ text: [`The code is ${secret}. `] }));
      const settings = { tools: toolsFor({}), include };
      const ran = await runGuarded(way, { model, guards: [redacting()], settings });
      expect(statusOf(ran)).toBe('success');
      expect(allOf([ran.result?.steps, ran.parts])).not.toContain(secret);
    },
  );

  it('fails a stream that has emitted the text', async () => {
    const model = threeSteps({ text: [`The code is ${secret}. `] });
    const ran = await runGuarded('agent.stream', { model, guards: [late()], settings: { tools: toolsFor({}) } });
    expect(ran.error).toMatchObject({ cause: { code: 'ai-sdk/late-edit' } });
  });
});

describe('an edit that cannot be applied to an earlier step', () => {
  const place = places.text;

  it.each(ways)('fails closed, %s', async (way) => {
    const drops = guardOn('outputResult', ({ messages = [] }) => messages.slice(-1));
    const ran = await runGuarded(way, { model: modelFor(place), guards: [drops], settings: { tools: toolsFor(place) } });
    expect(ran.error).toMatchObject({ name: 'GuardUnavailableError', cause: { code: 'ai-sdk/late-edit' } });
  });

  it.each(ways)('fails closed for arguments edited by a guard of tool results, %s', async (way) => {
    const note = { note: `see ${secret}` };
    const edits = guardOn(
      'toolResult',
      ({ messages }) => JSON.parse(JSON.stringify(messages).replaceAll(secret, '[out]')) as unknown,
    );
    const ran = await runGuarded(way, { model: modelFor({ args: note }), guards: [edits], settings: { tools: toolsFor({}) } });
    expect(ran.error).toMatchObject({ cause: { code: 'ai-sdk/late-edit' } });
  });

  it.each(ways)('the result of a provider’s tool stays before a text that was edited after it, %s', async (way) => {
    const web = { toolCallId: 'w', toolName: 'web', providerExecuted: true, dynamic: true };
    const parts = [
      { type: 'tool-call', ...web, input: '{}' },
      { type: 'tool-result', ...web, result: { found: 1 } },
      { type: 'text-start', id: 't' },
      { type: 'text-delta', id: 't', delta: `It is ${secret}. ` },
      { type: 'text-end', id: 't' },
      { type: 'tool-call', toolCallId: 'c', toolName: 'charge', input: '{"note":"fine"}' },
      { type: 'finish', ...finishOf.v4('tool-calls') },
    ];
    const model = scriptedModel({ specificationVersion: 'v4', steps: [{ parts: parts as never }, { text: ['All is paid.'] }] });
    const edits = guardOn(
      'outputStep',
      ({ messages }) => JSON.parse(JSON.stringify(messages).replaceAll(secret, '[out]')) as unknown,
    );
    await runGuarded(way, { model, guards: [edits], settings: { tools: toolsFor({}) } });
    const content = model.calls[1]?.prompt.find(({ role }) => role === 'assistant')?.content as { type: string; text?: string }[];
    expect(content.map(({ type, text }) => text ?? type)).toEqual(['tool-call', 'tool-result', 'It is [out]. ', 'tool-call']);
  });

  it('fails closed for a tool with toModelOutput', async () => {
    const charge = tool({
      inputSchema: z.object({ note: z.string() }),
      execute: async () => ({ receipt: secret, kept: secret }),
      toModelOutput: ({ output }) => ({ type: 'text', value: output.receipt }),
    });
    const ran = await runGuarded('agent.generate', {
      model: modelFor({ text: ['Wait. '] }),
      guards: [redacting()],
      settings: { tools: { charge } },
    });
    expect(ran.error).toMatchObject({ cause: { code: 'ai-sdk/late-edit' } });
  });
});

it('readers of an agent’s stream get nothing of a run that a result guard rejects', async () => {
  const place = places.text;
  const calls: unknown[] = [];
  const logCall = (event: unknown) => void calls.push(event);
  const settings = {
    model: modelFor(place),
    tools: toolsFor(place),
    guards: [guardOn('outputResult', ({ abort }) => abort('Not this.'))],
    onChunk: logCall,
    onStepFinish: logCall,
    onFinish: logCall,
  };
  const agent = guardedToolLoop(settings);
  const result = await agent.stream({ prompt: 'Go.' });
  const parts: unknown[] = [];
  const words: string[] = [];
  await Promise.all([
    (async () => {
      for await (const part of result.fullStream) parts.push(part);
    })(),
    (async () => {
      for await (const text of result.textStream) words.push(text);
    })().catch(() => undefined),
  ]);
  expect([words, calls]).toEqual([[], []]);
  expect(allOf(parts)).not.toContain(secret);
  expect(allOf(parts)).not.toContain('All is paid.');
  expect(parts.map((part) => (part as { type: string }).type)).toContain('error');
});

const charging = { toolCalls: [{ name: 'charge', args: { note: 'fine' } }] };

/** Streams two steps, with an output that is parsed from their text. */
const streamOutput = (steps: unknown, own: object) =>
  guardedToolLoop({
    model: quoting(scriptedModel({ specificationVersion: 'v4', steps: steps as never })),
    tools: toolsFor({}),
    include: { requestBody: true, requestMessages: true },
    maxRetries: 0,
    onError: () => undefined,
    guards: [redacting()],
    ...own,
  }).stream({ prompt: 'Go.', ...own });

/** The values of a stream before it ends or fails. */
const valuesOf = async (stream: AsyncIterable<unknown>): Promise<unknown[]> => {
  const values: unknown[] = [];
  try {
    for await (const value of stream) values.push(value);
  } catch {
    // The run was rejected.
  }
  return values;
};

const elements = { output: Output.array({ element: z.string() }) };
const listOf = (...words: string[]) => ({ text: ['{"elements":', JSON.stringify(words), '}'] });

it('outputs of an edited run are parsed from the last response', async () => {
  const steps = [{ ...listOf(secret), ...charging }, listOf('a', 'b')];
  expect(await valuesOf((await streamOutput(steps, elements)).elementStream)).toEqual(['a', 'b']);
  expect(await valuesOf((await streamOutput(steps, elements)).partialOutputStream)).toEqual([['a', 'b']]);
  const wordy = [steps[0], { text: 'No list.' }] as const;
  expect(await valuesOf((await streamOutput(wordy, elements)).elementStream)).toEqual([]);
  expect(allOf(await (await streamOutput(steps, elements)).steps)).not.toContain(secret); // no other part is requested
});

describe('emits no output from the steps of a run that was not accepted', () => {
  const first = { text: [`The code is ${secret}. `], ...charging };
  const abortedIn = (step: number) => {
    const controller = new AbortController();
    const steps = ({ index }: { index: number }) => {
      if (index === step) controller.abort(new Error('Gone.'));
      return index === 0 ? first : { text: 'Done.' };
    };
    return { abortSignal: controller.signal, steps };
  };

  it.each([
    ['a trip', () => ({ guards: [guardOn('outputResult', ({ abort }) => abort('Not this.'))] })],
    ['a failed provider', () => ({ steps: [first, { error: new Error('Refused.') }] })],
    ['an abort', () => abortedIn(1)],
  ])('%s', async (_, ownOf) => {
    const { steps = [first, { text: 'Done.' }], ...own } = ownOf() as { steps?: unknown };
    const result = await streamOutput(steps, own);
    const read = [valuesOf(result.partialOutputStream), valuesOf(result.fullStream)];
    const promised = [result.text, result.steps, result.content, result.response, result.output];
    const settled = await Promise.allSettled(promised);
    expect(settled.map(({ status }) => status)).toEqual(promised.map(() => 'rejected'));
    expect(await read[0]).toEqual([]);
    expect(allOf(await read[1])).not.toContain(secret);
  });
});

it('emits no partial objects of a run that was not accepted', async () => {
  const output = Output.object({ schema: z.object({ type: z.string(), code: z.string() }) });
  const steps = [{ text: ['{"type":"start",', `"code":"${secret}"}`] }];
  const guards = [guardOn('outputResult', ({ abort }) => abort('Not this.'))];
  expect(await valuesOf((await streamOutput(steps, { output, guards })).partialOutputStream)).toEqual([]);
  const twice = [{ ...steps[0], ...charging }, { text: 'Done.' }];
  expect(await valuesOf((await streamOutput(twice, { output, guards })).partialOutputStream)).toEqual([]);
});

it.each([
  ['outputResult', {}, false],
  ['outputResult', { recordOutputs: true }, true],
  ['outputStep', {}, undefined],
] as const)('with a guard in %s and telemetry %o, spans of the AI SDK may hold outputs: %s', async (phase, own, records) => {
  const seen: unknown[] = [];
  const onEnd = (event: { recordOutputs?: boolean }) => void seen.push(event.recordOutputs);
  const guards = [guardOn(phase, ({ messages }) => messages)];
  await (
    await streamOutput([{ text: 'Done.' }], { guards, telemetry: { integrations: [{ onEnd }], ...own } })
  ).text;
  expect(seen).toEqual([records]);
});

describe.each(['prepareStep', 'a guard of the step'])('a step whose messages %s changes', (by) => {
  const change = {
    leaves: (messages: readonly object[]) => messages.filter((_, index) => index !== 3 && index !== 4),
    adds: (messages: readonly object[]) => [...messages, { role: 'assistant', content: 'Now then: ' }],
  };

  const runWith = async (changed: (messages: readonly object[]) => readonly object[], own: string) => {
    const events: string[] = [];
    const removing = guardOn('outputStep', ({ messages, stepNumber }) =>
      stepNumber === 2 ? (JSON.parse(JSON.stringify(messages).replaceAll(secret, '[out]')) as unknown) : messages,
    );
    // Its messages have no results of tools: these are in the answers.
    const changing = guardOn('inputStep', ({ messages = [], stepNumber }) => {
      if (stepNumber !== 2) return messages;
      if (changed === change.leaves) return messages.filter((_, index) => index !== 3);
      return [
        ...messages,
        { id: 'now', role: 'assistant', content: { format: 2, parts: [{ type: 'text', text: 'Now then: ' }] } },
      ];
    });
    const agent = guardedToolLoop({
      model: scriptedModel({
        specificationVersion: 'v4',
        steps: [
          { text: own, toolCalls: [{ name: 'charge', args: { note: '1' } }] },
          { toolCalls: [{ name: 'charge', args: { note: '2' } }] },
          { text: 'Paid.' },
        ],
      }),
      tools: toolsFor({}),
      guards: by === 'prepareStep' ? [removing] : [changing, removing],
      guardOptions: { onEvent: ({ type }) => void events.push(type) },
      ...(by === 'prepareStep' && {
        prepareStep: ({ messages, stepNumber }) =>
          stepNumber === 2 ? { messages: changed(messages) as typeof messages } : undefined,
      }),
    });
    const { steps } = await agent.generate({
      messages: [
        { role: 'user', content: 'Hello' },
        { role: 'assistant', content: `The code was ${secret}.` },
        { role: 'user', content: 'Pay.' },
      ],
    });
    return { texts: steps.map(({ text }) => text), events };
  };

  it('an edit of an earlier step applies to the result, after an answer was added', async () => {
    expect((await runWith(change.adds, `The code is ${secret}.`)).texts).toEqual(['The code is [out].', '', 'Paid.']);
  });

  it("an edit of the caller's answer is reported, after a step was left out", async () => {
    const { texts, events } = await runWith(change.leaves, 'Wait.');
    expect([texts, events.includes('edit-dropped')]).toEqual([['Wait.', '', 'Paid.'], true]);
  });
});
