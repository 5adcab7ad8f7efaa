import type { Processor } from '@mastra/core/processors';
import { describe, expect, it } from 'vitest';
import type { GuardPolicy } from '../../guard/policy/guard-policy.js';
import { guard } from '../../mastra/graph/guard-policy.js';
import { createScope } from '../../phase/test-setup.js';
import { call, delta, patternGuard, patterns, pieces, sendAll, texts, thought } from './test-setup.js';

type HookArgs = Parameters<NonNullable<Processor['processOutputStream']>>[0];
/** The test chunks have a payload. */
type Args = Omit<HookArgs, 'part'> & { readonly part: { readonly type: string; readonly payload: object } };
type Answer = (args: Args, text: string) => unknown;

const cachePolicy: Pick<GuardPolicy, 'cache'> = { cache: { maxEntries: 9, windows: true } };

/** A guard of whole parts that records its windows and calls. */
const noting = (answer: Answer = ({ part }) => part, policy = cachePolicy) => {
  const judged: string[] = [];
  const processOutputStream: Processor['processOutputStream'] = async (given) => {
    const args = given as unknown as Args; // see Args
    const { text } = args.part.payload as { text?: string };
    if (text === undefined && args.part.type !== 'tool-call') return given.part;
    judged.push(text ?? 'call');
    return answer(args, text ?? '') as never; // a hook may return it
  };
  return { judged, judge: guard({ id: 'judge', processOutputStream }, { window: 'part', ...policy }) };
};

/** Each text is a part of its own. */
const parts = (...contents: string[]) => contents.map((text, index) => delta(text, `part-${index}`));
const shouted = (text: string) => text.toUpperCase();

describe('a cached window', () => {
  it('is not judged again, in the same run or another', async () => {
    const { judged, judge } = noting();
    const { emitted } = await sendAll([judge], parts('Yes.', 'No.', 'Yes.'));
    expect(pieces(emitted)).toEqual(['Yes.', 'No.', 'Yes.']);
    expect(judged).toEqual(['Yes.', 'No.']);
    await sendAll([judge], parts('No.', 'Maybe.'));
    expect(judged).toEqual(['Yes.', 'No.', 'Maybe.']);
  });

  it('is reported each time', async () => {
    const { judge } = noting();
    const { scope } = await sendAll([judge], parts('Yes.', 'Yes.'));
    expect(scope.reports.filter(({ author }) => author.processorId === 'judge')).toHaveLength(3); // and `finish`
  });

  it.each<[string, Answer, Record<string, string>]>([
    [
      'another text',
      ({ part }, text) => ({ ...part, payload: { ...part.payload, text: shouted(text) } }),
      { 'text part-0': 'YES.', 'text part-1': 'NO.', 'text part-2': 'YES.' },
    ],
    [
      'a chunk edited in place',
      ({ part }, text) => (Object.assign(part.payload, { text: shouted(text) }), part),
      { 'text part-0': 'YES.', 'text part-1': 'NO.', 'text part-2': 'YES.' },
    ],
    ['nothing', ({ part }, text) => (text.startsWith('Y') ? null : part), { 'text part-1': 'No.' }],
  ])('yields %s again, in its own part', async (_, answer, expected) => {
    const { judged, judge } = noting(answer);
    for (let time = 0; time < 2; time += 1)
      expect(texts((await sendAll([judge], parts('Yes.', 'No.', 'Yes.'))).emitted)).toEqual(expected);
    expect(judged).toEqual(['Yes.', 'No.']);
  });

  it('stops the stream again, in any attempt', async () => {
    const { judged, judge } = noting(({ abort }) => abort('Never.', { retry: true }));
    for (const retryCount of [0, 1]) {
      const { stopped, emitted } = await sendAll([judge], parts('No.'), { scope: { retryCount: () => retryCount } });
      expect(stopped).toMatchObject({ kind: 'retry', processorId: 'judge', reason: 'Never.' });
      expect(emitted).toEqual([]);
    }
    expect(judged).toEqual(['No.']);
  });
});

describe('the window cache', () => {
  const twice = async (judge: Processor, chunks = parts('Yes.')) => {
    for (let time = 0; time < 2; time += 1) await sendAll([judge], chunks);
  };

  it('does not apply without `windows`', async () => {
    const { judged, judge } = noting(undefined, { cache: { maxEntries: 9 } });
    await twice(judge);
    expect(judged).toEqual(['Yes.', 'Yes.']);
  });

  it('does not apply to reasoning with the text of an answer', async () => {
    const { judged, judge } = noting();
    await sendAll([judge], [delta('Yes.'), thought('Yes.')]);
    expect(judged).toEqual(['Yes.', 'Yes.']);
  });

  it('does not apply in another request context', async () => {
    const { judged, judge } = noting();
    for (const tenant of ['a', 'b', 'a']) {
      const scope = createScope();
      scope.requestContext?.set('tenant', tenant);
      await sendAll([judge], parts('Yes.'), { scope });
    }
    expect(judged).toEqual(['Yes.', 'Yes.']);
  });

  it.each<[string, Answer]>([
    ['writes to its state', ({ part, state }) => ((state['seen'] = true), part)],
    ['writes to the client', async ({ part, writer }) => (await writer?.custom({ type: 'data-seen', data: 1 }), part)],
    ['writes to the request context', ({ part, requestContext }) => (requestContext?.set('seen', true), part)],
    ['fails', () => Promise.reject(new Error('down'))],
    ['returns another chunk', () => ({ type: 'reasoning-delta', payload: { id: 'one', text: 'x' } })],
    ['adds fields to the chunk', ({ part }) => ({ ...part, payload: { ...part.payload, note: 1 } })],
  ])('does not apply to a guard that %s', async (_, answer) => {
    const { judged, judge } = noting(answer);
    await twice(judge);
    expect(judged).toEqual(['Yes.', 'Yes.']);
  });

  it('does not apply to a tool call', async () => {
    const { judged, judge } = noting();
    await twice(judge, [call({ to: 'Jane' })]);
    expect(judged).toEqual(['call', 'call']);
  });

  it('does not apply to a pattern match, whose replacement may depend on the run', async () => {
    let count = 0;
    const window = { pattern: { ...patterns.email, replace: () => `[${(count += 1)}]` } };
    const judge = guard({ ...patternGuard(patterns.email, 'replace'), window } as Processor, cachePolicy);
    const { emitted } = await sendAll([judge], [delta('jane@example.com and jane@example.com')]);
    expect(pieces(emitted).join('')).toBe('[1] and [2]');
  });
});
