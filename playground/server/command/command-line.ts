import { parseArgs } from 'node:util';
import { InterlockError } from '../../../src/index.js';

/** The parsed command line of the studio. */
export type StudioCommand = { readonly kind: 'help' } | ({ readonly kind: 'serve' } & ServeArguments);

interface ServeArguments {
  /** The module that exports the Mastra instance. */
  readonly entry?: string;
  readonly host?: string;
  readonly port?: number;
  readonly token?: string | false;
  readonly file?: string;
  readonly content?: 'all' | 'released';
  readonly maxRuns?: number;
  readonly maxBytes?: number;
}

const options = {
  entry: { type: 'string' },
  host: { type: 'string' },
  port: { type: 'string' },
  token: { type: 'string' },
  'no-token': { type: 'boolean' },
  file: { type: 'string' },
  content: { type: 'string' },
  'max-runs': { type: 'string' },
  'max-mb': { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const;

/** Reads the arguments after the command's name. Raises `studio/invalid-option`. */
export const readStudioCommand = (args: readonly string[]): StudioCommand => {
  const { help, port, content, token, 'no-token': noToken, 'max-runs': maxRuns, 'max-mb': maxMb, ...rest } = parse(args);
  if (help) return { kind: 'help' };
  if (content !== undefined && content !== 'all' && content !== 'released')
    throw invalid('--content', `it is "${content}", and must be all or released`);
  if (noToken && token !== undefined) throw invalid('--no-token', 'it cannot be combined with --token');
  const megabytes = wholeNumber('--max-mb', maxMb, 1);
  return {
    kind: 'serve',
    ...rest,
    content,
    token: noToken ? false : token,
    port: wholeNumber('--port', port, 0, 65_535),
    maxRuns: wholeNumber('--max-runs', maxRuns, 1),
    maxBytes: megabytes === undefined ? undefined : megabytes * 1024 * 1024,
  };
};

const parse = (args: readonly string[]) => {
  try {
    return parseArgs({ args: [...args], options }).values;
  } catch (error) {
    throw invalid(undefined, error instanceof Error ? error.message.split(/\.\s/)[0] : String(error));
  }
};

const wholeNumber = (name: string, text: string | undefined, ...[least, most = 1e9]: [number, number?]): number | undefined => {
  if (text === undefined) return undefined;
  const number = Number(text);
  if (text.trim() !== '' && Number.isInteger(number) && number >= least && number <= most) return number;
  throw invalid(
    name,
    `it is "${text}", and must be an integer ${most < 1e9 ? `from ${least} to ${most}` : `of ${least} or more`}`,
  );
};

const invalid = (path: string | undefined, detail?: string) => new InterlockError('studio/invalid-option', { path, detail });
