import fc from 'fast-check';

const words = ['alpha', 'bravo', 'charlie', 'dutch'] as const;
/** A value that the redactor removes, and its halves. */
export const mail = 'ann@example.com';
export const halves = ['ann@', 'example.com'] as const;

/** The phases in which a script may put a guard. */
export const guarded = [
  'input',
  'inputStep',
  'llmRequest',
  'apiError',
  'outputStream',
  'llmResponse',
  'outputStep',
  'toolResult',
  'outputResult',
] as const;

/** A guard of one phase: it acts on its word. */
export interface Rule {
  readonly phase: (typeof guarded)[number];
  readonly word: string;
  /** `hang` never answers, and has a deadline; `late` aborts when its hook has settled. */
  readonly act: 'pass' | 'edit' | 'trip' | 'retry' | 'fail' | 'hang' | 'late';
  readonly isSlow: boolean;
  /** The number of retries that it requests. */
  readonly retries: number;
  readonly window: 'chunk' | 'sentence' | 'part' | undefined;
}

/** The model's output in one attempt at a step. */
export interface ModelReply {
  readonly reasoning: readonly string[];
  readonly text: readonly string[];
  /** The number of characters before a second text part. */
  readonly partAt: number | undefined;
  /** The content of the text file that the model makes. */
  readonly file: string | undefined;
  /** The word in the title of the source that the answer names. */
  readonly source: string | undefined;
  /** The word in the result of a tool that the provider runs. */
  readonly hosted: string | undefined;
  /** A word in the arguments of each call: with `#` they do not fit the tool, with `?` there is no such tool. */
  readonly calls: readonly string[];
  /** The number of pieces of the arguments. */
  readonly fragments: number;
  /**
   * The end of the provider's stream: complete; with its length as the reason; without a finish part; broken off; failed before any
   * output.
   */
  readonly end: 'finish' | 'length' | 'cut' | 'break' | 'refusal';
}

export interface Script {
  readonly rules: readonly Rule[];
  readonly wiring: 'array' | 'pipeline' | 'parallel' | 'branch' | 'nested';
  readonly redacts: boolean;
  readonly hold: 'none' | 'step' | 'run' | undefined;
  readonly budget: number;
  /** Whether the last step answers with an object that contains its words. */
  readonly requestsObject: boolean;
  /** Whether a value starts at the end of the step with tools, and continues in the next. */
  readonly spills: boolean;
  readonly request: readonly string[];
  /** The number of steps that call tools, if `opening` is not empty. */
  readonly rounds: number;
  /** The attempts at the step that calls tools; the last one repeats. */
  readonly opening: readonly ModelReply[];
  /** The attempts at the last step. */
  readonly closing: readonly ModelReply[];
  /** The results of the tools; a tool whose word starts with `!` throws it. */
  readonly receipts: readonly string[];
}

const rule: fc.Arbitrary<Rule> = fc.record({
  phase: fc.constantFrom(...guarded),
  word: fc.constantFrom(...words),
  act: fc.constantFrom(
    'pass' as const,
    'edit' as const,
    'trip' as const,
    'retry' as const,
    'fail' as const,
    'hang' as const,
    'late' as const,
  ),
  isSlow: fc.boolean(),
  retries: fc.integer({ min: 1, max: 2 }),
  window: fc.constantFrom(undefined, 'chunk' as const, 'sentence' as const, 'part' as const),
});

const textPiece = fc.constantFrom(...words, mail, 'calm', 'calm');

const argument = fc.oneof(
  { weight: 4, arbitrary: textPiece },
  { weight: 1, arbitrary: fc.constantFrom('#alpha', '?bravo', `?${mail}`) },
);

const sayings = (hasCalls: boolean): fc.Arbitrary<ModelReply[]> =>
  fc.array(
    fc.record({
      reasoning: fc.array(textPiece, { maxLength: 2 }),
      text: fc.array(textPiece, { maxLength: 4 }),
      partAt: fc.option(fc.integer({ min: 1, max: 24 }), { freq: 3, nil: undefined }),
      file: fc.option(textPiece, { freq: 3, nil: undefined }),
      source: fc.option(textPiece, { freq: 3, nil: undefined }),
      hosted: fc.option(textPiece, { freq: 3, nil: undefined }),
      calls: hasCalls ? fc.array(argument, { minLength: 1, maxLength: 2 }) : fc.constant([]),
      fragments: fc.integer({ min: 1, max: 4 }),
      end: fc.oneof(
        { weight: 12, arbitrary: fc.constant('finish' as const) },
        { weight: 3, arbitrary: fc.constantFrom('length' as const, 'cut' as const, 'break' as const, 'refusal' as const) },
      ),
    }),
    { minLength: 1, maxLength: 2 },
  );

/**
 * In generate mode a text is one chunk. The guard that stops it, or the text that a guard judges, may then depend on the
 * mode, unless all guards have windows that do not depend on chunks.
 */
const inWindows = (rules: readonly Rule[], redacts: boolean): readonly Rule[] => {
  const isAlone = !redacts && rules.filter(({ phase }) => phase === 'outputStream').length < 2;
  return rules.map((one) => (isAlone || one.window === 'part' ? one : { ...one, window: 'sentence' }));
};

export const script: fc.Arbitrary<Script> = fc
  .record({
    rules: fc.array(rule, { minLength: 1, maxLength: 4 }),
    wiring: fc.constantFrom('array' as const, 'pipeline' as const, 'parallel' as const, 'branch' as const, 'nested' as const),
    redacts: fc.boolean(),
    hold: fc.constantFrom(undefined, 'none' as const, 'step' as const, 'run' as const),
    budget: fc.nat(2),
    requestsObject: fc.boolean(),
    spills: fc.boolean(),
    request: fc.array(fc.constantFrom(...words, 'calm'), { minLength: 1, maxLength: 3 }),
    rounds: fc.constantFrom(1, 1, 2),
    hasTools: fc.boolean(),
    opening: sayings(true),
    closing: sayings(false),
    receipts: fc.array(fc.constantFrom(...words, mail, '!alpha', 'calm'), { minLength: 1, maxLength: 2 }),
  })
  .map(({ hasTools, ...one }) => ({
    ...one,
    rules: inWindows(one.rules, one.redacts),
    opening: hasTools ? one.opening : [],
  }));
