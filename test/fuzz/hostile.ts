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

/** Any value that a caller could pass, including strange ones. */
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

/** Any JSON value. */
export const anyJson: fc.Arbitrary<unknown> = fc.jsonValue({ maxDepth: 3 });

/** Makes a changed value from a value. */
type Spoil = (value: unknown) => unknown;

interface Change {
  readonly kind: 'replace' | 'add' | 'remove';
  /** The index of the key at each depth, modulo the number of keys. */
  readonly turns: readonly number[];
  readonly name: string;
  readonly value: unknown;
}

/** At the place of a change: another value, an additional one, or none. */
const spoil = (place: unknown, { turns: [turn = 0, ...turns], ...change }: Change): unknown => {
  if (typeof place !== 'object' || place === null) return change.value;
  const entries = Object.entries(place);
  const at = turn % Math.max(1, entries.length);
  const [key, inner] = entries[at] ?? [];
  const isHere = turns.length === 0 || key === undefined;
  if (!isHere) entries[at] = [key, spoil(inner, { ...change, turns })];
  else if (change.kind === 'remove') entries.splice(at, 1);
  else entries.splice(at, change.kind === 'add' ? 0 : 1, [change.kind === 'add' ? change.name : (key ?? ''), change.value]);
  return Array.isArray(place) ? entries.map(([, value]) => value) : Object.fromEntries(entries); // it sets `__proto__` like any other
};

const change = (strange: fc.Arbitrary<unknown>): fc.Arbitrary<Change> =>
  fc.record({
    kind: fc.constantFrom('replace', 'add', 'remove'),
    turns: fc.array(fc.nat(), { minLength: 1, maxLength: 6 }),
    name: names,
    value: strange,
  });

/** Some changes in any value. */
export const spoiling = (strange: fc.Arbitrary<unknown>): fc.Arbitrary<Spoil> =>
  fc.array(change(strange), { minLength: 1, maxLength: 3 }).map((changes) => (value) => changes.reduce(spoil, value));

/** Valid values with random changes. */
export const spoiled = (good: readonly unknown[], strange: fc.Arbitrary<unknown> = anything): fc.Arbitrary<unknown> =>
  fc.tuple(fc.constantFrom(...good), spoiling(strange)).map(([value, spoilIt]) => spoilIt(value));
