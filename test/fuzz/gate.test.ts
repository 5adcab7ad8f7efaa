import { setImmediate as turn } from 'node:timers/promises';

import type { Processor } from '@mastra/core/processors';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import type { Pattern, TextSpan } from '../../src/guard/pattern.js';
import { guard, pipeline, type PipelineStep } from '../../src/index.js';
import type { Chunk, TextPart } from '../../src/stream/gate/chunk.js';
import { createBufferedTexts } from '../../src/stream/gate/buffered-texts.js';
import { uneditedSegment } from '../../src/stream/gate/segment.js';
import { delta, patternGuard, patterns, sendAll, source, texts } from '../../src/stream/gate/test-setup.js';
import { times } from '../modes.js';

/** A guard of a stream, and its output for whole texts, one after another, computed the slow way. */
interface Spec {
  readonly name: string;
  readonly make: (id: string) => PipelineStep;
  readonly whole: (texts: readonly string[], id: string) => string[];
  readonly pattern?: Pattern;
}

type PatternName = keyof typeof patterns;
const patternNames = Object.keys(patterns) as PatternName[];

/** The length of released text that a pattern without a longest match keeps. */
const keptChars = 256;

/** The parts of a stream, in the order in which they are sent. */
const parts = [
  { kind: 'reasoning', id: 'one' },
  { kind: 'text', id: 'one' },
  { kind: 'reasoning', id: 'two' },
  { kind: 'text', id: 'two' },
] as const;

/**
 * The matches in each of the texts, one after another. A match that started in earlier texts, after the last match there, counts up to
 * its end: in all of them, or in those of its kind, as a client reads it that hides the other kind.
 */
const matchesIn = (pattern: Pattern, pieces: readonly string[]): (readonly TextSpan[])[] => {
  const kept = pattern.maxLength === 'part' ? keptChars : pattern.maxLength;
  const ends: Record<string, string> = {};
  return pieces.map((text, index) => {
    const names = ['all', parts[index]?.kind ?? 'text'];
    const [crossing] = names.flatMap((name) => {
      const { length } = ends[name] ?? '';
      const span = pattern.find((ends[name] ?? '') + text, 0).find(({ start, end }) => start < length && end > length);
      return span ? [{ start: 0, end: span.end - length }] : [];
    });
    const matches = [...(crossing ? [crossing] : []), ...pattern.find(text, crossing?.end ?? 0)];
    const last = matches.at(-1);
    for (const name of names) ends[name] = (last ? text.slice(last.end) : (ends[name] ?? '') + text).slice(-kept);
    return matches;
  });
};

const replaceIn = (pattern: Pattern, pieces: readonly string[], by: string): string[] => {
  const matches = matchesIn(pattern, pieces);
  return pieces.map((text, index) =>
    (matches[index] ?? []).reduceRight((left, { start, end }) => left.slice(0, start) + by + left.slice(end), text),
  );
};

const replacing = (name: PatternName): Spec => ({
  name: `replaces ${name}`,
  make: (id) => patternGuard(patterns[name], 'replace', id),
  whole: (pieces, id) => replaceIn(patterns[name], pieces, `[${id}]`),
  pattern: patterns[name],
});

/** Changes every piece separately: the output depends on the window, or not at all on the pieces. */
const changing = (name: string, change: (text: string) => string, isSlow: boolean): Processor => ({
  id: name,
  processOutputStream: (async ({ part }: { part: { type: string; payload: { text: string } } }) => {
    if (isSlow) await turn();
    return part.type.endsWith('-delta') ? { ...part, payload: { ...part.payload, text: change(part.payload.text) } } : part;
  }) as never, // Mastra's type lists the parts one by one
});

const louder = (text: string): string => text.toUpperCase();
const marked = (text: string): string => `<${text}>`;

const windows = ['sentence', { chars: 3 }, { chars: 11 }, { tokens: 2 }, 'part', 'step'] as const;

/** Letter by letter: the same in every window. */
const shouting = (window: (typeof windows)[number] | 'chunk', isSlow: boolean): Spec => ({
  name: `shouts by ${JSON.stringify(window)}${isSlow ? ', slowly' : ''}`,
  make: (id) => guard(changing(id, louder, isSlow), { window }),
  whole: (pieces) => pieces.map(louder),
});

const marking: Spec = {
  name: 'marks each part',
  make: (id) => guard(changing(id, marked, true), { window: 'part' }),
  whole: (pieces) => pieces.map((text) => (text === '' ? '' : marked(text))),
};

/** A guard that passes everything, in the pieces of its window. */
const passing = (window: (typeof windows)[number]): PipelineStep =>
  guard(
    changing('passing', (text) => text, true),
    { window },
  );

/** A guard alone, or in a block with one that changes nothing. */
const overlapping = (step: PipelineStep, window: (typeof windows)[number] | undefined, id: string): PipelineStep =>
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

const streams = fc.record({
  pieces: fc.tuple(text, text, text, text),
  inTurns: fc.boolean(),
  cuts: fc.infiniteStream(fc.nat(7)),
  next: fc.infiniteStream(fc.nat(9)),
});

interface Drawn {
  readonly pieces: readonly string[];
  readonly inTurns: boolean;
  readonly cuts: Iterator<number>;
  readonly next: Iterator<number>;
}

const draw = (numbers: Iterator<number>): number => numbers.next().value as number; // it never ends

/** The parts as a provider sends them: cut anywhere, with empty pieces, one after another or interleaved. */
const sent = ({ pieces, inTurns, cuts, next }: Drawn): Chunk[] => {
  const places = pieces.map(() => 0);
  const open = parts.map(({ kind, id }): Chunk => ({ type: `${kind}-start`, payload: { id } }));
  const chunks: Chunk[] = [...open];
  const left = parts.map((_, index) => index);
  while (left.length > 0) {
    const choice = draw(next);
    if (choice === 9) chunks.push(source);
    const at = inTurns ? choice % left.length : 0;
    const index = left[at] as number; // there are some
    const { kind, id } = parts[index] as (typeof parts)[number];
    const whole = pieces[index] ?? '';
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

/** The guards next to a guard, if any. */
const company = fc.array(fc.option(fc.constantFrom(...windows), { nil: undefined, freq: 2 }), { minLength: 3, maxLength: 3 });

/**
 * Among interleaved parts no value continues from one to another, because the order of its halves depends on the guards: each starts
 * with a line break, and only one of them has a border of the value that has none of its own. A text may continue after the reasoning
 * that follows it; a guard may then hold the text's end while the next guard has the reasoning: several guards get none.
 */
const apart = (drawn: Drawn, names: readonly (Pattern | undefined)[]): Drawn => {
  if (!drawn.inTurns) return names.length < 2 ? drawn : { ...drawn, pieces: drawn.pieces.with(2, '') };
  if (names.includes(patterns.block)) fc.pre(drawn.pieces.filter((pieces) => /BEGIN|END/.test(pieces)).length < 2);
  return { ...drawn, pieces: drawn.pieces.map((pieces) => (pieces === '' ? '' : `\n${pieces}`)) };
};

const wholeOf = (specs: readonly Spec[], pieces: readonly string[]): readonly string[] =>
  specs.reduce<readonly string[]>((soFar, spec, index) => spec.whole(soFar, `g${index}`), pieces);
const named = ({ kind, id }: (typeof parts)[number]): string => `${kind} ${id}`;

describe('the gate, compared with judging each part as a whole', () => {
  it('guards edit any stream as they edit its whole parts, in blocks or not', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(editor, { minLength: 1, maxLength: 3 }), company, streams, async (specs, others, any) => {
        const drawn = apart(
          any,
          specs.map(({ pattern }) => pattern),
        );
        const whole = wholeOf(specs, drawn.pieces);
        const guards = specs.map(({ make }, index) => overlapping(make(`g${index}`), others[index], `g${index}`));
        const { emitted, stopped } = await sendAll(guards, sent(drawn));
        expect(stopped).toBeUndefined();
        for (const [index, part] of parts.entries())
          expect(texts(emitted)[named(part)] ?? '', specs.map(({ name }) => name).join(', ')).toBe(whole[index]);
        const borders = emitted
          .filter(({ type }) => /-(?:start|end)$/.test(type))
          .map(({ type, payload }) => `${type} ${(payload as { id: string }).id}`);
        expect(borders.toSorted()).toEqual(
          parts.flatMap(({ kind, id }) => [`${kind}-end ${id}`, `${kind}-start ${id}`]).toSorted(),
        );
      }),
      times(400),
    );
  });

  it('a block emits nothing of the blocked match; without a block, everything is emitted', async () => {
    let blocked = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(editor, { maxLength: 2 }),
        fc.constantFrom(...patternNames),
        company,
        streams,
        async (specs, name, others, any) => {
          const drawn = apart(any, [patterns[name], ...specs.map(({ pattern }) => pattern)]);
          const guards = [
            ...specs.map(({ make }, index) => make(`g${index}`)),
            overlapping(patternGuard(patterns[name], 'block', 'blocking'), others[0], 'blocking'),
          ];
          const { emitted, stopped } = await sendAll(guards, sent(drawn));
          const judged = wholeOf(specs, drawn.pieces);
          const firsts = matchesIn(patterns[name], judged).map(([first]) => first);
          expect(stopped?.kind).toBe(firsts.some((match) => match) ? 'trip' : undefined);
          if (stopped) blocked += 1;
          for (const [index, part] of parts.entries()) {
            const out = texts(emitted)[named(part)] ?? '';
            if (!stopped) expect(out).toBe(judged[index]);
            else expect((judged[index] ?? '').slice(0, firsts[index]?.start).startsWith(out)).toBe(true);
          }
        },
      ),
      times(400),
    );
    expect(blocked).toBeGreaterThan(times(400).numRuns / 10);
  });

  it('a value continues in a part that arrived while the guard judged the previous part', () => {
    const laneOf = (): TextPart => ({
      kind: 'text-delta',
      key: 'text',
      isNested: false,
      isPaused: false,
      chunkOf: (pieces) => delta(pieces),
      leavingOf: (pieces) => delta(pieces),
    });
    const [one, two] = [laneOf(), laneOf()];
    const held = createBufferedTexts({ pattern: patterns.email });
    held.add(uneditedSegment(one, 'a@example.com jane@', 1));
    held.end(one);
    expect(held.next(false)).toMatchObject({ kind: 'judge', lane: one, text: 'a@example.com' });
    held.add(uneditedSegment(two, 'example.com', 2));
    held.end(two);
    held.settle(one, 'a@example.com', '[mail]');
    const actions = Array.from({ length: 3 }, () => held.next(true));
    expect(actions).toMatchObject([
      { kind: 'clear' },
      { kind: 'end', lane: one },
      { kind: 'judge', lane: two, text: 'example.com' },
    ]);
  });
});
