import { setTimeout as wait } from 'node:timers/promises';
import type { MastraDBMessage, MessageList } from '@mastra/core/agent/message-list';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { contents, createScope, listOf, message, payloads, textIn, withHook } from '../phase/test-setup.js';
import { compileGraph } from './compile.js';
import { guardNode, parallel, sequence } from './test-setup.js';
import { wordsOf } from './spans.js';
import { times } from '../../test/modes.js';

/** A guard's change of the messages; each word of the base is in one message only. */
type Change =
  | { kind: 'redact'; word: number }
  | { kind: 'remove'; at: number }
  | { kind: 'add'; at: number; fresh: number }
  | { kind: 'append'; at: number; fresh: number };

interface Script {
  /** Whether it returns new messages or changes the list and its messages in place. */
  readonly inPlace: boolean;
  readonly changes: readonly Change[];
}

const change: fc.Arbitrary<Change> = fc.oneof(
  fc.record({ kind: fc.constant('redact' as const), word: fc.nat(8) }),
  fc.record({ kind: fc.constant('remove' as const), at: fc.nat(2) }),
  fc.record({ kind: fc.constant('add' as const), at: fc.nat(3), fresh: fc.nat(9) }),
  fc.record({ kind: fc.constant('append' as const), at: fc.nat(2), fresh: fc.nat(9) }),
);
const scripts = fc.array(fc.record({ inPlace: fc.boolean(), changes: fc.array(change, { maxLength: 4 }) }), {
  minLength: 2,
  maxLength: 4,
});

const base = () =>
  listOf(...[0, 1, 2].map((n) => message(`msg-${n}`, `w${3 * n} w${3 * n + 1} w${3 * n + 2}`, { createdAt: new Date(n) })));

const redacted = (text: string, word: number) => text.replace(new RegExp(`\\bw${word}\\b`), '[x]');
const withText = (one: MastraDBMessage, text: string): MastraDBMessage => ({
  ...one,
  content: { ...one.content, parts: [{ type: 'text', text }] },
});

const returned = (given: readonly MastraDBMessage[], changes: readonly Change[], name: string): MastraDBMessage[] => {
  let messages = [...given];
  for (const [index, one] of changes.entries()) {
    if (one.kind === 'redact') messages = messages.map((each) => withText(each, redacted(textIn(each), one.word)));
    if (one.kind === 'remove') messages = messages.filter((_, at) => at !== one.at);
    if (one.kind === 'add') messages.splice(one.at, 0, message(`msg-${name}-${index}`, `fresh${one.fresh} ${name}`));
    if (one.kind === 'append')
      messages = messages.map((each, at) => (at === one.at ? withText(each, `${textIn(each)} fresh${one.fresh}`) : each));
  }
  return messages;
};

const edit = (list: MessageList, changes: readonly Change[], name: string): void => {
  for (const [index, one] of changes.entries()) {
    const messages = list.get.all.db();
    if (one.kind === 'redact')
      for (const part of messages.flatMap(({ content }) => content.parts).filter(({ type }) => type === 'text'))
        Object.assign(part, { text: redacted((part as { text: string }).text, one.word) });
    else if (one.kind === 'add')
      list.add(message(`msg-${name}-${index}`, `fresh${one.fresh} ${name}`), 'input', { merge: false });
    else if (one.kind === 'remove') list.removeByIds(messages.slice(one.at, one.at + 1).map(({ id }) => id));
    else
      for (const each of messages.slice(one.at, one.at + 1))
        each.content.parts = [{ type: 'text', text: `${textIn(each)} fresh${one.fresh}` }];
  }
};

interface Branch extends Script {
  readonly name: string;
  readonly delay: number | undefined;
}

const processor = ({ name, inPlace, changes, delay }: Branch) => {
  const act = ({ messages, messageList }: { messages: MastraDBMessage[]; messageList: MessageList }) => {
    if (!inPlace) return returned(messages, changes, name);
    edit(messageList, changes, name);
    return messageList;
  };
  const slowly = async (args: never) => {
    await wait(delay);
    return act(args);
  };
  return withHook(name, 'processInput', delay === undefined ? act : slowly);
};

const outcome = async (branches: readonly Branch[]) => {
  const list = base();
  const scope = createScope();
  const node = parallel(...branches.map((one) => guardNode(processor(one))));
  const verdict = await compileGraph(sequence('p', node)).run('input', payloads.input(list), scope);
  const { memory, input, output } = list.makeMessageSourceChecker();
  const sources = [memory, input, output].map((ids) => [...ids].toSorted());
  list.add(message('later', 'later', { createdAt: new Date() }), 'input');
  return { kind: verdict.kind, contents: contents(list), sources, conflicts: scope.conflicts.length };
};

const named = (all: readonly Script[], delays: readonly (number | undefined)[] = []): Branch[] =>
  all.map((script, index) => ({ ...script, name: 'abcd'[index] as string, delay: delays[index] }));

it('the outcome is independent of the order and the speed of the branches', async () => {
  const delays = fc.array(fc.option(fc.nat(3), { nil: undefined }), { minLength: 4, maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(scripts, delays, fc.nat(), async (all, slow, turn) => {
      const branches = named(all);
      const turned = named(all, slow);
      const rotated = turned.map((_, index) => turned[(index + turn) % turned.length] as Branch);
      const expected = await outcome(branches);
      expect(await outcome(rotated)).toEqual(expected);
      expect(await outcome(rotated.toReversed())).toEqual(expected);
    }),
    times(50, 150),
  );
});

it('no word that a branch removes comes back, and every message has a source', async () => {
  await fc.assert(
    fc.asyncProperty(scripts, async (all) => {
      const { contents: merged, sources } = await outcome(named(all));
      const words = new Set(merged.flatMap(([, text]) => wordsOf(text)));
      for (const script of named(all)) {
        const alone = await outcome([script]);
        const kept = new Set(alone.contents.flatMap(([, text]) => wordsOf(text)));
        for (let n = 0; n < 9; n += 1) if (!kept.has(`w${n}`)) expect(words).not.toContain(`w${n}`);
      }
      expect(sources.flat().toSorted()).toEqual(
        merged
          .map(([id]) => id)
          .filter((id) => id !== 'later')
          .toSorted(),
      );
    }),
    times(50, 150),
  );
});

it('a branch next to readers behaves like a single branch', async () => {
  const reader: Script = { inPlace: false, changes: [] };
  await fc.assert(
    fc.asyncProperty(scripts, async ([script]) => {
      const one = script as Script;
      const alone = await outcome(named([one]));
      expect(await outcome(named([one, reader, { ...reader, inPlace: true }]))).toMatchObject({
        contents: alone.contents,
        sources: alone.sources,
      });
    }),
    times(50, 150),
  );
});
