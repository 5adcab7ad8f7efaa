import { Agent } from '@mastra/core/agent';
import type { Processor } from '@mastra/core/processors';
import { generateText } from 'ai';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { withGuards } from '../../src/ai-sdk/index.js';
import { InterlockAgent, otherwise, pipeline, type Pipeline, type PipelineStep } from '../../src/index.js';
import { scriptedModel } from '../../src/testing/index.js';
import { isDeep, times } from '../modes.js';

/** Words of one letter and of several, similar and different, with special characters. */
const words = ['alpha', 'bravo', 'juliet', 'éclair', 'a', 'golf', 'x-ray', '日本', 'charlie', 'golfer'] as const;

/** A guard that removes one word, or a block of such guards. */
type Tree =
  | {
      readonly kind: 'guard';
      readonly word: number;
      readonly isInPlace: boolean;
      readonly isSlow: boolean;
      readonly replacement: string;
    }
  | { readonly kind: 'then'; readonly inner: readonly Tree[] }
  | { readonly kind: 'parallel'; readonly inner: readonly Tree[] }
  | { readonly kind: 'branch'; readonly arms: readonly { readonly holds: boolean; readonly inner: Tree }[] };

const { tree } = fc.letrec<{ tree: Tree }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    fc.record({
      kind: fc.constant('guard' as const),
      word: fc.nat(words.length - 1),
      isInPlace: fc.boolean(),
      isSlow: fc.boolean(),
      replacement: fc.constantFrom('', '[OUT]'),
    }),
    fc.record({
      kind: fc.constantFrom('then' as const, 'parallel' as const),
      inner: fc.array(tie('tree'), { minLength: 1, maxLength: 3 }),
    }),
    fc.record({
      kind: fc.constant('branch' as const),
      arms: fc.array(fc.record({ holds: fc.boolean(), inner: tie('tree') }), { minLength: 1, maxLength: 2 }),
    }),
  ),
}));

/** The removed words: by all guards except those of cases that do not match. */
const takenBy = (one: Tree): number[] => {
  switch (one.kind) {
    case 'guard':
      return [one.word];
    case 'then':
    case 'parallel':
      return one.inner.flatMap(takenBy);
    case 'branch':
      return one.arms.filter(({ holds }) => holds).flatMap(({ inner }) => takenBy(inner));
    default:
      return one satisfies never;
  }
};

const guardOf = ({ word, isInPlace, isSlow, replacement }: Extract<Tree, { kind: 'guard' }>, id: string): Processor => ({
  id,
  processInput: async ({ messages, messageList }) => {
    if (isSlow) await new Promise((resolve) => void setImmediate(resolve));
    const own = isInPlace ? messages : structuredClone(messages);
    for (const part of own.flatMap(({ content }) => content.parts))
      if (part.type === 'text')
        part.text = part.text
          .split(' ')
          .map((one) => (one === words[word] ? replacement : one))
          .join(' ');
    return isInPlace ? messageList : own;
  },
});

/** Each block is a separate pipeline; ids are made from its path. */
const stepOf = (one: Tree, id: string): PipelineStep => {
  if (one.kind === 'guard') return guardOf(one, id);
  const start = pipeline(id);
  if (one.kind === 'then')
    return one.inner
      .reduce<Pipeline>((made, inner, index) => made.then(stepOf(inner, `${id}-${index}`)), start as never)
      .commit();
  if (one.kind === 'parallel') return start.parallel(one.inner.map((inner, index) => stepOf(inner, `${id}-${index}`))).commit();
  const arms = one.arms.map(({ holds, inner }, index) => [() => holds, stepOf(inner, `${id}-${index}`)] as const);
  return start.branch([...arms, [otherwise, { id: `${id}-none`, processInput: ({ messages }) => messages }]]).commit();
};

const prompt = words.join(' ');
const steps = [{ text: 'Done.' }];

/** The hosts, and the prompt in the model call. */
const hosts: Readonly<Record<string, (step: PipelineStep) => Promise<unknown>>> = {
  InterlockAgent: async (step) => {
    const model = scriptedModel({ steps });
    const agent = new InterlockAgent({ id: 'a', name: 'A', instructions: 'Help.', model, inputProcessors: [step] });
    await agent.generate(prompt);
    return model.calls[0]?.prompt;
  },
  'a stock agent with Mastra’s engine': async (step) => {
    const model = scriptedModel({ steps });
    const inputProcessors = [step] as never; // a committed pipeline is a workflow
    await new Agent({ id: 'a', name: 'A', instructions: 'Help.', model, inputProcessors }).generate(prompt);
    return model.calls[0]?.prompt;
  },
  'the AI SDK': async (step) => {
    const model = scriptedModel({ specificationVersion: 'v4', steps });
    await generateText({ model: withGuards(model, [step]), prompt });
    return model.calls[0]?.prompt;
  },
};

const sentBy = (sent: unknown): string[] => {
  const messages = sent as readonly { readonly role: string; readonly content: readonly { readonly text: string }[] }[]; // a prompt of texts
  return messages
    .filter(({ role }) => role === 'user')
    .flatMap(({ content }) => content.flatMap(({ text }) => text.split(/\s+/)));
};

it.each(Object.keys(hosts))(
  'guards in nested pipelines remove exactly their words and keep the order of the others: %s',
  async (host) => {
    await fc.assert(
      fc.asyncProperty(tree, async (one) => {
        const taken = new Set(takenBy(one));
        const replacement = words.filter((_word, index) => !taken.has(index));
        const sent = sentBy(await hosts[host]?.(pipeline('all').then(stepOf(one, 'p')).commit()));
        expect(sent.filter((word) => (words as readonly string[]).includes(word))).toEqual(replacement);
      }),
      { ...times(15, 3_400), ...(isDeep ? {} : { seed: 7 }) },
    );
  },
);
