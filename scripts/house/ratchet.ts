/** The figures that may not rise, and for each one that has risen the record with its reason. */
export interface House {
  readonly figures: Readonly<Record<string, number>>;
  readonly records: Readonly<Record<string, string>>;
}

type Figures = House['figures'];

/** Counts whose rate may not rise; the count itself may. A rate that rises only because other lines went is no fault. */
const countOf: Readonly<Record<string, string>> = {
  'exported declarations per 1,000 lines of src': 'exported declarations in src',
  'casts per 1,000 lines of src': 'casts in src',
};
const isCount = new Set(Object.values(countOf));

const hasRisen = (name: string, known: Figures, now: Figures): boolean => (now[name] ?? 0) > (known[name] ?? Infinity);

/** The names of the figures that may not rise and have. */
const risen = (known: Figures, now: Figures): string[] =>
  Object.keys(now).filter((name) => {
    const count = countOf[name];
    return !isCount.has(name) && hasRisen(name, known, now) && (count === undefined || hasRisen(count, known, now));
  });

/** A sentence for each figure that has risen without a record, and for each figure that is gone. */
export const faultsOf = ({ figures: known }: House, now: Figures, record?: string): string[] => {
  const remedy =
    'Remove as much as you add, or write a record in docs/decisions and run: npm run house -- --update --record docs/decisions/…';
  const up = record === undefined ? risen(known, now) : [];
  const gone = Object.keys(known).filter((name) => !(name in now));
  return [
    ...up.map((name) => `${name}: ${known[name]} may not rise to ${now[name]}. ${remedy}`),
    ...gone.map((name) => `${name}: it is in scripts/house.json and is not measured any more.`),
  ];
};

/** The file after an update: the new figures, and the record of those that have risen with it. */
export const updated = ({ figures: known, records }: House, now: Figures, record?: string): House => ({
  figures: now,
  records: { ...records, ...(record !== undefined && Object.fromEntries(risen(known, now).map((name) => [name, record]))) },
});
