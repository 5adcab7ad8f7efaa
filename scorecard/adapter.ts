import { pathToFileURL } from 'node:url';

import { startOpenAIServer } from '../src/testing/index.js';
import { decisions, places, UsageError, type Host, type Outcome, type Reader, type Session } from './host.js';

const isObject = (it: unknown): it is Record<string, unknown> => typeof it === 'object' && it !== null;
const isText = (it: unknown): boolean => typeof it === 'string' && it !== '';
const isTexts = (it: unknown): boolean => Array.isArray(it) && it.every(isText);

/** Each required field of a host: what it must be, and whether it is. */
const fields: readonly (readonly [name: keyof Host, must: string, is: (it: unknown) => boolean])[] = [
  ['id', 'a string', isText],
  ['name', 'a string', isText],
  ['packages', 'a list of npm packages', isTexts],
  ['docs', 'a list of addresses', isTexts],
  ['hooks', 'an object: the decisions of each place', isObject],
  ['keeps', 'an object: { history, subAgents }', isObject],
  ['open', 'a function', (it) => typeof it === 'function'],
];

/** Problems of a value of `hooks`. */
const wrongHooks = (hooks: unknown): string[] =>
  Object.entries(isObject(hooks) ? hooks : {}).flatMap(([place, decided]) => {
    if (!(places as readonly string[]).includes(place))
      return [`hooks.${place} is no place of a guard; the places are ${places.join(', ')}`];
    if (!Array.isArray(decided)) return [`hooks.${place} must be a list of decisions`];
    const unknown = decided.filter((it) => !(decisions as readonly unknown[]).includes(it));
    return unknown.length > 0
      ? [`hooks.${place} names "${unknown.join('", "')}"; the decisions are ${decisions.join(', ')}`]
      : [];
  });

const wrongIn = (host: Record<string, unknown>): string[] => [
  ...fields.filter(([name, , is]) => !is(host[name])).map(([name, must]) => `${name} must be ${must}`),
  ...wrongHooks(host['hooks']),
];

/** Settles as the promise does, or rejects after a time. */
export const within = <T>(limitMs: number, subject: string, promise: T | Promise<T>): Promise<T> => {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`${subject} did not end within ${limitMs / 1_000} s`)), limitMs);
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
};

/** The exports of a module; for a CommonJS module, those of its default export. */
const exportsOf = async (module: string): Promise<unknown[]> => {
  const all = (await import(pathToFileURL(module).href)) as Record<string, unknown>;
  const inner = all['default'];
  return [...new Set([...Object.values(all), ...(isObject(inner) ? Object.values(inner) : [])])];
};

/** The hosts that a module exports. A value with some field of a host is taken for one, and must have all. */
export const loadHosts = async (module: string, limitMs: number): Promise<Host[]> => {
  const exported = await within(limitMs, 'loading it', exportsOf(module)).catch((error: unknown) => {
    throw new UsageError('scorecard/adapter-failed', `${module} cannot be loaded: ${textOf(error)}`);
  });
  const hosts = exported.filter(isObject).filter((it) => 'open' in it || 'hooks' in it);
  if (hosts.length === 0)
    throw new UsageError('scorecard/no-host', `${module} exports no object of the type Host (scorecard/host.ts)`);
  const wrong = hosts.flatMap((host) =>
    wrongIn(host).map((it) => `\n  ${isText(host['id']) ? `"${host['id'] as string}"` : 'a host'}: ${it}`),
  );
  if (wrong.length > 0) throw new UsageError('scorecard/wrong-host', `${module} exports a wrong host:${wrong.join('')}`);
  return hosts as unknown as Host[]; // each field has been checked
};

/** An error with the lines of its stack that are in files of the adapter. */
const textOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error);
  const own = (error.stack ?? '')
    .split('\n')
    .filter((line) => /^\s+at /u.test(line) && !/node_modules|node:|scorecard\/\w+\.ts/u.test(line));
  return [String(error), ...own.slice(0, 3)].join('\n');
};

const methods = ['generate', 'stream', 'history'] as const;

/** Opens a session, and checks that it is one. */
export const openSession = async (host: Host, setup: Parameters<Host['open']>[0], limitMs: number): Promise<Session> => {
  const session: unknown = await within(limitMs, 'open()', host.open(setup));
  const missing = methods.filter((name) => !isObject(session) || typeof session[name] !== 'function');
  if (missing.length > 0) throw new Error(`open() gave a session without ${missing.join(', ')}`);
  return session as Session;
};

/** An outcome, checked: the type of a stranger's module is only a promise. */
export const checked = (outcome: unknown): Outcome => {
  if (
    isObject(outcome) &&
    ['completed', 'blocked', 'failed'].includes(String(outcome['ended'])) &&
    typeof outcome['answer'] === 'string'
  )
    return outcome as unknown as Outcome; // as just checked
  throw new Error(`a run gave no Outcome { ended, answer, result }: ${JSON.stringify(outcome)?.slice(0, 200)}`);
};

const words = 'A plain answer.';
const nowhere: Reader = { show: () => {}, also: () => {}, withdraw: () => {}, end: () => {} };

/** Runs an adapter once in each mode without guards: an adapter that cannot do that has no results. */
export const tryHost = async (host: Host, limitMs: number): Promise<void> => {
  const server = await startOpenAIServer({ reply: () => ({ kind: 'text', text: words }) });
  const { signal } = new AbortController();
  const callAgent = async (mode: 'generate' | 'stream'): Promise<void> => {
    const session = await openSession(host, { baseUrl: server.baseUrl, guards: [], tools: [], retries: 0 }, limitMs);
    const run = mode === 'stream' ? session.stream('Hello.', signal, nowhere) : session.generate('Hello.', signal);
    const outcome = checked(await within(limitMs, `${mode}()`, run));
    if (outcome.ended === 'completed' && outcome.answer.includes(words)) return;
    throw new Error(
      `${mode}() without guards ended as ${outcome.ended} with the answer ${JSON.stringify(outcome.answer)}, not as completed with "${words}"; ` +
        `${server.requests.length} requests reached the model`,
    );
  };
  try {
    await callAgent('generate');
    await callAgent('stream');
  } catch (error) {
    throw new UsageError('scorecard/adapter-failed', `"${host.id}" does not run: ${textOf(error)}`);
  } finally {
    await server.close();
  }
};
