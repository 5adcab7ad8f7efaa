import { setImmediate as turn } from 'node:timers/promises';

import type { Processor } from '@mastra/core/processors';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import type { Pattern } from '../../src/guard/pattern.js';
import { guard, pipeline, type PipelineStep } from '../../src/index.js';
import type { Chunk } from '../../src/release/gate/chunk.js';
import { patternGuard, patterns, sendAll, source, texts } from '../../src/release/gate/test-setup.js';
import { times } from './hostile.js';

/** A guard of a stream, and what it makes of a whole text, said the slow way. */
interface Spec {
  readonly name: string;
  readonly make: (id: string) => PipelineStep;
  readonly whole: (text: string, id: string) => string;
}

type PatternName = keyof typeof patterns;
const patternNames = Object.keys(patterns) as PatternName[];

const matchesIn = (pattern: Pattern, text: string) => pattern.find(text, 0);

const replaceIn = (pattern: Pattern, text: string, by: string): string =>
  matchesIn(pattern, text).reduceRight((left, { start, end }) => left.slice(0, start) + by + left.slice(end), text);

const replacing = (name: PatternName): Spec => ({
  name: `replaces ${name}`,
  make: (id) => patternGuard(patterns[name], 'replace', id),
  whole: (text, id) => replaceIn(patterns[name], text, `[${id}]`),
});

/** Changes every piece that it is given by itself: what comes of it follows from the window, or not at all from the pieces. */
const changing = (name: string, change: (text: string) => string, isSlow: boolean): Processor => ({
  id: name,
  processOutputStream: (async ({ part }: { part: { type: string; payload: { text: string } } }) => {
    if (isSlow) await turn();
    return part.type.endsWith('-delta') ? { ...part, payload: { ...part.payload, text: change(part.payload.text) } } : part;
  }) as never, // Mastra's type knows the parts one by one
});

const louder = (text: string): string => text.toUpperCase();
const marked = (text: string): string => `<${text}>`;

const windows = ['sentence', { chars: 3 }, { chars: 11 }, { tokens: 2 }, 'part', 'step'] as const;

/** Letter by letter: the same in every window. */
const shouting = (window: (typeof windows)[number] | 'chunk', isSlow: boolean): Spec => ({
  name: `shouts by ${JSON.stringify(window)}${isSlow ? ', slowly' : ''}`,
  make: (id) => guard(changing(id, louder, isSlow), { window }),
  whole: louder,
});

const marking: Spec = {
  name: 'marks each part',
  make: (id) => guard(changing(id, marked, true), { window: 'part' }),
  whole: (text) => (text === '' ? '' : marked(text)),
};

/** A guard that lets everything pass, in the pieces of its window. */
const passing = (window: (typeof windows)[number]): PipelineStep =>
  guard(
    changing('passing', (text) => text, true),
    { window },
  );

/** A guard as it is, or in a block beside one that changes nothing. */
const beside = (step: PipelineStep, window: (typeof windows)[number] | undefined, id: string): PipelineStep =>
  window === undefined
    ? step
    : pipeline(`block-${id}`)
        .parallel([step, passing(window)])
        .commit();

const editor: fc.Arbitrary<Spec> = fc.oneof(
  fc.constantFrom(...patternNames).map(replacing),
  fc.tuple(fc.constantFrom(...windows, 'chunk' as const), fc.boolean()).map(([window, isSlow]) => shouting(window, isSlow)),
  fc.constant(marking),
);

const values = ['jane@example.com', 'jane@', 'example.com', '4111 1111 1111 1111', '1111', 'secret', 'secretly', 'BEGIN', 'END'];
const between = ['e.g.', 'Dr.', ' ', '. ', '\n', '\r\n', '?', 'x', '😀', '👩‍👩‍👧', 'e\u0301', 'नमस्ते', '日本', 'ab-cd'];
const words = fc.constantFrom(...values, ...between, ' ');
const text = fc.array(words, { maxLength: 10 }).map((pieces) => pieces.join(''));

/** The parts of a stream: two texts and a thought. */
const parts = [
  { kind: 'text', id: 'one' },
  { kind: 'text', id: 'two' },
  { kind: 'reasoning', id: 'three' },
] as const;
const streams = fc.record({
  said: fc.tuple(text, text, text),
  cuts: fc.infiniteStream(fc.nat(7)),
  next: fc.infiniteStream(fc.nat(9)),
});

interface Drawn {
  readonly said: readonly string[];
  readonly cuts: Iterator<number>;
  readonly next: Iterator<number>;
}

const draw = (numbers: Iterator<number>): number => numbers.next().value as number; // it never ends

/** The parts as a provider sends them: cut anywhere, empty pieces among them, one after another or in turns. */
const sent = ({ said, cuts, next }: Drawn): Chunk[] => {
  const places = said.map(() => 0);
  const open = parts.map(({ kind, id }): Chunk => ({ type: `${kind}-start`, payload: { id } }));
  const chunks: Chunk[] = [...open];
  const left = parts.map((_, index) => index);
  while (left.length > 0) {
    const choice = draw(next);
    if (choice === 9) chunks.push(source);
    const at = choice % left.length;
    const index = left[at] as number; // there are some
    const { kind, id } = parts[index] as (typeof parts)[number];
    const whole = said[index] ?? '';
    const place = places[index] ?? 0;
    const piece = whole.slice(place, place + draw(cuts));
    places[index] = place + piece.length;
    chunks.push({ type: `${kind}-delta`, payload: { id, text: piece } });
    if (place + piece.length < whole.length) continue;
    chunks.push({ type: `${kind}-end`, payload: { id } });
    left.splice(at, 1);
  }
  return chunks;
};

/** Who stands beside a guard, where anybody does. */
const company = fc.array(fc.option(fc.constantFrom(...windows), { nil: undefined, freq: 2 }), { minLength: 3, maxLength: 3 });

const wholeOf = (specs: readonly Spec[], said: string): string =>
  specs.reduce((soFar, spec, index) => spec.whole(soFar, `g${index}`), said);
const named = ({ kind, id }: (typeof parts)[number]): string => `${kind} ${id}`;

describe('the gate, against reading each part as a whole', () => {
  it('guards, in blocks or not, make of any stream what they make of its parts', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(editor, { minLength: 1, maxLength: 3 }), company, streams, async (specs, others, drawn) => {
        const guards = specs.map(({ make }, index) => beside(make(`g${index}`), others[index], `g${index}`));
        const { left, stopped } = await sendAll(guards, sent(drawn));
        expect(stopped).toBeUndefined();
        for (const [index, part] of parts.entries())
          expect(texts(left)[named(part)] ?? '', specs.map(({ name }) => name).join(', ')).toBe(
            wholeOf(specs, drawn.said[index] ?? ''),
          );
        const borders = left
          .filter(({ type }) => /-(?:start|end)$/.test(type))
          .map(({ type, payload }) => `${type} ${(payload as { id: string }).id}`);
        expect(borders.toSorted()).toEqual(
          parts.flatMap(({ kind, id }) => [`${kind}-end ${id}`, `${kind}-start ${id}`]).toSorted(),
        );
      }),
      times(400),
    );
  });

  it('where one blocks, nothing of what it blocks on has left, and where none does, all has', async () => {
    let blocked = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(editor, { maxLength: 2 }),
        fc.constantFrom(...patternNames),
        company,
        streams,
        async (specs, name, others, drawn) => {
          const guards = [
            ...specs.map(({ make }, index) => make(`g${index}`)),
            beside(patternGuard(patterns[name], 'block', 'blocking'), others[0], 'blocking'),
          ];
          const { left, stopped } = await sendAll(guards, sent(drawn));
          const judged = drawn.said.map((said) => wholeOf(specs, said));
          const firsts = judged.map((said) => matchesIn(patterns[name], said)[0]);
          expect(stopped?.kind).toBe(firsts.some((match) => match) ? 'trip' : undefined);
          if (stopped) blocked += 1;
          for (const [index, part] of parts.entries()) {
            const out = texts(left)[named(part)] ?? '';
            if (!stopped) expect(out).toBe(judged[index]);
            else expect((judged[index] ?? '').slice(0, firsts[index]?.start).startsWith(out)).toBe(true);
          }
        },
      ),
      times(400),
    );
    expect(blocked).toBeGreaterThan(40);
  });
});
