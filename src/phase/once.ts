/** Computes a value when it is first asked for: what only some programs use costs the others nothing to load. */
export const once = <T>(compute: () => T): (() => T) => {
  let value: { readonly it: T } | undefined;
  return () => (value ??= { it: compute() }).it;
};
