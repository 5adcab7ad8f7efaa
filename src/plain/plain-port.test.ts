import type { MastraDBMessage, MessageList } from '@mastra/core/agent/message-list';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createHost } from '../mastra/workflow/scope.js';
import { message, textIn, toolPart } from '../phase/test-setup.js';
import type { MessagePort, MessageScope, MessageSource } from '../phase/host.js';
import { isInterlockError } from '../errors.js';
import { mergeValues } from '../pipeline/merge.js';
import { plainPort } from './plain-host.js';

const { messages: messagePort } = createHost();

/** The observable content of a list, read through its own port. */
const listing = (port: MessagePort, list: MessageList) => ({
  all: port.read(list, 'all').map((one) => [one.id, one.role, textIn(one)]),
  input: port.read(list, 'input').map(({ id }) => id),
  response: port.read(list, 'response').map(({ id }) => id),
  system: port.readSystem(list).map(({ content }) => content),
  ofList: list.get.all.db().map(({ id }) => id),
  allSystem: list.getAllSystemMessages().map(({ content }) => content),
});

const storedMessage = (id: string, text: string, role: MastraDBMessage['role'] = 'user') => message(id, text, { role });

/** A history that starts with the caller's messages. */
const opened = (port: MessagePort, size: number): MessageList => {
  const list = port.create([], [{ role: 'system', content: 'Be kind.' }], 'input');
  for (let index = 0; index < size; index += 1)
    list.add(storedMessage(`m${index}`, `text ${index}`, index % 2 ? 'assistant' : 'user'), index % 2 ? 'response' : 'input', {
      merge: false,
    });
  return list;
};

interface Edit {
  readonly kind: 'drop' | 'say' | 'add' | 'swap' | 'plain' | 'system';
  readonly at: number;
  readonly scope: MessageScope;
  readonly source: MessageSource;
}

const edits = fc.array(
  fc.record<Edit>({
    kind: fc.constantFrom('drop', 'say', 'add', 'swap', 'plain', 'system'),
    at: fc.nat(6),
    scope: fc.constantFrom('all', 'input', 'response'),
    source: fc.constantFrom('input', 'response'),
  }),
  { maxLength: 6 },
);

/** Messages as a hook may return them. */
const edited = (messages: readonly MastraDBMessage[], { kind, at }: Edit, round: string): MastraDBMessage[] => {
  const place = messages.length === 0 ? 0 : at % messages.length;
  const one = messages[place];
  switch (kind) {
    case 'drop':
      return messages.toSpliced(place, 1);
    case 'say':
      return one
        ? messages.with(place, { ...one, content: { ...one.content, parts: [{ type: 'text', text: `new ${round}` }] } })
        : [];
    case 'add':
      return messages.toSpliced(place, 0, storedMessage(`n${round}`, 'added', 'assistant'));
    case 'plain':
      return messages.toSpliced(place, 0, { id: `p${round}`, role: 'user', content: 'plain words' } as never); // hosts read such entries
    case 'swap':
      return messages.toReversed();
    case 'system':
      return [...messages, { role: 'system', content: `rule ${at % 2}` } as never];
    default:
      return kind satisfies never;
  }
};

const apply = (port: MessagePort, list: MessageList, given: readonly Edit[], by = ''): void => {
  for (const [round, edit] of given.entries()) {
    const { scope, source } = edit;
    port.write(list, edited(port.read(list, scope), edit, `${by}${round}`), { scope, source });
  }
};

describe('a plain list', () => {
  it('matches a Mastra list after any edits', () => {
    fc.assert(
      fc.property(fc.nat(5), edits, (size, given) => {
        const [plain, mastra] = [opened(plainPort, size), opened(messagePort, size)];
        apply(plainPort, plain, given);
        apply(messagePort, mastra, given);
        expect(listing(plainPort, plain)).toEqual(listing(messagePort, mastra));
      }),
      { numRuns: 150 },
    );
  });

  it('merges like a Mastra list', () => {
    const merged = (port: MessagePort, size: number, branches: readonly (readonly Edit[])[]) => {
      const list = opened(port, size);
      const copies = branches.map((given, branch) => {
        const copy = port.fork(list);
        apply(port, copy, given, 'ab'[branch]);
        return copy;
      });
      const changed = copies.filter((copy) => !port.isUnchanged(copy, list));
      const versions = changed.map((copy, index) => ({ author: `a${index}`, value: port.snapshot(copy) }));
      const options = {
        rule: 'first' as const,
        onOverlap: () => undefined,
        isBookkeeping: (target: string) => /(^|\.)createdAt$|^messages\.\d+\.id$/.test(target),
      };
      if (changed.length > 0) port.restore(list, mergeValues(port.snapshot(list), versions, { options, target: '' }));
      return [changed.length, listing(port, list)];
    };
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 4 }), fc.array(edits, { minLength: 2, maxLength: 2 }), (size, branches) => {
        // Lists of Mastra's sort by time: a moved message gets another time, which a merge treats as an edit of it.
        fc.pre(!branches.flat().some(({ kind }) => kind === 'swap'));
        expect(merged(plainPort, size, branches)).toEqual(merged(messagePort, size, branches));
      }),
      { numRuns: 60 },
    );
  });

  it('restores a checkpoint, and makes independent copies', () => {
    for (const port of [plainPort, messagePort]) {
      const list = opened(port, 3);
      const before = listing(port, list);
      const goBack = port.checkpoint(list);
      const copy = port.fork(list);
      port.write(list, [], { scope: 'all', source: 'input' });
      port.writeSystem(list, []);
      expect(listing(port, copy)).toEqual(before);
      goBack();
      expect(listing(port, list)).toEqual(before);
    }
  });

  it('reads and replaces tool results', () => {
    for (const port of [plainPort, messagePort]) {
      const list = port.create([], [], 'input');
      const answer = storedMessage('answer', '', 'assistant');
      list.add({ ...answer, content: { ...answer.content, parts: [toolPart('call', 1)] } }, 'input', { merge: false });
      expect(port.readToolResult(list, 'call')).toEqual({ found: true, result: 1 });
      port.writeToolResult(list, { toolCallId: 'call', toolName: 'look', args: { other: true } }, 2);
      expect(port.readToolResult(list, 'call')).toEqual({ found: true, result: 2 });
      expect(port.read(list, 'response').map(({ id }) => id)).toEqual(['answer']);
      expect(port.readToolResult(list, 'unknown')).toEqual({ found: false });
      port.writeToolResult(list, { toolCallId: 'unknown', toolName: 'look' }, 3);
      expect(port.readToolResult(list, 'unknown')).toEqual({ found: false });
    }
  });

  it('has methods that behave like those of a Mastra list', () => {
    for (const port of [plainPort, messagePort]) {
      const list = opened(port, 4);
      expect(list.removeByIds(['m1', 'none']).map(({ id }) => id)).toEqual(['m1']);
      expect(list.clear.response.db().map(({ id }) => id)).toEqual(['m3']);
      list.addSystem('Facts.', 'memory').addSystem('Be kind.').addSystem({ role: 'system', content: 'Be short.' });
      expect(list.getSystemMessages('memory').map(({ content }) => content)).toEqual(['Facts.']);
      expect(list.getSystemMessages().map(({ content }) => content)).toEqual(['Be kind.', 'Be short.']);
      list.clearSystemMessages().clearSystemMessages('memory');
      expect(list.getAllSystemMessages()).toEqual([]);
      list.add('Later', 'input').add({ role: 'assistant', content: 'Fine' }, 'response');
      expect(list.get.all.db().map(textIn)).toEqual(['text 0', 'text 2', 'Later', 'Fine']);
      expect(list.get.response.db().map(textIn)).toEqual(['Fine']);
      expect(list.get.remembered.db()).toEqual([]);
    }
  });

  it('rejects members that need Mastra, with their path', () => {
    const list = plainPort.create([], [], 'input');
    const hooks = [
      () => list.get.all.aiV5,
      () => list.serialize(),
      () => list.get.input.ui,
      () => plainPort.addSignal(list, {} as never),
    ];
    for (const ask of hooks) expect(ask).toThrow(expect.objectContaining({ code: 'ai-sdk/needs-mastra' }) as Error);
    try {
      void list.get.all.aiV5;
    } catch (error) {
      expect(isInterlockError(error) && error.path).toBe('messageList.get.all.aiV5');
    }
    expect(plainPort.is(messagePort.create([], [], 'input'))).toBe(false);
    expect(messagePort.is(list)).toBe(false);
  });
});
