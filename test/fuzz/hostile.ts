import fc from 'fast-check';

/** Names with a meaning for objects or for their readers. */
const names = fc.constantFrom(
  '__proto__',
  'constructor',
  'toString',
  'then',
  'length',
  'type',
  'phase',
  'id',
  '',
  '0',
  'messages',
);

/** Any value that a caller could hand in, strange ones included. */
export const anything: fc.Arbitrary<unknown> = fc.oneof(
  fc.anything({
    key: fc.oneof(names, fc.string()),
    withBigInt: true,
    withDate: true,
    withMap: true,
    withNullPrototype: true,
    withSet: true,
    withSparseArray: true,
    withTypedArray: true,
    maxDepth: 3,
  }),
  fc.constantFrom<unknown>(undefined, null, NaN, -0, Infinity, '\uD800', Symbol('any'), () => undefined, new Error('any'), /any/),
);

/** Any value that JSON can say. */
export const anyJson: fc.Arbitrary<unknown> = fc.jsonValue({ maxDepth: 3 });

/** Makes another value of a value. */
type Spoil = (value: unknown) => unknown;

interface Change {
  readonly kind: 'replace' | 'add' | 'remove';
  /** Which way to go at each depth, over as many keys as there are. */
  readonly turns: readonly number[];
  readonly name: string;
  readonly value: unknown;
}

/** At the place that a change is about: something else, something more, or nothing. */
const spoil = (place: unknown, { turns: [turn = 0, ...turns], ...change }: Change): unknown => {
  if (typeof place !== 'object' || place === null) return change.value;
  const entries = Object.entries(place);
  const at = turn % Math.max(1, entries.length);
  const [key, inner] = entries[at] ?? [];
  const isHere = turns.length === 0 || key === undefined;
  if (!isHere) entries[at] = [key, spoil(inner, { ...change, turns })];
  else if (change.kind === 'remove') entries.splice(at, 1);
  else entries.splice(at, change.kind === 'add' ? 0 : 1, [change.kind === 'add' ? change.name : (key ?? ''), change.value]);
  return Array.isArray(place) ? entries.map(([, value]) => value) : Object.fromEntries(entries); // which sets `__proto__` like any other
};

const change = (strange: fc.Arbitrary<unknown>): fc.Arbitrary<Change> =>
  fc.record({
    kind: fc.constantFrom('replace', 'add', 'remove'),
    turns: fc.array(fc.nat(), { minLength: 1, maxLength: 6 }),
    name: names,
    value: strange,
  });

/** Some changes in a value, whatever it is. */
export const spoiling = (strange: fc.Arbitrary<unknown>): fc.Arbitrary<Spoil> =>
  fc.array(change(strange), { minLength: 1, maxLength: 3 }).map((changes) => (value) => changes.reduce(spoil, value));

/** Valid values with random changes. */
export const spoiled = (good: readonly unknown[], strange: fc.Arbitrary<unknown> = anything): fc.Arbitrary<unknown> =>
  fc.tuple(fc.constantFrom(...good), spoiling(strange)).map(([value, spoilIt]) => spoilIt(value));
