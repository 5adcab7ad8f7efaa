import { InterlockError } from '../errors.js';

/** Rejects an option of an engine. Raises `durable/invalid-option`. */
export const rejectOption = (path: string, detail: string): never => {
  throw new InterlockError('durable/invalid-option', { path, detail });
};

/** Rejects a value that is not a whole number within the limits. */
export const checkWhole = (
  path: string,
  value: number,
  [least, most = Number.MAX_SAFE_INTEGER]: readonly [number, number?],
): void => {
  if (Number.isInteger(value) && value >= least && value <= most) return;
  rejectOption(
    path,
    `it must be an integer ${most < Number.MAX_SAFE_INTEGER ? `from ${least} to ${most}` : `of ${least} or more`}.`,
  );
};

/** Rejects a value that is not a URL with one of the protocols. */
export const checkUrl = (path: string, value: string, protocols: readonly string[]): void => {
  const { protocol } = URL.parse(value) ?? {};
  if (!protocol || !protocols.includes(protocol))
    rejectOption(path, `it must be an address that starts with ${protocols.join('// or ')}//.`);
};
