import { AssertionError } from 'node:assert';

import { type Pieces, randomCuts, twoWayCuts, unitCuts } from './cuts.js';
import { cutText, partsOfShape, type StreamShape, streamShapes } from './stream-shapes.js';
import type { InterlockStream } from '../mastra/agent/run-stream.js';
import type { Compilable } from '../mastra/graph/to-graph.js';
import type { ScriptedStep } from './scripted-parts.js';
import { scriptedModel } from './scripted-model.js';

/** The output of one run. */
interface CutRun {
  readonly status: string;
  /** The joined words, reasoning and arguments that left, by part. */
  readonly texts: Readonly<Record<string, string>>;
  /** All chunks that left, in order, as JSON. */
  readonly emissions: readonly string[];
}

interface StreamChunk {
  readonly type: string;
  readonly payload?: Readonly<Record<string, unknown>>;
}

/** Chunks around the text have ids of their own, and are not compared. */
const isAround = (id: unknown): boolean => String(id).startsWith('around-');

/** The parts that are compared. */
const compared: Partial<Record<string, (payload: Readonly<Record<string, unknown>>) => [string, unknown]>> = {
  'text-delta': ({ id, text }) => [`text ${String(id)}`, text],
  'reasoning-delta': ({ id, text }) => [`reasoning ${String(id)}`, text],
  'tool-call-delta': ({ toolCallId, argsTextDelta }) => [`told arguments ${String(toolCallId)}`, argsTextDelta],
  'tool-call': ({ toolCallId, args }) => [`arguments ${String(toolCallId)}`, JSON.stringify(args)],
};

/** Runs an answer in these pieces through the guards, one run at a time. */
type CutRunner = (shape: StreamShape, pieces: Pieces) => Promise<CutRun>;

/**
 * Makes an agent with these guards for repeated runs. A client tool takes the calls, so that no tool runs.
 * Mastra is loaded only here: the kit's models and servers do not need it.
 */
const createCutRunner = async (guards: Compilable): Promise<CutRunner> => {
  const { InterlockAgent } = await import('../mastra/agent/agent.js');
  let step: ScriptedStep<'v2'> = {};
  const agent = new InterlockAgent({
    id: 'cut',
    name: 'cut',
    instructions: '',
    model: scriptedModel({ steps: () => step }),
    outputProcessors: guards,
  });
  const note = { description: 'Takes a note.', inputSchema: { type: 'object', properties: {} } };
  const clientTools = { note } as never; // Mastra types its schema by a library
  return async (shape, pieces) => {
    step = { parts: partsOfShape(shape, pieces) as ScriptedStep<'v2'>['parts'] }; // see partsOfShape
    const tools = shape === 'arguments' && { clientTools }; // Mastra converts its schema in each call
    return readRun(await agent.stream('Go.', { ...tools, maxSteps: 1 }));
  };
};

/** Ids, times and counts are the run's own numbers, which may contain digits of a value by chance. */
const withoutNumbers = (name: string, value: unknown): unknown => (/(^id|Id|At|sage|timestamp)$/.test(name) ? undefined : value);

const readRun = async (stream: InterlockStream): Promise<CutRun> => {
  const texts: Record<string, string> = {};
  const emissions: string[] = [];
  for await (const chunk of stream.fullStream as AsyncIterable<StreamChunk>) {
    const [key, text] = (chunk.payload && compared[chunk.type]?.(chunk.payload)) ?? [];
    if (key !== undefined && !isAround(chunk.payload?.['id'])) texts[key] = (texts[key] ?? '') + String(text);
    emissions.push(JSON.stringify([chunk.type, chunk.payload], withoutNumbers));
  }
  return { status: stream.status, texts, emissions };
};

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
interface CutFailure {
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
  guards: Compilable,
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
  guards: Compilable,
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
  guards: Compilable,
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
export const assertChunkInvariant = async (guards: Compilable, texts: readonly string[], options?: CutOptions): Promise<void> =>
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
  guards: Compilable,
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
