import { InterlockError } from '../errors.js';
import { throwFaults, type OptionFault, kind, type OptionKind } from '../option-kind.js';

const code = 'durable/invalid-option';

/** Rejects an option of an engine. Raises `durable/invalid-option`. */
export const rejectOption = (path: string, detail: string): never => {
  throw new InterlockError(code, { path, detail });
};

type EngineFault = OptionFault<typeof code>;

/** Raises one `durable/invalid-option` for all faults: those of the values, and those of options that do not fit together. */
export const checkOptions = (
  kinds: OptionKind,
  options: unknown,
  others: () => readonly Omit<EngineFault, 'code'>[] = () => [],
): void => {
  const faults = kinds.faultsOf(options, '').map(({ path, detail }) => ({ path: path.slice(1) || 'options', detail }));
  const isObject = typeof options === 'object' && options !== null;
  throwFaults([...faults, ...(isObject ? others() : [])].map((fault): EngineFault => ({ code, ...fault })));
};

/** A URL with one of the protocols. */
export const anAddress = (...protocols: readonly string[]): OptionKind<string> =>
  kind(
    `an address that starts with ${protocols.join('// or ')}//`,
    (value) => typeof value === 'string' && protocols.includes(URL.parse(value)?.protocol ?? ''),
  );
