import { MessageList, type MastraDBMessage } from '@mastra/core/agent/message-list';
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import type { ResolvedModel } from '../../phase/host.js';
import { copyPlain } from '../../phase/plain-data.js';
import { scriptedModel } from '../../testing/index.js';
import { createMessageCopies } from '../messages/list-insides.js';
import { createToolMessages } from '../agent/loop-ports.js';
import { createPrompts, toPrompt } from './prompts.js';
import { times } from '../../../test/modes.js';

type Part = MastraDBMessage['content']['parts'][number];

const modelOf = (specificationVersion: 'v2' | 'v3' | 'v4') =>
  scriptedModel({ steps: [], specificationVersion, provider: 'openai' }) as unknown as ResolvedModel; // its version and provider are read

let ids = 0;
const nextId = (): string => `id-${(ids += 1)}`;

const words = fc.constantFrom('Hello.', 'Where is it?', ' ', 'On its way.');
const text = fc.record(
  {
    type: fc.constant('text' as const),
    text: words,
    providerMetadata: fc.constantFrom({ openai: { itemId: 'msg_1' } }, { openai: { itemId: 'msg_2' } }),
  },
  { requiredKeys: ['type', 'text'] },
);
const tool = fc
  .record({
    state: fc.constantFrom('result', 'call', 'output-error'),
    providerExecuted: fc.constantFrom(true, undefined, undefined),
    modelOutput: fc.constantFrom({ type: 'text', value: 'short' }, undefined, undefined),
    result: fc.constantFrom<unknown>({ found: 1 }, 'fine', { content: [{ type: 'image', data: 'AA==', mimeType: 'image/png' }] }),
  })
  .map(({ state, providerExecuted, modelOutput, result }): object => ({
    type: 'tool-invocation',
    toolInvocation: { state, toolCallId: nextId(), toolName: 'look', args: { q: 1 }, result, errorText: 'broken' },
    ...(providerExecuted && { providerExecuted }),
    ...(modelOutput && { providerMetadata: { mastra: { modelOutput } } }),
  }));
const others = fc.constantFrom<object>(
  { type: 'file', data: 'data:image/png;base64,AA==', mimeType: 'image/png' },
  { type: 'source', source: { sourceType: 'url', id: 's', url: 'https://example.com' } },
  { type: 'data-note', data: 1 },
  { type: 'reasoning', reasoning: 'Hm.', details: [{ type: 'text', text: 'Hm.' }] },
  { type: 'step-start' },
);
const part = fc.oneof(
  { weight: 5, arbitrary: text },
  { weight: 4, arbitrary: tool },
  { weight: 3, arbitrary: others },
) as unknown as fc.Arbitrary<Part>; // the types in lists
const parts = fc.array(part, { minLength: 1, maxLength: 5 });
const message = fc.record({ role: fc.constantFrom('user' as const, 'assistant' as const), parts });

/** Changes of a conversation between two prompts. The loop itself only extends its answer and sets system messages. */
type Change =
  | { kind: 'message'; role: 'user' | 'assistant'; parts: Part[] }
  | { kind: 'step'; parts: Part[] }
  | { kind: 'edit'; at: number; parts: Part[] }
  | { kind: 'remove'; at: number }
  | { kind: 'system'; text: string };
const step = parts.map((added) => ({ kind: 'step' as const, parts: added }));
const system = words.map((line) => ({ kind: 'system' as const, text: line }));
const changes = {
  'the loop': fc.oneof(step, system),
  'guards and the loop': fc.oneof(
    step,
    system,
    message.map((one) => ({ kind: 'message' as const, ...one })),
    fc.tuple(fc.nat(), parts).map(([at, changed]) => ({ kind: 'edit' as const, at, parts: changed })),
    fc.nat().map((at) => ({ kind: 'remove' as const, at })),
  ),
} satisfies Record<string, fc.Arbitrary<Change>>;

const add = (list: MessageList, { role, parts: content }: { role: 'user' | 'assistant'; parts: Part[] }): void =>
  void list.add(
    { id: nextId(), role, createdAt: new Date(), content: { format: 2, parts: copyPlain(content) } },
    role === 'user' ? 'input' : 'response',
    { merge: false },
  );

const apply = (list: MessageList, one: Change): void => {
  const messages = list.get.all.db();
  const last = messages.at(-1);
  switch (one.kind) {
    case 'message':
      return add(list, one);
    case 'step':
      if (last?.role !== 'assistant') return add(list, { role: 'assistant', parts: one.parts });
      return void last.content.parts.push({ type: 'step-start' }, ...copyPlain(one.parts));
    case 'edit': {
      const edited = messages[one.at % Math.max(1, messages.length)];
      return void edited?.content.parts.splice(0, 1, ...copyPlain(one.parts).slice(0, 1));
    }
    case 'remove': {
      const removed = messages[one.at % Math.max(1, messages.length)];
      return removed && void list.removeByIds([removed.id]);
    }
    case 'system':
      return void list.addSystem(one.text, 'tag');
    default:
      return one satisfies never;
  }
};

const history = fc.array(message, { minLength: 22, maxLength: 30 });

const rarely = <T>(value: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 30, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: value });

/** A question and a long answer, whose steps mostly have text and finished calls. */
const plainStep = fc
  .tuple(fc.option(fc.constantFrom('Hello.', 'On its way.')), fc.integer({ min: 1, max: 4 }), rarely(part))
  .map(([said, calls, other]): Part[] => [
    { type: 'step-start' },
    ...(said === null ? [] : [{ type: 'text' as const, text: said }]),
    ...Array.from({ length: Math.ceil(calls / 2) }, () => finishedCall()),
    ...(other === null ? [] : [other]),
  ]);
type Call = Extract<Part, { type: 'tool-invocation' }>;
const finishedCall = (): Part => ({
  type: 'tool-invocation',
  toolInvocation: { state: 'result', toolCallId: nextId(), toolName: 'look', args: { q: 1 }, result: { found: 1 } },
});
const longAnswer = fc
  .tuple(fc.oneof(fc.constant([]), history), fc.array(plainStep, { minLength: 33, maxLength: 40 }))
  .map(([earlier, steps]) => [
    ...earlier,
    { role: 'user' as const, parts: [{ type: 'text' as const, text: 'Look.' }] as Part[] },
    { role: 'assistant' as const, parts: steps.flat() },
  ]);

/** Long sequences of messages with arbitrary text, with other messages in between. */
const userText = fc.record({
  role: fc.constantFrom('user' as const, 'assistant' as const),
  parts: fc
    .oneof(fc.constantFrom(' ', ' Edges. ', 'An example.', 'Two\n\nlines', '{"a":1}'), fc.string())
    .map((said) => [{ type: 'text' as const, text: said }] as Part[]),
});
const talk = fc
  .array(fc.tuple(fc.array(message, { maxLength: 2 }), fc.array(userText, { minLength: 18, maxLength: 24 })), {
    minLength: 1,
    maxLength: 2,
  })
  .map((stretches) => stretches.flatMap(([some, many]) => [...some, ...many]));

const listOf = (messages: readonly { role: 'user' | 'assistant'; parts: Part[] }[]): MessageList => {
  const list = new MessageList().addSystem('Be brief.');
  for (const one of messages) add(list, one);
  return list;
};

const long = Array.from({ length: 60 }, (_, n) => ({
  role: n % 2 === 0 ? ('assistant' as const) : ('user' as const),
  parts: [{ type: 'text' as const, text: `Message ${n}.` }],
}));

/** Normalizes a value: parts contain the time of their creation, and fields may be undefined. */
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

/** The prompt of Mastra's own agent. Its stored calls have arguments. */
const mastrasPrompt = (list: MessageList, version: 'v2' | 'v3' | 'v4'): Promise<unknown> =>
  list.get.all[({ v2: 'aiV5', v3: 'aiV6', v4: 'aiV7' } as const)[version]].llmPrompt({
    supportedUrls: {},
    targetProvider: 'openai',
  });

/** A result that is an instance of a class. */
class Receipt {
  value = 'ZEBRA';
}

describe('an incrementally converted prompt', () => {
  it.each([
    ['v2', 'guards and the loop'],
    ['v4', 'guards and the loop'],
    ['v3', 'the loop'],
  ] as const)(
    'law: equals the prompt that Mastra converts from the whole list, for a %s model, after changes by %s',
    async (version, provider) => {
      const model = modelOf(version);
      await fc.assert(
        fc.asyncProperty(
          fc.oneof(history, talk, longAnswer),
          fc.array(changes[provider], { minLength: 2, maxLength: 6 }),
          async (before, then) => {
            const copies = createMessageCopies(() => provider !== 'the loop');
            const [prompts, tools, list] = [createPrompts(copies), createToolMessages(copies), listOf(before)];
            for (const one of then) {
              apply(list, one);
              expect(plain(await prompts(list, model))).toEqual(plain(await mastrasPrompt(list, version)));
              expect(plain(await toPrompt(list, model))).toEqual(plain(await mastrasPrompt(list, version)));
              expect(plain(await tools(list, true))).toEqual(plain(list.get.all.aiV5.model()));
              expect(plain(await tools(list, false))).toEqual(plain(list.get.input.aiV5.model()));
            }
          },
        ),
        times(20, 60),
      );
    },
  );

  it.each(['v2', 'v3', 'v4'] as const)('law: equals Mastra’s after each step of an answer, for a %s model', async (version) => {
    const model = modelOf(version);
    const few = fc.array(message, { maxLength: 4 });
    const textStep = fc
      .constantFrom('Hello.', 'On its way.')
      .map((line): Part[] => [{ type: 'step-start' }, { type: 'text', text: line }]);
    const [many, some] = [plainStep, fc.oneof(textStep, changes['guards and the loop'])];
    const change = fc.oneof({ weight: 5, arbitrary: many }, { weight: 2, arbitrary: some });
    await fc.assert(
      fc.asyncProperty(few, fc.array(change, { minLength: 3, maxLength: 12 }), async (before, then) => {
        const list = listOf([...before, { role: 'user', parts: [{ type: 'text', text: 'Look.' }] }]);
        const copies = createMessageCopies(() => true);
        const [prompts, tools] = [createPrompts(copies), createToolMessages(copies)];
        for (const one of then) {
          apply(list, Array.isArray(one) ? { kind: 'step', parts: one.slice(1) } : one); // `apply` starts the step
          expect(plain(await prompts(list, model))).toEqual(plain(await mastrasPrompt(list, version)));
          expect(plain(await tools(list, true))).toEqual(plain(list.get.all.aiV5.model()));
        }
      }),
      times(60, 200),
    );
  });

  it.each<[string, (call: Part) => Part[]]>([
    [
      'a call without a result',
      (call) => [{ ...call, toolInvocation: { ...(call as Call).toolInvocation, state: 'call' } } as Part],
    ],
    ['a call that the provider ran', (call) => [{ ...call, providerExecuted: true } as Part]],
    ['marks of a provider', (call) => [call, { type: 'text', text: 'Hm.', providerMetadata: { openai: { itemId: 'm' } } }]],
    ['text without words', (call) => [{ type: 'text', text: ' ' }, call]],
    ['text after its call', (call) => [call, { type: 'text', text: 'Fine.' }]],
  ])('equals Mastra’s if steps of a long answer have %s', async (_name, change) => {
    for (const version of ['v2', 'v4'] as const) {
      const steps = Array.from({ length: 36 }, (_, n): Part[] => [
        { type: 'step-start' },
        ...(n % 16 > 13 || n % 16 < 2 ? change(finishedCall()) : [finishedCall()]),
      ]);
      const list = listOf([
        { role: 'user', parts: [{ type: 'text', text: 'Look.' }] },
        { role: 'assistant', parts: steps.flat() },
      ]);
      const prompts = createPrompts(createMessageCopies(() => true));
      expect(plain(await prompts(list, modelOf(version)))).toEqual(plain(await mastrasPrompt(list, version)));
      const grown = listOf([{ role: 'user', parts: [{ type: 'text', text: 'Look.' }] }]);
      for (const added of [...steps.slice(0, 2), ...steps.slice(8, 12), ...steps.slice(14, 18)]) {
        apply(grown, { kind: 'step', parts: added.slice(1) }); // `apply` starts the step
        expect(plain(await prompts(grown, modelOf(version)))).toEqual(plain(await mastrasPrompt(grown, version)));
      }
    }
  });

  it('is independent of changes to an earlier prompt', async () => {
    const [prompts, list, model] = [createPrompts(createMessageCopies(() => false)), listOf(long), modelOf('v2')];
    apply(list, { kind: 'step', parts: [{ type: 'text', text: 'Done.' }] });
    const first = await prompts(list, model);
    const whole = plain(first);
    for (const one of first) {
      if (Array.isArray(one.content))
        for (const each of one.content) {
          Object.assign(each, { text: 'ZEBRA' });
          Object.assign(each.providerOptions ?? {}, { cache: 'ZEBRA' });
        }
      Object.assign(one, { providerOptions: { cache: 'ZEBRA' } });
    }
    first.push({ role: 'user', content: [{ type: 'text', text: 'ZEBRA' }] });
    expect(plain(await prompts(list, model))).toEqual(whole);
  });

  it('is converted again for another model, and after a change of an old message', async () => {
    const [prompts, list] = [createPrompts(createMessageCopies(() => true)), listOf(long)];
    await prompts(list, modelOf('v2'));
    Object.assign(list.get.all.db()[3]?.content ?? {}, { parts: [{ type: 'text', text: 'ZEBRA' }] });
    for (const model of [modelOf('v2'), modelOf('v4')]) expect(JSON.stringify(await prompts(list, model))).toContain('ZEBRA');
  });

  it.each([true, false])(
    'converts only the last user message and its answer again, with exposed messages: %s',
    async (isHandedOut) => {
      const [prompts, list, model] = [createPrompts(createMessageCopies(() => isHandedOut)), listOf(long), modelOf('v2')];
      await prompts(list, model);
      const converted = vi.spyOn(
        MessageList.prototype as unknown as { toAIV5UIMessages(m: readonly MastraDBMessage[]): unknown },
        'toAIV5UIMessages',
      );
      const seen: number[] = [];
      for (const n of [1, 2, 3]) {
        apply(list, { kind: 'step', parts: [{ type: 'text', text: `Look ${n}.` }] });
        converted.mockClear();
        const prompt = plain(await prompts(list, model));
        seen.push(...converted.mock.calls.map(([messages]) => messages.length));
        expect(prompt).toEqual(plain(await toPrompt(list, model)));
      }
      converted.mockRestore();
      expect(seen).toEqual([2, 2, 2]);
    },
  );

  it.each([[], long])('converts each finished step of an answer once, after %#', async (...before) => {
    const [prompts, model] = [createPrompts(createMessageCopies(() => true)), modelOf('v2')];
    const list = listOf([...before, { role: 'user', parts: [{ type: 'text', text: 'Look.' }] }]);
    const converted = vi.spyOn(
      MessageList.prototype as unknown as { toAIV5UIMessages(m: readonly MastraDBMessage[]): unknown },
      'toAIV5UIMessages',
    );
    const seen: number[] = [];
    for (let n = 1; n <= 12; n += 1) {
      apply(list, { kind: 'step', parts: [{ type: 'text', text: `Look ${n}.` }, finishedCall()] });
      await prompts(list, model);
      seen.push(converted.mock.calls.at(-1)?.[0].at(-1)?.content.parts.length ?? 0);
    }
    converted.mockRestore();
    expect(seen.slice(4)).toEqual(Array.from({ length: 8 }, () => 3));
  });

  it.each([
    ['that begins with the start of a step', [{ type: 'step-start' }], 1],
    ['that begins with a text', [], 1],
    ['that begins with a text, with two prompts at the same time', [], 2],
  ] as const)('has each step of a first answer once: %s', async (_, start, count) => {
    const [prompts, model] = [createPrompts(createMessageCopies(() => true)), modelOf('v2')];
    const list = listOf([{ role: 'user', parts: [{ type: 'text', text: 'Look.' }] }]);
    for (let n = 1; n <= 5; n += 1) {
      apply(list, { kind: 'step', parts: [...(n === 1 ? start : []), { type: 'text', text: `Look ${n}.` }, finishedCall()] });
      const expected = plain(await mastrasPrompt(list, 'v2'));
      const made = await Promise.all([model, model].slice(0, count).map(async (one) => prompts(list, one)));
      expect(plain(made)).toEqual(made.map(() => expected));
    }
  });

  it.each(['v2', 'v4'] as const)(
    'has no mark that a %s model’s middleware set on an output of an earlier prompt',
    async (version) => {
      const [prompts, model] = [createPrompts(createMessageCopies(() => true)), modelOf(version)];
      const list = listOf([{ role: 'user', parts: [{ type: 'text', text: 'Look.' }] }]);
      for (let n = 1; n <= 5; n += 1) {
        apply(list, { kind: 'step', parts: [{ type: 'text', text: `Look ${n}.` }, finishedCall()] });
        const prompt = await prompts(list, model);
        expect(plain(prompt)).toEqual(plain(await mastrasPrompt(list, version)));
        const outputs = prompt.flatMap(({ role, content }) => (role === 'tool' ? content : []));
        for (const result of outputs) if ('output' in result) Object.assign(result.output, { value: 'cut' });
      }
    },
  );

  const setResult = (answer: MastraDBMessage, at: number, result: unknown): void => {
    const called = answer.content.parts[at];
    if (called?.type === 'tool-invocation') Object.assign(called.toolInvocation, { result });
  };
  it.each<[string, (answer: MastraDBMessage, receipt: Receipt) => void]>([
    ['a text of an earlier step is edited', ({ content }) => void Object.assign(content.parts[0] ?? {}, { text: 'ZEBRA' })],
    ['a result of an earlier step is edited', (answer) => setResult(answer, 1, 'ZEBRA')],
    ['an instance of a class in a result changes in place', (_answer, receipt) => void (receipt.value = 'GNU')],
    ['its last step gets another call', ({ content }) => void content.parts.push(finishedCall())],
    ['its last step gets a text', ({ content }) => void content.parts.push({ type: 'text', text: 'And.' })],
    ['it gets metadata of the provider', ({ content }) => void (content.providerMetadata = { openai: { a: 1 } })],
    ['its first step is removed', ({ content }) => void content.parts.splice(0, 3)],
  ])('equals Mastra’s after %s', async (what, change) => {
    for (const version of ['v2', 'v4'] as const)
      for (const earlier of [[], long]) {
        const [prompts, model] = [createPrompts(createMessageCopies(() => true)), modelOf(version)];
        const list = listOf([...earlier, { role: 'user', parts: [{ type: 'text', text: 'Look.' }] }]);
        for (const n of [1, 2, 3]) apply(list, { kind: 'step', parts: [{ type: 'text', text: `Look ${n}.` }, finishedCall()] });
        const [answer, receipt] = [list.get.all.db().at(-1) as MastraDBMessage, new Receipt()]; // just added
        if (what.includes('instance')) setResult(answer, 4, receipt); // such a step is not known
        await prompts(list, model);
        change(answer, receipt);
        for (const line of ['One.', 'Two.']) {
          expect(plain(await prompts(list, model))).toEqual(plain(await mastrasPrompt(list, version)));
          apply(list, { kind: 'step', parts: [{ type: 'text', text: line }, finishedCall()] });
        }
      }
  });

  it('has messages of its own for each tool', async () => {
    const [tools, list] = [createToolMessages(createMessageCopies(() => true)), listOf([])];
    add(list, { role: 'user', parts: [{ type: 'text', text: 'Look.' }] });
    for (let n = 1; n <= 4; n += 1) {
      apply(list, { kind: 'step', parts: [{ type: 'text', text: `Look ${n}.` }, finishedCall()] });
      const messages = (await tools(list, true)) as { content: object[] }[];
      expect(plain(messages)).toEqual(plain(list.get.all.aiV5.model()));
      for (const each of messages.flatMap(({ content }) => content)) Object.assign(each, { text: 'cut' });
    }
  });

  it('has a change by a guard of an earlier step of the answer', async () => {
    const [prompts, list, model] = [createPrompts(createMessageCopies(() => true)), listOf(long), modelOf('v4')];
    for (const line of ['One.', 'Two.']) {
      apply(list, { kind: 'step', parts: [{ type: 'text', text: line }] });
      await prompts(list, model);
    }
    Object.assign(list.get.all.db().at(-1)?.content.parts[0] ?? {}, { text: 'ZEBRA' });
    const prompt = plain(await prompts(list, model));
    expect(JSON.stringify(prompt)).toContain('ZEBRA');
    expect(prompt).toEqual(plain(await toPrompt(list, model)));
  });

  it.each(['in an earlier step', 'before the last question'])('has a change in place of a class instance %s', async (place) => {
    const [copies, result, model] = [createMessageCopies(() => true), new Receipt(), modelOf('v4')];
    const [prompts, tools, list] = [createPrompts(copies), createToolMessages(copies), listOf(long)];
    const toolInvocation = { state: 'result', toolCallId: 'paid', toolName: 'pay', args: {}, result } as const;
    apply(list, { kind: 'step', parts: [{ type: 'tool-invocation', toolInvocation }] });
    if (place === 'before the last question') add(list, { role: 'user', parts: [{ type: 'text', text: 'And now?' }] });
    const seen: string[] = [];
    for (const value of ['ZEBRA', 'removed']) {
      result.value = value;
      apply(list, { kind: 'step', parts: [{ type: 'text', text: 'Done.' }] });
      seen.push(JSON.stringify([await prompts(list, model), await tools(list, true)]));
    }
    expect(seen.map((prompt) => prompt.includes('ZEBRA'))).toEqual([true, false]);
  });
});
