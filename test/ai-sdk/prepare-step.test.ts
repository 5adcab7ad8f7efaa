import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { generateText, isStepCount, type ModelMessage } from 'ai';
import { describe, expect, it } from 'vitest';
import type { Processor } from '@mastra/core/processors';
import { createGuardedRun, guardedToolLoop, guardSettings, toPrepareStep, type GuardedRunEvent } from '../../src/ai-sdk/index.js';
import type { PrepareStepOptions } from '../../src/ai-sdk/to-prepare-step.js';
import { isInterlockError } from '../../src/index.js';
import { scriptedModel, type ScriptedModel } from '../../src/testing/index.js';
import { closing, createTools, opening, type Step } from './support.js';

type StepAuthor = NonNullable<PrepareStepOptions['prepareStep']>;

const threeSteps: Step[] = [opening, opening, closing];
const createModel = (): ScriptedModel<'v4'> => scriptedModel({ specificationVersion: 'v4', steps: threeSteps });

const history: ModelMessage[] = [
  { role: 'user', content: 'Hello' },
  { role: 'assistant', content: [{ type: 'text', text: 'Hi.' }] },
  { role: 'user', content: [{ type: 'text', text: 'Charge me.' }] },
];
const copyOfHistory = () => structuredClone(history);

interface Setup {
  author?: StepAuthor;
  guards?: Processor[];
  freeze?: boolean;
  settings?: object;
}

/** Three steps with a `prepareStep`; the model's input, and the caller's own messages afterwards. */
const runSteps = async ({ author, guards = [], freeze, settings }: Setup) => {
  const model = createModel();
  const messages = copyOfHistory();
  const base = { model, tools: createTools([]), stopWhen: isStepCount(3), instructions: 'Be kind.', messages, ...settings };
  const events: GuardedRunEvent[] = [];
  const idle: Processor = { id: 'idle', processInputStep: () => undefined };
  const prepareStep = toPrepareStep([idle, ...guards], {
    prepareStep: author,
    freeze,
    settings: base,
    onEvent: (event) => void events.push(event),
  });
  const result = await generateText({ ...base, prepareStep: prepareStep as never });
  const prompts = model.calls.map(({ prompt }) => prompt);
  return { model, messages, prompts, result, events, sent: model.calls.map(({ options }) => options) };
};

const has = (prompt: unknown, text: string): boolean => JSON.stringify(prompt).includes(text);
const last = (messages: readonly ModelMessage[]) => messages.at(-1) as ModelMessage;

interface Row {
  operation: string;
  verdict: 'Pollutes' | 'Safe';
  run: StepAuthor;
  /** The path in the error of a change in place. */
  path?: string;
}

/** The verdict table of the document on prepareStep, row by row; each leaves the mark `x`. */
const table: Row[] = [
  {
    operation: "msg.content += 'x'",
    verdict: 'Pollutes',
    run: ({ messages }) => {
      const message = messages[0] as { content: string };
      message.content += ' MARK';
      return { messages };
    },
    path: 'prepareStep.messages.0.content',
  },
  {
    operation: 'msg.content.push(part)',
    verdict: 'Pollutes',
    run: ({ messages }) => {
      (messages[2] as { content: unknown[] }).content.push({ type: 'text', text: 'MARK' });
      return { messages };
    },
    path: 'prepareStep.messages.2.content.1',
  },
  {
    operation: 'msg.metadata = {...}',
    verdict: 'Pollutes',
    run: ({ messages }) => {
      Object.assign(messages[0] as object, { providerOptions: { mark: { text: 'MARK' } } });
      return { messages };
    },
    path: 'prepareStep.messages.0.providerOptions',
  },
  {
    operation: "msg.role = 'system'",
    verdict: 'Pollutes',
    run: ({ messages }) => {
      Object.assign(last(messages), { role: 'assistant' });
      return { messages };
    },
    path: 'prepareStep.messages.2.role',
  },
  {
    operation: 'messages.push(msg)',
    verdict: 'Pollutes',
    run: ({ messages }) => {
      messages.push({ role: 'user', content: 'MARK' });
      return { messages };
    },
    path: 'prepareStep.messages.3',
  },
  {
    operation: 'return { messages: [...messages, newMsg] }',
    verdict: 'Safe',
    run: ({ messages }) => ({ messages: [...messages, { role: 'user', content: 'MARK' }] }),
  },
  {
    operation: 'return { messages: messages.filter(...) }',
    verdict: 'Safe',
    run: ({ messages }) => ({ messages: messages.filter((_, index) => index > 1) }),
  },
  {
    operation: "return { messages: messages.map((m, i) => i === N ? {...m, content: 'new'} : m) }",
    verdict: 'Safe',
    run: ({ messages }) => ({
      messages: messages.map((message, index) => (index === 0 ? ({ ...message, content: 'MARK' } as ModelMessage) : message)),
    }),
  },
  {
    operation: 'return { messages: messages.map((m) => ({ ...m, content: `x ${m.content}` })) }',
    verdict: 'Safe',
    run: ({ messages }) => ({
      messages: messages.map((message, index) =>
        index === 0 ? ({ ...message, content: `MARK ${message.content as string}` } as ModelMessage) : message,
      ),
    }),
  },
];

const isPolluting = ({ verdict }: Row): boolean => verdict === 'Pollutes';

describe('the verdict table of prepareStep [spec 5.9]', () => {
  it.each(table.filter(isPolluting))('$operation: is rejected with the hook and the path [spec 5.8]', async ({ run, path }) => {
    const failed = await runSteps({ author: run }).catch((error: unknown) => error);
    expect(isInterlockError(failed, 'ai-sdk/frozen-snapshot')).toBe(true);
    expect(failed).toMatchObject({ path });
  });

  it.each(table.filter(isPolluting))(
    '$operation: in production it changes that step only, never the conversation [spec 5.8]',
    async ({ run }) => {
      const only: StepAuthor = (given) => (given.stepNumber === 0 ? run(given) : undefined);
      const { messages, prompts } = await runSteps({ author: only, freeze: false });
      expect(messages).toEqual(history);
      expect(prompts[1]?.slice(0, 4)).toEqual(prompts[2]?.slice(0, 4));
      expect(has(prompts.slice(1), 'MARK')).toBe(false);
      expect(prompts[1]?.slice(1, 4)).toMatchObject([{ role: 'user' }, { role: 'assistant' }, { role: 'user' }]);
    },
  );

  const safe = table.filter((row) => !isPolluting(row));
  const inSteps = [
    { steps: [0], title: 'the first step' },
    { steps: [0, 1], title: 'the first two steps' },
    { steps: [0, 1, 2], title: 'every step' },
    { steps: [1, 2], title: 'the last two steps' },
  ];
  const cases = safe.flatMap((row) => inSteps.map((when) => ({ ...row, ...when })));

  it.each(cases)('$operation in $title: changes those steps only', async ({ run, steps }) => {
    const plain = await runSteps({});
    for (const freeze of [true, false]) {
      const author: StepAuthor = (given) => (steps.includes(given.stepNumber) ? run(given) : undefined);
      const { messages, prompts } = await runSteps({ author, freeze });
      expect(messages).toEqual(history);
      for (const [step, prompt] of prompts.entries()) {
        const only: StepAuthor = (given) => (given.stepNumber === step ? run(given) : undefined);
        const expected = steps.includes(step) ? (await runSteps({ author: only, freeze })).prompts[step] : plain.prompts[step];
        expect(prompt).toEqual(expected);
        expect(isDeepStrictEqual(prompt, plain.prompts[step])).toBe(!steps.includes(step));
      }
    }
  });

  it('an edit of a processor in every step is in each prompt once, also in a guarded loop', async () => {
    const prefixing: Processor = {
      id: 'prefixing',
      processInputStep: ({ messages }) => {
        const [first] = messages;
        const part = first?.content.parts[0];
        if (part?.type === 'text') part.text = `MARK ${part.text}`;
        return messages;
      },
    };
    const { prompts } = await runSteps({ guards: [prefixing] });
    const model = createModel();
    const loop = guardedToolLoop({ model, tools: createTools([]), guards: [prefixing], stopWhen: isStepCount(3) });
    await loop.generate({ messages: copyOfHistory() });
    for (const all of [prompts, model.calls.map(({ prompt }) => prompt)])
      expect(all.map((prompt) => JSON.stringify(prompt).split('MARK').length - 1)).toEqual([1, 1, 1]);
  });

  it('a reminder in every step is in each prompt once [spec 5.4]', async () => {
    const author: StepAuthor = ({ messages, stepNumber }) => ({
      messages: [...messages, { role: 'user', content: `MARK ${stepNumber}` }],
    });
    const { prompts } = await runSteps({ author });
    expect(prompts.map((prompt) => prompt.filter((message) => has(message, 'MARK')).length)).toEqual([1, 1, 1]);
  });

  it('previous steps are read-only, too', async () => {
    const author: StepAuthor = ({ steps }) => {
      steps[0]?.content.pop();
      return undefined;
    };
    await expect(runSteps({ author })).rejects.toMatchObject({
      code: 'ai-sdk/frozen-snapshot',
      path: 'prepareStep.steps.0.content.4',
    });
  });
});

describe('the fields of prepareStep', () => {
  it('are unset if the hook returns nothing [spec 5.1]', async () => {
    const prepareStep = toPrepareStep([{ id: 'idle', processInputStep: () => undefined }]);
    const given = { steps: [], stepNumber: 0, model: createModel(), messages: copyOfHistory(), responseMessages: [] };
    const initialMessages = given.messages;
    expect(await prepareStep({ ...given, initialMessages } as never)).toBeUndefined();
  });

  const second = createModel();
  const fields: [
    field: string,
    answer: Awaited<ReturnType<StepAuthor>>,
    check: (ran: Awaited<ReturnType<typeof runSteps>>) => void,
  ][] = [
    [
      'system',
      { system: 'Be brief.' },
      ({ prompts }) => expect(prompts.map(([first]) => first?.content)).toEqual(['Be brief.', 'Be kind.', 'Be kind.']),
    ],
    [
      'instructions',
      { instructions: [{ role: 'system', content: 'Be brief.' }] },
      ({ prompts }) => expect(prompts.map(([first]) => first?.content)).toEqual(['Be brief.', 'Be kind.', 'Be kind.']),
    ],
    [
      'toolChoice',
      { toolChoice: 'required' },
      ({ sent }) => expect(sent.map(({ toolChoice }) => toolChoice?.type)).toEqual(['required', 'auto', 'auto']),
    ],
    ['activeTools', { activeTools: [] }, ({ sent }) => expect(sent.map(({ tools }) => tools?.length ?? 0)).toEqual([0, 1, 1])],
    [
      'providerOptions',
      { providerOptions: { local: { seed: 2 } } },
      ({ sent }) =>
        expect(sent.map(({ providerOptions }) => providerOptions)).toEqual([
          { local: { seed: 2, kept: true }, other: { a: 1 } },
          { local: { seed: 1, kept: true }, other: { a: 1 } },
          { local: { seed: 1, kept: true }, other: { a: 1 } },
        ]),
    ],
    [
      'temperature',
      { temperature: 0.5 },
      ({ sent }) => expect(sent.map(({ temperature }) => temperature)).toEqual([0.5, undefined, undefined]),
    ],
    ['model', { model: second }, ({ model }) => expect([second.calls.length, model.calls.length]).toEqual([1, 2])],
  ];

  it.each(fields)(
    '%s: applies to this step if prepareStep of the application returns it [spec 5.2]',
    async (_, answer, assert) => {
      const author: StepAuthor = ({ stepNumber }) => (stepNumber === 0 ? answer : undefined);
      const settings = { providerOptions: { local: { seed: 1, kept: true }, other: { a: 1 } } };
      assert(await runSteps({ author, settings }));
    },
  );

  it('experimental_context applies to this step, runtimeContext from this step on, as in the AI SDK [spec 5.2]', async () => {
    const seen: unknown[] = [];
    const author: StepAuthor = ({ stepNumber, experimental_context }) => {
      seen.push(experimental_context);
      return stepNumber === 0 ? { experimental_context: { n: 1 } } : undefined;
    };
    await runSteps({ author, settings: { runtimeContext: { n: 0 } } });
    expect(seen).toEqual([{ n: 0 }, { n: 0 }, { n: 0 }]);
    seen.length = 0;
    const lasting: StepAuthor = ({ stepNumber, experimental_context }) => {
      seen.push(experimental_context);
      return stepNumber === 0 ? { runtimeContext: { n: 1 } } : undefined;
    };
    await runSteps({ author: lasting, settings: { runtimeContext: { n: 0 } } });
    expect(seen).toEqual([{ n: 0 }, { n: 1 }, { n: 1 }]);
  });

  it('without instructions, the instructions of a step apply to that step only', async () => {
    const author: StepAuthor = ({ stepNumber }) => (stepNumber === 0 ? { system: 'Be brief.' } : undefined);
    const { prompts } = await runSteps({ author, settings: { instructions: undefined } });
    expect(prompts.map(([first]) => first?.role)).toEqual(['system', 'user', 'user']);
  });
});

type StepHook = NonNullable<Processor['processInputStep']>;
const hooked = (processInputStep: StepHook): Processor[] => [{ id: 'hook', processInputStep }];
const atFirst =
  (answer: object): StepHook =>
  ({ stepNumber }) =>
    stepNumber === 0 ? answer : undefined;

describe('processInputStep as prepareStep', () => {
  it('gets the settings of the call [spec 5.11]', async () => {
    const seen: Parameters<StepHook>[0][] = [];
    const guards = hooked((args) => void seen.push(args));
    const { result } = await runSteps({ guards, settings: { toolChoice: 'auto', providerOptions: { local: { seed: 1 } } } });
    expect(seen.map(({ stepNumber }) => stepNumber)).toEqual([0, 1, 2]);
    expect(seen[2]?.steps).toHaveLength(2);
    expect(seen[0]).toMatchObject({
      toolChoice: 'auto',
      providerOptions: { local: { seed: 1 } },
      systemMessages: [{ content: 'Be kind.' }],
    });
    expect(Object.keys(seen[0]?.tools ?? {})).toEqual(['charge']);
    expect(seen[0]?.messages).toHaveLength(3);
    expect(result.text).toBe('All is paid.');
  });

  it.each<[string, object, (ran: Awaited<ReturnType<typeof runSteps>>) => void]>([
    ['tools', { tools: {} }, ({ sent }) => expect(sent.map(({ tools }) => tools?.length ?? 0)).toEqual([0, 1, 1])],
    ['activeTools', { activeTools: [] }, ({ sent }) => expect(sent.map(({ tools }) => tools?.length ?? 0)).toEqual([0, 1, 1])],
    [
      'modelSettings',
      { modelSettings: { temperature: 0.5 } },
      ({ sent }) => expect(sent.map(({ temperature }) => temperature)).toEqual([0.5, undefined, undefined]),
    ],
    [
      'systemMessages',
      { systemMessages: [{ role: 'system', content: 'Be brief.' }] },
      ({ prompts }) => expect(prompts.map(([first]) => first?.content)).toEqual(['Be brief.', 'Be kind.', 'Be kind.']),
    ],
    [
      'added messages',
      { messages: [{ role: 'user', content: 'MARK' }] },
      ({ prompts }) => expect(prompts.map((prompt) => has(prompt, 'MARK'))).toEqual([true, false, false]),
    ],
  ])('%s: applies to this step only', async (_, answer, assert) => {
    assert(await runSteps({ guards: hooked(atFirst(answer)) }));
  });

  it('in-place edits and messages pushed to the list apply to this step only', async () => {
    const guards = hooked(({ messages, messageList, stepNumber }) => {
      if (stepNumber !== 0) return undefined;
      for (const { content } of messages) for (const part of content.parts) if (part.type === 'text') part.text += ' MARK';
      messageList.add('MARK too', 'input');
      return messageList;
    });
    const { prompts, messages } = await runSteps({ guards });
    const plain = await runSteps({});
    expect(messages).toEqual(history);
    expect(has(prompts[0], 'Hello MARK')).toBe(true);
    expect(has(prompts[0], 'MARK too')).toBe(true);
    expect(prompts.slice(1)).toEqual(plain.prompts.slice(1));
  });

  it.each([
    ['steps', ({ steps }: Parameters<StepHook>[0]) => void (steps as unknown[]).push(1), 'processInputStep.steps.0'],
    [
      'providerOptions',
      ({ providerOptions }: Parameters<StepHook>[0]) => void Object.assign(providerOptions ?? {}, { local: 1 }),
      'processInputStep.providerOptions.local',
    ],
  ])('%s is read-only: the error names the hook and the path', async (_, hook, path) => {
    const failed = runSteps({ guards: hooked(hook), settings: { providerOptions: { local: { seed: 1 } } } });
    await expect(failed).rejects.toMatchObject({
      name: 'GuardUnavailableError',
      cause: { code: 'ai-sdk/frozen-snapshot', path },
    });
  });

  it.each([
    ['a new tool', { tools: { other: {} } }, 'inputStep.tools.other'],
    ['structuredOutput', { structuredOutput: { schema: {} } }, 'inputStep.structuredOutput'],
    ['an unsupported setting', { modelSettings: { headers: {} } }, 'inputStep.modelSettings.headers'],
    ['a message id', { messageId: 'own' }, 'inputStep.messageId'],
  ])('rejects %s, which a step cannot have [spec 5.3]', async (_, answer, path) => {
    await expect(runSteps({ guards: hooked(atFirst(answer)) })).rejects.toMatchObject({
      cause: { code: 'ai-sdk/unsupported-field', path },
    });
  });

  it('a replacement for a guarded model is guarded, too', async () => {
    const other = scriptedModel({ specificationVersion: 'v4', steps: [{ text: 'bad words' }] });
    const guards: Processor[] = [
      { id: 'choose', processInputStep: () => ({ model: other as never }) },
      { id: 'judge', processOutputStep: ({ text, abort, messages }) => (text?.includes('bad') ? abort('bad') : messages) },
    ];
    const run = createGuardedRun(guards);
    const base = { model: createModel(), prompt: 'Hello' };
    await expect(generateText({ ...base, ...guardSettings(base, run) })).rejects.toMatchObject({
      name: 'TripwireError',
      reason: 'bad',
    });
    expect(other.calls).toHaveLength(1);
  });

  it('judges the messages of the caller once and keeps the edits in later steps', async () => {
    let count = 0;
    const redact: Processor = {
      id: 'redact',
      processInput: ({ messages }) => {
        count += 1;
        return messages
          .slice(2)
          .map((message) => ({ ...message, content: { ...message.content, parts: [{ type: 'text', text: 'Charge ***.' }] } }));
      },
    };
    const { prompts, messages } = await runSteps({ guards: [redact] });
    expect(count).toBe(1);
    expect(messages).toEqual(history);
    for (const prompt of prompts) {
      expect(has(prompt, 'Hello')).toBe(false);
      expect(has(prompt, 'Charge ***.')).toBe(true);
    }
  });
});

it('calls the model after prepareStep has returned [spec 5.12]', async () => {
  const model = createModel();
  const seen: unknown[] = [];
  const author: StepAuthor = async ({ stepNumber }) => {
    await sleep(1);
    seen.push([stepNumber, model.calls.length]);
    return undefined;
  };
  await runSteps({ author, settings: { model } });
  expect(seen).toEqual([
    [0, 0],
    [1, 1],
    [2, 2],
  ]);
});

describe('the duration of prepareStep', () => {
  const slow = (budgetMs: number | undefined, takesMs: number) => {
    const events: GuardedRunEvent[] = [];
    const guards = hooked(async () => await sleep(takesMs));
    const prepareStep = toPrepareStep(guards, { budgetMs, onEvent: (event) => void events.push(event) });
    const messages = copyOfHistory();
    const given = { steps: [], stepNumber: 4, model: createModel(), messages, initialMessages: messages, responseMessages: [] };
    return Promise.resolve(prepareStep(given as never)).then(() => events.filter(({ type }) => type === 'prepare-step-slow'));
  };

  it('is reported above the budget: 200 ms or the configured limit [spec 5.10]', async () => {
    expect(await slow(undefined, 230)).toMatchObject([{ stepNumber: 4, budgetMs: 200 }]);
    expect(await slow(5, 30)).toMatchObject([{ budgetMs: 5, durationMs: expect.any(Number) as number }]);
  });

  it('is not reported within the budget', async () => {
    expect(await slow(60_000, 0)).toEqual([]);
  });
});
