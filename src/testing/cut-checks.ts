import { AssertionError } from 'node:assert';
import { randomCuts, twoWayCuts, unitCuts, type Pieces } from './cuts.js';
import { createCutRunner, type CutRun, type CutRunner, type StreamGuards } from './run-cut.js';
import { cutText, streamShapes, type StreamShape } from './stream-shapes.js';

/** Options for the cuts of a text and its position in the stream. */
export interface CutOptions {
  /** The positions of the text in the stream. Default: all {@link streamShapes}. */
  readonly shapes?: readonly StreamShape[];
  /**
   * The number of random cuts, in addition to every cut into two parts and the cut into single characters; at least 0. Default
   * 100.
   */
  readonly randomCuts?: number;
  /** The seed of the random cuts. Default 1. */
  readonly seed?: number;
}

/** A text that contains a secret value. */
export interface FragmentCase {
  readonly text: string;
  readonly value: string;
  /** The number of consecutive characters of the value that may leave, such as those that a mask keeps; at least 0. Default 3. */
  readonly allowedChars?: number;
}

/** A cut of a text that fails the check. */
export interface CutFailure {
  readonly shape: StreamShape;
  readonly pieces: Pieces;
  readonly expected: unknown;
  readonly actual: unknown;
}

/** The result of a check. */
export interface CutReport {
  readonly runs: number;
  readonly failures: readonly CutFailure[];
}

/** All cuts of the streamed text, without duplicates. */
const cutsOf = (whole: string, { randomCuts: count = 100, seed = 1 }: CutOptions): Pieces[] => {
  const cuts = [...twoWayCuts(whole), unitCuts(whole), ...randomCuts(whole, { count, seed })];
  return [...new Map(cuts.map((pieces) => [JSON.stringify(pieces), pieces])).values()];
};

type Check = (run: CutRunner, shape: StreamShape, cuts: readonly Pieces[]) => Promise<CutFailure[]>;

const checkAll = async (
  guards: StreamGuards,
  texts: readonly string[],
  check: { each: Check; options: CutOptions },
): Promise<CutReport> => {
  const { each, options } = check;
  const run = await createCutRunner(guards);
  const failures: CutFailure[] = [];
  let runs = 0;
  for (const text of texts)
    for (const shape of options.shapes ?? streamShapes) {
      const cuts = cutsOf(cutText(shape, text), options);
      runs += cuts.length;
      failures.push(...(await each(run, shape, cuts)));
    }
  return { runs, failures };
};

/**
 * Runs guards over texts in every cut and compares the output with that of the uncut text:
 * the run's status, and in a run that succeeds the words, reasoning and arguments of each part.
 */
export const checkChunkInvariance = (
  guards: StreamGuards,
  texts: readonly string[],
  options: CutOptions = {},
): Promise<CutReport> => {
  const outcomeOf = ({ status, texts: emitted }: CutRun): unknown => (status === 'success' ? { status, emitted } : { status });
  const each: Check = async (run, shape, cuts) => {
    const expected = outcomeOf(await run(shape, [cuts[0]?.join('') ?? '']));
    const failures: CutFailure[] = [];
    for (const pieces of cuts) {
      const actual = outcomeOf(await run(shape, pieces));
      if (JSON.stringify(actual) !== JSON.stringify(expected)) failures.push({ shape, pieces, expected, actual });
    }
    return failures;
  };
  return checkAll(guards, texts, { each, options });
};

/**
 * Runs guards over a text in every cut, and searches the output for fragments of a value: in each chunk, and in the concatenated
 * chunks of each part.
 */
export const checkFragments = async (
  guards: StreamGuards,
  { text, value, allowedChars = 3 }: FragmentCase,
  options: CutOptions = {},
): Promise<CutReport> => {
  const rest = text.split(value).join('\n');
  const fragments = fragmentsOf(value, allowedChars + 1).filter((fragment) => !rest.includes(fragment));
  const each: Check = async (run, shape, cuts) => {
    const failures: CutFailure[] = [];
    for (const pieces of cuts) {
      const { texts, emissions } = await run(shape, pieces);
      const leaks = [...Object.values(texts), ...emissions].filter((emitted) =>
        fragments.some((fragment) => emitted.includes(fragment)),
      );
      if (leaks.length > 0)
        failures.push({ shape, pieces, expected: `no more than ${allowedChars} characters of the value`, actual: leaks });
    }
    return failures;
  };
  return checkAll(guards, [text], { each, options });
};

const fragmentsOf = (value: string, length: number): string[] =>
  Array.from({ length: Math.max(1, value.length - length + 1) }, (_, at) => value.slice(at, at + length));

/**
 * Asserts that the guards' output does not depend on how the stream was cut into chunks. For guards that depend on the text
 * alone; works on any Mastra processor, pipeline or workflow with a hook for the stream.
 *
 * Throws an `AssertionError` with the first failing cut and the number of failures.
 *
 * @example
 * await assertChunkInvariant([redactor({ kinds: ['email'], strategy: 'mask' })], ['Write to jane@example.com today.']);
 */
export const assertChunkInvariant = async (guards: StreamGuards, texts: readonly string[], options?: CutOptions): Promise<void> =>
  assertNone(await checkChunkInvariance(guards, texts, options), 'What leaves depends on how the stream is cut');

/**
 * Asserts that no chunk, and no concatenation of chunks, contains more of a value than allowed. It includes output before a
 * block, and the tripwire.
 *
 * Throws an `AssertionError` with the first failing cut and the number of failures.
 *
 * @example
 * await assertNoFragment([cards], [{ text: 'It is 4111 1111 1111 1111.', value: '4111 1111 1111 1111' }]);
 */
export const assertNoFragment = async (
  guards: StreamGuards,
  cases: readonly FragmentCase[],
  options?: CutOptions,
): Promise<void> => {
  for (const one of cases) assertNone(await checkFragments(guards, one, options), `A piece of "${one.value}" left`);
};

const assertNone = ({ runs, failures }: CutReport, message: string): void => {
  const [first] = failures;
  if (!first) return;
  const { shape, pieces, expected, actual } = first;
  throw new AssertionError({
    message: `${message}: ${failures.length} of ${runs} cuts, first as ${shape} in ${JSON.stringify(pieces)}.`,
    expected,
    actual,
    operator: 'deepStrictEqual',
  });
};
