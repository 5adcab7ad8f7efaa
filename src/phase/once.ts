/** Computes a value on first use, so that programs without that use do not pay for it. */
export const once = <T>(compute: () => T): (() => T) => {
  let value: { readonly it: T } | undefined;
  return () => (value ??= { it: compute() }).it;
};
