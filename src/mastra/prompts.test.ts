import { MessageList, type MastraDBMessage } from '@mastra/core/agent/message-list';
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import type { ResolvedModel } from '../phase/host.js';
import { copyPlain } from '../pipeline/plain-data.js';
import { scriptedModel } from '../testing/index.js';
import { createPrompts, toPrompt } from './prompts.js';
import { createToolMessages } from './tool-messages.js';

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
    providerExecuted: fc.constantFrom(true, undefined, undefined, undefined),
    result: fc.constantFrom<unknown>({ found: 1 }, 'fine', { content: [{ type: 'image', data: 'AA==', mimeType: 'image/png' }] }),
  })
  .map(({ state, providerExecuted, result }): object => ({
    type: 'tool-invocation',
    toolInvocation: { state, toolCallId: nextId(), toolName: 'look', args: { q: 1 }, result, errorText: 'broken' },
    ...(providerExecuted && { providerExecuted }),
  }));
const plainTool = tool.map((part) => ({ ...part, providerExecuted: undefined }));
const others = fc.constantFrom<object>(
  { type: 'file', data: 'data:image/png;base64,AA==', mimeType: 'image/png' },
  { type: 'source', source: { sourceType: 'url', id: 's', url: 'https://example.com' } },
  { type: 'data-note', data: 1 },
);
const reasoning = fc.constant({ type: 'reasoning', reasoning: 'Hm.', details: [{ type: 'text', text: 'Hm.' }] });
const stepStart = fc.constant({ type: 'step-start' });
const part = fc.oneof(
  { weight: 6, arbitrary: text },
  { weight: 6, arbitrary: plainTool },
  { weight: 4, arbitrary: stepStart },
  { weight: 2, arbitrary: reasoning },
  { weight: 1, arbitrary: tool },
  { weight: 1, arbitrary: others },
) as unknown as fc.Arbitrary<Part>; // of the kinds that stand in lists
const parts = fc.array(part, { minLength: 1, maxLength: 6 });
const message = fc.record({ role: fc.constantFrom('user' as const, 'assistant' as const), parts });

/** What happens to a conversation between two prompts. */
type Change =
  | { kind: 'message'; role: 'user' | 'assistant'; parts: Part[] }
  | { kind: 'step'; parts: Part[] }
  | { kind: 'edit'; at: number; parts: Part[] }
  | { kind: 'remove'; at: number }
  | { kind: 'system'; text: string }
  | { kind: 'nothing' };
const change: fc.Arbitrary<Change> = fc.oneof(
  message.map((one) => ({ kind: 'message' as const, ...one })),
  parts.map((added) => ({ kind: 'step' as const, parts: added })),
  fc.tuple(fc.nat(), parts).map(([at, changed]) => ({ kind: 'edit' as const, at, parts: changed })),
  fc.nat().map((at) => ({ kind: 'remove' as const, at })),
  words.map((said) => ({ kind: 'system' as const, text: said })),
  fc.constant({ kind: 'nothing' as const }),
);

const begin = (): MessageList => new MessageList().addSystem('Be brief.');

const apply = (list: MessageList, one: Change): void => {
  const messages = list.get.all.db();
  const last = messages.at(-1);
  switch (one.kind) {
    case 'message':
      list.add(
        { id: nextId(), role: one.role, createdAt: new Date(), content: { format: 2, parts: copyPlain(one.parts) } },
        one.role === 'user' ? 'input' : 'response',
        { merge: false },
      );
      return;
    case 'step':
      if (last?.role === 'assistant') last.content.parts.push({ type: 'step-start' }, ...copyPlain(one.parts));
      return;
    case 'edit': {
      const edited = messages[one.at % Math.max(1, messages.length)];
      if (edited) edited.content.parts.splice(0, 1, ...copyPlain(one.parts).slice(0, 1));
      return;
    }
    case 'remove': {
      const removed = messages[one.at % Math.max(1, messages.length)];
      if (removed) list.removeByIds([removed.id]);
      return;
    }
    case 'system':
      list.addSystem(one.text, 'tag');
      return;
    case 'nothing':
      return;
    default:
      one satisfies never;
  }
};

/** Mastra stamps parts with the time when it makes them, and leaves fields without a value. */
const said = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

describe('a prompt that is made of what was converted before', () => {
  it.each(['v2', 'v3', 'v4'] as const)('is the one that Mastra makes of the whole list, for a model of %s', async (version) => {
    const model = modelOf(version);
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 2, maxLength: 8 }), async (changes) => {
        const [prompts, tools, list] = [createPrompts(), createToolMessages(), begin()];
        for (const one of changes) {
          apply(list, one);
          expect(said(await prompts(list, model))).toEqual(said(await toPrompt(list, model)));
          expect(said(await tools(list, true))).toEqual(said(list.get.all.aiV5.model()));
          expect(said(await tools(list, false))).toEqual(said(list.get.input.aiV5.model()));
        }
      }),
      { numRuns: 300 },
    );
  });

  it('is not changed by what was done to an earlier one', async () => {
    const [prompts, list, model] = [createPrompts(), begin().add('Hello.', 'input'), modelOf('v2')];
    const first = await prompts(list, model);
    const whole = said(first);
    for (const { content } of first) if (Array.isArray(content)) for (const one of content) Object.assign(one, { text: 'ZEBRA' });
    first.push({ role: 'user', content: [{ type: 'text', text: 'ZEBRA' }] });
    expect(said(await prompts(list, model))).toEqual(whole);
  });

  it('converts what is new, and nothing twice', async () => {
    const [prompts, list, model] = [createPrompts(), begin(), modelOf('v2')];
    for (let n = 0; n < 50; n += 1) list.add(`Message ${n}.`, 'input', { merge: false });
    await prompts(list, model);
    list.add('One more.', 'input', { merge: false });
    const made = vi.spyOn(MessageList.prototype, 'deserialize');
    const prompt = await prompts(list, model);
    const converted = made.mock.calls.map(([{ messages }]) => messages.map(({ content }) => content.parts));
    made.mockRestore();
    expect(prompt).toHaveLength(52);
    expect(converted).toMatchObject([[[{ text: '.' }], [{ text: 'One more.' }]]]); // behind the message that leads
  });
});
