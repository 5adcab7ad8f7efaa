import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { contents, createScope, listOf, message, payloads, textIn, withHook, type TestScope } from '../phase/test-setup.js';
import type { PhaseData } from '../phase/row.js';
import { compileGraph } from './compile.js';
import type { GraphNode, StaleVerdicts } from './graph.js';
import { guardNode, sequence } from './test-setup.js';

interface Args {
  messages: PhaseData<'input'>['messages'];
  abort(reason: string, options?: object): never;
}

const guard = (id: string, run: (args: Args) => unknown) => guardNode(withHook(id, 'processInput', run));
const redacting = (id: string, word: string) =>
  guard(id, ({ messages }) =>
    messages.map((one) => ({
      ...one,
      content: { ...one.content, parts: [{ type: 'text' as const, text: textIn(one).replace(word, '[x]') }] },
    })),
  );
/** A judge that records its input, and may respond late. */
const judge = (id: string, seen: string[], { act, ms }: { act?: (args: Args, text: string) => unknown; ms?: number } = {}) =>
  guard(id, (args) => {
    const text = args.messages.map(textIn).join(' ');
    seen.push(text);
    return ms === undefined ? act?.(args, text) : wait(ms).then(() => act?.(args, text));
  });

const block = (staleVerdicts: StaleVerdicts | undefined, nodes: GraphNode[]): GraphNode => ({
  kind: 'parallel',
  nodes,
  overlap: 'widest-redaction',
  ...(staleVerdicts && { staleVerdicts }),
});

const run = async (node: GraphNode, scope: TestScope = createScope()) => {
  const list = listOf(message('m', 'call 555 now'), message('n', 'or write'));
  const verdict = await compileGraph(sequence('p', node)).run('input', payloads.input(list), scope);
  return { verdict, scope, contents: contents(list) };
};

const stale = { phase: 'input', path: 'p/parallel.0', readers: ['j'], authors: ['r'] };

describe('a pass on content that a sibling edits', () => {
  it('counts and is reported without rerun', async () => {
    for (const rule of [undefined, 'report'] as const) {
      const seen: string[] = [];
      const { verdict, scope } = await run(block(rule, [judge('j', seen), redacting('r', '555')]));
      expect(verdict.kind).toBe('edit');
      expect(seen).toEqual(['call 555 now or write']);
      expect(scope.stale).toEqual([{ ...stale, isRerun: false }]);
    }
  });

  it.each([undefined, 2])('is repeated on the merged payload with rerun, after a delay of %s', async (ms) => {
    const seen: string[] = [];
    const { verdict, scope, contents: merged } = await run(block('rerun', [redacting('r', '555'), judge('j', seen, { ms })]));
    expect(verdict.kind).toBe('edit');
    expect(seen).toEqual(['call 555 now or write', 'call [x] now or write']);
    expect(scope.stale).toEqual([{ ...stale, isRerun: true }]);
    expect(merged[0]).toEqual(['m', 'call [x] now']);
  });

  it.each(['trip', 'retry', 'throw'] as const)(
    'is overruled by a %s of the rerun, which leaves the messages unchanged',
    async (kind) => {
      const act = ({ abort }: Args, text: string) => {
        if (text.includes('555')) return undefined;
        if (kind === 'throw') throw new Error('down');
        return abort('now it shows', { retry: kind === 'retry' });
      };
      const { verdict, contents: texts } = await run(block('rerun', [judge('j', [], { act }), redacting('r', '555')]));
      expect(verdict).toMatchObject({ kind: kind === 'throw' ? 'unavailable' : kind, processorId: 'j', path: 'p/parallel.0/j' });
      expect(texts[0]).toEqual(['m', 'call 555 now']);
    },
  );

  it('is followed by edits of the rerun, without a second rerun', async () => {
    const seen: string[] = [];
    const others: string[] = [];
    const act = ({ messages }: Args, text: string) =>
      text.includes('555')
        ? undefined
        : messages.map((one) => ({ ...one, content: { ...one.content, parts: [{ type: 'text', text: 'call' }] } }));
    const {
      verdict,
      scope,
      contents: merged,
    } = await run(block('rerun', [redacting('r', '555'), judge('j', seen, { act }), judge('k', others)]));
    expect(verdict.kind).toBe('edit');
    expect(merged[0]).toEqual(['m', 'call']);
    expect([seen.length, others.length]).toEqual([2, 2]);
    expect(scope.stale.map(({ isRerun, readers }) => [isRerun, readers])).toEqual([
      [true, ['j', 'k']],
      [false, ['k']],
    ]);
  });

  it('is not stale if no branch edits, every branch edits, or one stops', async () => {
    const trips = guard('t', ({ abort }) => abort('no'));
    for (const nodes of [
      [judge('j', []), judge('k', [])],
      [redacting('r', '555'), redacting('s', 'write')],
      [redacting('r', '555'), judge('j', []), trips],
    ]) {
      const { scope } = await run(block('rerun', nodes));
      expect(scope.stale).toEqual([]);
    }
  });

  it('is not stale if a sibling writes the same content again', async () => {
    const { verdict, scope } = await run(block('rerun', [redacting('r', 'absent'), judge('j', [])]));
    expect(verdict.kind).toBe('pass');
    expect(scope.stale).toEqual([]);
  });

  it('is reported with the path of each nested block, and so is an overlap', async () => {
    const inner = block('report', [judge('j', []), redacting('r', '555'), redacting('s', '555 now')]);
    const { scope } = await run(block('report', [inner, judge('k', [])]));
    expect(scope.stale.map(({ path, readers }) => [path, readers])).toEqual([
      ['p/parallel.0/parallel.0', ['j']],
      ['p/parallel.0', ['k']],
    ]);
    expect(scope.conflicts).toMatchObject([{ path: 'p/parallel.0/parallel.0', authors: ['r', 's'] }]);
  });
});
