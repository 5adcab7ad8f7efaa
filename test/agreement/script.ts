import fc from 'fast-check';

const words = ['alpha', 'bravo', 'charlie', 'dutch'] as const;
/** A value that the redactor takes out, and its halves. */
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

/** A guard of one phase: it acts where it reads its word. */
export interface Rule {
  readonly phase: (typeof guarded)[number];
  readonly word: string;
  /** `hang` never answers, and has a deadline; `late` aborts when its hook has settled. */
  readonly act: 'pass' | 'edit' | 'trip' | 'retry' | 'fail' | 'hang' | 'late';
  readonly isSlow: boolean;
  /** How often it asks for another attempt. */
  readonly asks: number;
  readonly window: 'chunk' | 'sentence' | 'part' | undefined;
}

/** What the model says in one attempt at a step. */
export interface Saying {
  readonly reasoning: readonly string[];
  readonly text: readonly string[];
  /** Where a second text part begins: after so many characters. */
  readonly partAt: number | undefined;
  /** What is in the text file that the model makes. */
  readonly file: string | undefined;
  /** A word in the arguments of each call. */
  readonly calls: readonly string[];
  /** In how many pieces the arguments come. */
  readonly fragments: number;
  /**
   * How the provider ends: as it should; with its length as the reason; with a stream without a finish part; with a stream that breaks; before it
   * says anything.
   */
  readonly end: 'finish' | 'length' | 'cut' | 'break' | 'refusal';
}

export interface Script {
  readonly rules: readonly Rule[];
  readonly wiring: 'array' | 'pipeline' | 'parallel' | 'branch' | 'nested';
  readonly redacts: boolean;
  readonly hold: 'none' | 'step' | 'run' | undefined;
  readonly budget: number;
  /** Whether the last step answers with an object that has its words. */
  readonly asksObject: boolean;
  /** Whether a value begins at the end of the step with tools, and goes on in the next. */
  readonly spills: boolean;
  readonly request: readonly string[];
  /** The attempts at the step that calls tools; the last one is said from then on. */
  readonly opening: readonly Saying[];
  /** The attempts at the last step. */
  readonly closing: readonly Saying[];
  /** What the tools answer; a tool whose word begins with `!` throws it. */
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
  asks: fc.integer({ min: 1, max: 2 }),
  window: fc.constantFrom(undefined, 'chunk' as const, 'sentence' as const, 'part' as const),
});

const spoken = fc.constantFrom(...words, mail, 'calm', 'calm');

const sayings = (hasCalls: boolean): fc.Arbitrary<Saying[]> =>
  fc.array(
    fc.record({
      reasoning: fc.array(spoken, { maxLength: 2 }),
      text: fc.array(spoken, { maxLength: 4 }),
      partAt: fc.option(fc.integer({ min: 1, max: 24 }), { freq: 3, nil: undefined }),
      file: fc.option(spoken, { freq: 3, nil: undefined }),
      calls: hasCalls ? fc.array(spoken, { minLength: 1, maxLength: 2 }) : fc.constant([]),
      fragments: fc.integer({ min: 1, max: 4 }),
      end: fc.oneof(
        { weight: 12, arbitrary: fc.constant('finish' as const) },
        { weight: 3, arbitrary: fc.constantFrom('length' as const, 'cut' as const, 'break' as const, 'refusal' as const) },
      ),
    }),
    { minLength: 1, maxLength: 2 },
  );

/**
 * Where a model answers at once, its text is one chunk: which of two guards stops it, or what one of them is asked about, may then depend on the
 * way to run, unless all have windows that do not depend on chunks.
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
    asksObject: fc.boolean(),
    spills: fc.boolean(),
    request: fc.array(fc.constantFrom(...words, 'calm'), { minLength: 1, maxLength: 3 }),
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
