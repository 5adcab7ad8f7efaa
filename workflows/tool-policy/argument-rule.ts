/**
 * Checks one argument of a tool call. Returns the fault in a few words, which the model gets, or undefined if the argument is
 * allowed. The words must not repeat the value.
 */
export type ArgumentRule = (value: unknown) => string | undefined | Promise<string | undefined>;

/** The values at a path such as `filter.urls.*`: `*` is each entry of a list or object. An unexpected list is read entry by entry. */
export const valuesAt = (args: unknown, path: string): unknown[] => {
  let values: unknown[] = [args];
  for (const name of path.split('.')) {
    values = values.flatMap((value) => {
      if (typeof value !== 'object' || value === null) return [];
      if (name === '*') return Object.values(value);
      if (Array.isArray(value) && !/^\d+$/.test(name)) return value.flatMap((entry) => valuesAt(entry, name));
      return Object.hasOwn(value, name) ? [(value as Record<string, unknown>)[name]] : [];
    });
  }
  return values
    .flatMap((value) => (Array.isArray(value) ? (value.flat(Infinity) as unknown[]) : [value]))
    .filter((value) => value !== undefined);
};

const runsOf = async (rule: ArgumentRule, values: readonly unknown[]): Promise<string | undefined> => {
  for (const value of values) {
    const fault = await rule(value);
    if (fault !== undefined) return fault;
  }
  return undefined;
};

/** The fault of a call's arguments, with its path; undefined if they are allowed. */
export const faultIn = async (args: unknown, rules: Readonly<Record<string, ArgumentRule>>): Promise<string | undefined> => {
  for (const [path, rule] of Object.entries(rules)) {
    const fault = await runsOf(rule, valuesAt(args, path));
    if (fault !== undefined) return `${path} ${fault}`;
  }
  return undefined;
};
