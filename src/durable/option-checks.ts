import { InterlockError } from '../errors.js';

/** Refuses an option of an engine. Raises `durable/invalid-option`. */
export const refuseOption = (path: string, detail: string): never => {
  throw new InterlockError('durable/invalid-option', { path, detail });
};

/** Refuses what is no whole number, or is none between two others. */
export const checkWhole = (
  path: string,
  value: number,
  [least, most = Number.MAX_SAFE_INTEGER]: readonly [number, number?],
): void => {
  if (Number.isInteger(value) && value >= least && value <= most) return;
  refuseOption(path, `it must be a whole number from ${least}${most < Number.MAX_SAFE_INTEGER ? ` to ${most}` : ''}.`);
};

/** Refuses what is no address of one of some protocols. */
export const checkUrl = (path: string, value: string, protocols: readonly string[]): void => {
  const { protocol } = URL.parse(value) ?? {};
  if (!protocol || !protocols.includes(protocol))
    refuseOption(path, `it must be an address that begins with ${protocols.join('// or ')}//.`);
};
