import type { MessageList } from '@mastra/core/agent/message-list';
import { describe, expect, it } from 'vitest';
import { contents, createScope, listOf, message, payloads, withHook } from '../phase/test-setup.js';
import type { Phase } from '../phase/row.js';
import { phases } from '../phase/table.js';
import { changesBetween, withRecordedEdits } from './recorded-edits.js';
import { compileGraph } from './compile.js';
import { otherwise } from './graph.js';
import { applySpans } from './spans.js';
import { branch, guardNode, parallel, sequence } from './test-setup.js';

interface Args {
  readonly messages: ReturnType<typeof message>[];
  readonly messageList: MessageList;
  readonly part: { payload: { text: string } };
}

const textPart = ({ messages }: Args) => messages[0]?.content.parts[0] as { text: string };
const target = 'messages.0.content.parts.0.text';

const run = async (phase: Phase, acts: Record<string, (args: Args) => unknown>, isRecorded = true) => {
  const list = listOf(message('m', 'call 555 now'), message('n', 'bye'));
  const scope = createScope();
  const guards = Object.entries(acts).map(([id, act]) => guardNode(withHook(id, phases[phase].hook, act)));
  const graph = sequence('p', guards.length > 1 ? parallel(...guards) : (guards[0] as ReturnType<typeof guardNode>));
  const verdict = await compileGraph(isRecorded ? withRecordedEdits(graph) : graph).run<Phase>(
    phase,
    payloads[phase](list),
    scope,
  );
  const changes = scope.reports.map(({ author, verdict: own }) => [
    author.processorId,
    own.kind === 'edit' ? own.changes : own.kind,
  ]);
  return { verdict, changes, contents: contents(list) };
};

const redacts = (args: Args) => {
  textPart(args).text = textPart(args).text.replace('555', '[x]');
};
const adds = ({ messages }: Args) => [...messages, message('added', 'by the way')];
const removes = ({ messages }: Args) => messages.slice(0, 1);

describe('the report of a guard', () => {
  it('contains its edits, in place or returned, also in parallel', async () => {
    const { changes, contents: merged } = await run('input', { redacts, adds, removes, reads: () => undefined });
    expect(changes).toEqual([
      ['redacts', [{ target, before: 'call 555 now', spans: [{ start: 5, end: 8, text: '[x]' }] }]],
      ['adds', [{ target: 'messages.2', after: 'by the way' }]],
      ['removes', [{ target: 'messages.1', before: 'bye' }]],
      ['reads', 'pass'],
    ]);
    expect(merged.map(([id]) => id)).toEqual(['m', 'added']);
  });

  it('contains edits in a case of a branch', async () => {
    const [list, scope] = [listOf(message('m', 'call 555 now')), createScope()];
    const node = branch([otherwise, guardNode(withHook('redacts', 'processInput', redacts))]);
    await compileGraph(withRecordedEdits(sequence('p', node))).run('input', payloads.input(list), scope);
    const edit = { target, before: 'call 555 now', spans: [{ start: 5, end: 8, text: '[x]' }] };
    expect(scope.reports.map(({ verdict }) => verdict)).toMatchObject([{ kind: 'edit', changes: [edit] }]);
  });

  it('contains edits of step fields and of a chunk', async () => {
    expect((await run('inputStep', { a: () => ({ toolChoice: 'none' }) })).changes).toEqual([
      ['a', [{ target: 'toolChoice', after: 'none' }]],
    ]);
    const cut = ({ part }: Args) => ({ ...part, payload: { ...part.payload, text: 'Hello' } });
    expect((await run('outputStream', { cut })).changes).toEqual([
      ['cut', [{ target: 'part.payload.text', before: 'Hello world', spans: [{ start: 5, end: 11, text: '' }] }]],
    ]);
  });

  it('contains edits only with recording, and the outcome is the same', async () => {
    const [plain, recorded] = [await run('input', { redacts, adds }, false), await run('input', { redacts, adds })];
    expect(plain.changes.flat()).not.toContainEqual(expect.arrayContaining([expect.objectContaining({ target })]));
    expect([recorded.verdict.kind, recorded.contents]).toEqual([plain.verdict.kind, plain.contents]);
  });

  it('contains a stop unchanged', async () => {
    const trips = ({ abort }: { abort: (reason: string) => never }) => abort('no');
    expect((await run('input', { trips: trips as never })).changes).toEqual([['trips', 'trip']]);
  });
});

describe('changes between two values', () => {
  it('of a text produce the text after the change', () => {
    for (const [before, after] of [
      ['one two three', 'one 2 three four'],
      ['', 'new'],
      ['gone', ''],
    ] as const) {
      const [change] = changesBetween(before, after, 't');
      expect(applySpans(change?.before ?? '', change?.spans ?? [])).toBe(after);
    }
  });

  it('ignore times, and contain ids as a whole', () => {
    expect(changesBetween({ createdAt: new Date(1) }, { createdAt: new Date(2) })).toEqual([]);
    expect(changesBetween({ id: 'a b' }, { id: 'a c' })).toEqual([{ target: 'id', before: 'a b', after: 'a c' }]);
  });
});
