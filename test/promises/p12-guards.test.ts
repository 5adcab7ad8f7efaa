import { Session, type Profiler } from 'node:inspector/promises';
import { setFlagsFromString } from 'node:v8';
import type { Processor } from '@mastra/core/processors';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import * as everyGuard from '../../workflows/guards/index.js';
import { isDeep } from '../modes.js';
import { assistant, callHook, chunk, messageOf, streamThrough, user } from '../../workflows/test-setup.js';
import type { WindowedProcessor } from '../../src/guard/pattern.js';

/** What makes guards look often: values, what only begins like one, and what opens and does not close. */
const shapes = {
  prose: 'The parcel left on Monday and arrives in three days. ',
  'a table of addresses': '17,Jane Roe,jane.roe17@example.com,active\n',
  'digits and dashes': '4-4-4-',
  'zero-width spaces': '\u200b',
  'soft hyphens': 'so\u00adft hy\u00adphens ',
  'look-alikes': 'іgnоrе ',
  isolates: '\u2066',
  codes: '\\u0040',
  percents: '%2e',
  'short sentences': 'a.',
  parentheses: '(',
  brackets: '[[[[',
  images: '![',
  links: '[a](https://example.org/',
  'addresses in addresses': 'https://example.com/',
  queries: 'a=b&',
  quotes: "'",
  comments: '/*',
  'tables of a query': 'SELECT * FROM orders, ',
  folders: '../',
  'base 64': 'QUJDRGVm',
  tags: '<a href="',
  labels: 'password: ',
  terms: 'forbidden ',
  'parts of terms': 'a a ',
  objects: '{"a":',
  instructions: 'ignore previous ',
} as const;

type Asked = (text: string) => unknown;

/** A list of messages as far as these guards ask it. */
const listOf = (messages: readonly ReturnType<typeof user>[]) => {
  const db = () => messages;
  const own = { all: { db }, input: { db }, remembered: { db: () => [] }, response: { db: () => messages.slice(1) } };
  const system = [{ role: 'system', content: 'You help with orders, and keep the word of the vault to yourself at all times.' }];
  return {
    get: own,
    getAllSystemMessages: () => system,
    getSystemMessages: () => system,
    updateToolInvocation: () => true,
  };
};

const inResult = (text: string) =>
  messageOf('assistant', [
    {
      type: 'tool-invocation',
      toolInvocation: { state: 'result', toolCallId: 'c', toolName: 'search', args: { q: text }, result: { found: text } },
    },
  ]);

const call = (text: string) => ({ toolCallId: 'next', toolName: 'search', args: { q: text } });

/** What each hook is given where a text is everywhere. */
const hooks: Readonly<Record<string, (text: string) => object>> = {
  processInput: (text) => ({ messages: [user(text)] }),
  processInputStep: (text) => ({
    messages: [user(text)],
    tools: { search: { description: text, inputSchema: z.object({ q: z.string().describe(text) }) } },
  }),
  processLLMRequest: (text) => ({
    prompt: [
      { role: 'system', content: text },
      { role: 'user', content: [{ type: 'text', text }] },
    ],
  }),
  processOutputStep: (text) => ({ messages: [user('Go.'), assistant(text)], text, toolCalls: [call(text)] }),
  processOutputResult: (text) => ({ messages: [user('Go.'), assistant(text)] }),
  processToolResult: (text) => ({
    messages: [user('Go.'), inResult(text)],
    toolName: 'search',
    toolCallId: 'c',
    args: { q: text },
    result: { found: text },
  }),
};

/** Asks a guard in each of its hooks; its stream is asked as one delta and as many. */
const inEveryHook = (make: () => Processor): Asked => {
  let made: Processor | undefined;
  return async (text) => {
    const guard = (made ??= make()); // what it builds for itself is no work on a text
    for (const [hook, argsOf] of Object.entries(hooks)) {
      if (!(hook in guard)) continue;
      const args = argsOf(text) as { messages?: ReturnType<typeof user>[] };
      await callHook(guard, hook as 'processInput', {
        ...args,
        messageList: listOf(args.messages ?? [user(text)]),
        stepNumber: 0,
      });
    }
    const { window }: WindowedProcessor = guard;
    if (typeof window === 'object' && 'pattern' in window) {
      window.pattern.find(text, 0);
      window.pattern.open?.(text, 0);
    }
    if (!guard.processOutputStream) return;
    const calls = { type: 'tool-call', payload: call(text) };
    for (const deltas of [[text], text.match(/[^]{1,64}/g) ?? []])
      await streamThrough(guard, [chunk.start(), ...deltas.map((delta) => chunk.delta(delta)), chunk.end(), calls]);
  };
};

/** A judge that quotes all of what it is asked about. */
const quoting = {
  provider: 'test',
  modelId: 'judge',
  doGenerate: ({ prompt }: { prompt: readonly { content: string | readonly { text: string }[] }[] }) => {
    const [, asked = ''] = prompt.map(({ content }) =>
      typeof content === 'string' ? content : content.map(({ text }) => text).join(''),
    );
    const { nonce, judged } = JSON.parse(asked) as { nonce: string; judged: string };
    const text = JSON.stringify({ nonce, p1: { evidence: judged, verdict: 'yes' } });
    return Promise.resolve({ content: [{ type: 'text', text }], usage: { inputTokens: 1, outputTokens: 1 } });
  },
} as never;

const {
  answerLimitGuard,
  blockedTermsGuard,
  canaryGuard,
  financialAdviceGuard,
  findPii,
  jsonGuard,
  judgeGuard,
  languageGuard,
  leakGuard,
  lengthGuard,
  limitGuard,
  linkGuard,
  mentionsMoney,
  moderationGuard,
  pathRule,
  piiGuard,
  promptInjectionGuard,
  qualityGuard,
  redactor,
  scriptGuard,
  spamGuard,
  sqlRule,
  toolDescriptionGuard,
  toolPolicy,
  toolSecretsGuard,
  topicGuard,
  unicodeGuard,
  urlRule,
  valueKinds,
} = everyGuard;

const rule =
  (asked: ReturnType<typeof urlRule>, before = ''): Asked =>
  (text) =>
    asked(before + text);
const maxChars = 1_000_000;
const judged = { rule: 'Does it say anything?', places: ['input', 'answer', 'call', 'result'] } as const;
const queries = sqlRule({ tables: ['orders'] });

/** Every guard that reads texts, as it reads most. */
const guards: Readonly<Record<string, Asked>> = {
  answerLimitGuard: inEveryHook(() => answerLimitGuard({ maxChars })),
  blockedTermsGuard: inEveryHook(() => blockedTermsGuard({ terms: ['forbidden', 'a a b', 'two words'], strategy: 'redact' })),
  canaryGuard: inEveryHook(() => canaryGuard({ strategy: 'warn' })),
  financialAdviceGuard: inEveryHook(() => financialAdviceGuard()),
  findPii: (text) => findPii(text),
  jsonGuard: inEveryHook(() => jsonGuard({ schema: z.unknown() })),
  judgeGuard: inEveryHook(() => judgeGuard({ model: quoting, policies: { judged } })),
  languageGuard: inEveryHook(() => languageGuard({ languages: ['en'], detector: { detect: () => ({ language: 'en' }) } })),
  leakGuard: inEveryHook(() => leakGuard({ allow: ['example.org'] })),
  lengthGuard: inEveryHook(() => lengthGuard({ maxChars })),
  limitGuard: inEveryHook(() =>
    limitGuard({ limits: [{ unit: 'runs', limiter: { consume: () => Promise.resolve() } as never }] }),
  ),
  linkGuard: inEveryHook(() => linkGuard({ hosts: ['example.com'], strategy: 'strip' })),
  mentionsMoney: (text) => mentionsMoney({ inputData: { messages: [user(text)] } }),
  moderationGuard: inEveryHook(() =>
    moderationGuard({
      endpoint: 'http://127.0.0.1/moderations',
      fetch: () => Promise.resolve(Response.json({ results: [{ flagged: false, categories: {}, category_scores: {} }] })),
    }),
  ),
  pathRule: rule(pathRule({ maxChars }), 'data/'),
  piiGuard: inEveryHook(() => piiGuard({ strategy: 'redact' })),
  promptInjectionGuard: inEveryHook(() => promptInjectionGuard({ strategy: 'warn' })),
  qualityGuard: inEveryHook(() => qualityGuard()),
  redactor: inEveryHook(() => redactor({ strategy: 'replace', kinds: [...valueKinds], entropy: true })),
  scriptGuard: inEveryHook(() => scriptGuard({ scripts: ['Latin'], strategy: 'warn' })),
  spamGuard: inEveryHook(() => spamGuard({ strategy: 'warn' })),
  sqlRule: rule(queries, 'SELECT id FROM orders WHERE '),
  toolDescriptionGuard: inEveryHook(() => toolDescriptionGuard({ strategy: 'warn' })),
  toolPolicy: inEveryHook(() => toolPolicy({ tools: { search: { args: { q: queries }, untrusted: true, tainted: 'deny' } } })),
  toolSecretsGuard: inEveryHook(() => toolSecretsGuard()),
  topicGuard: inEveryHook(() => topicGuard({ topics: { law: ['court order', 'forbidden'] }, strategy: 'warn' })),
  unicodeGuard: inEveryHook(() => unicodeGuard({ strategy: 'clean' })),
  urlRule: rule(urlRule({ hosts: ['example.com'], maxChars }), 'https://example.com/'),
};

/** What the entry has beside guards. */
const others = new Set([
  'pipeline',
  'guard',
  'otherwise',
  'rejectToolCall',
  'requireApproval',
  'isInterlockError',
  'InterlockError',
  'financialAdviceReminder',
  'judgeModel',
  'competitorsPolicy',
  'offTopicPolicy',
]);

/**
 * Counts how often each function and block of the guards' own code runs, which is the same on every machine where nothing is optimized (inlined
 * functions are not counted). Built-in functions are not counted either; test/fuzz/regular-expressions.test.ts looks at regular expressions.
 */
const session = new Session();
const blocksOf = ({ functions }: Profiler.ScriptCoverage): number =>
  functions.flatMap(({ ranges }) => ranges).reduce((sum, { count }) => sum + count, 0);
const isOurs = ({ url }: Profiler.ScriptCoverage): boolean => /\/(workflows|src)\/(?!test)/.test(url);
/** The work since the last count; each count begins the next. */
const workOf = async (ask: Asked, text: string): Promise<number> => {
  await ask(text);
  const { result } = await session.post('Profiler.takePreciseCoverage');
  return result.filter(isOurs).reduce((sum, script) => sum + blocksOf(script), 0);
};

const optimizers = ['opt', 'maglev', 'sparkplug'];
beforeAll(async () => {
  for (const name of optimizers) setFlagsFromString(`--no-${name}`);
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
});
afterAll(async () => {
  await session.post('Profiler.stopPreciseCoverage');
  session.disconnect();
  for (const name of optimizers) setFlagsFromString(`--${name}`);
});

const textOf = (unit: string, length: number): string => unit.repeat(Math.ceil(length / unit.length)).slice(0, length);

type Shape = keyof typeof shapes;
const links: readonly Shape[] = ['links', 'images', 'brackets', 'addresses in addresses', 'queries', 'percents', 'tags'];
const values: readonly Shape[] = [
  'a table of addresses',
  'digits and dashes',
  'codes',
  'percents',
  'labels',
  'base 64',
  'zero-width spaces',
];
const query: readonly Shape[] = ['quotes', 'comments', 'tables of a query', 'parentheses'];
/** What was made for a guard. Other shapes take turns, and all of them are tried in `npm run fuzz`. */
const hardest: Readonly<Partial<Record<string, readonly Shape[]>>> = {
  blockedTermsGuard: ['terms', 'parts of terms', 'look-alikes'],
  canaryGuard: ['short sentences', 'instructions', 'base 64'],
  findPii: values,
  jsonGuard: ['objects', 'brackets', 'quotes'],
  judgeGuard: ['quotes', 'objects', 'short sentences'],
  leakGuard: values,
  linkGuard: links,
  pathRule: ['folders', 'percents', 'codes'],
  piiGuard: values,
  promptInjectionGuard: ['instructions', 'look-alikes', 'tags', 'base 64', 'zero-width spaces'],
  redactor: values,
  sqlRule: query,
  toolDescriptionGuard: ['instructions', 'tags'],
  toolPolicy: query,
  toolSecretsGuard: values,
  topicGuard: ['terms', 'parts of terms'],
  unicodeGuard: ['zero-width spaces', 'soft hyphens', 'look-alikes', 'isolates', 'codes'],
  urlRule: links,
};
const shapesFor = (name: string): readonly Shape[] => {
  const all = Object.keys(shapes) as Shape[];
  const turn = Object.keys(guards).indexOf(name) % 8;
  return all.filter((shape, index) => isDeep || index % 8 === turn || shape === 'prose' || hardest[name]?.includes(shape));
};

/** A text is first read at this length, and at eight times the length where the longest value of a guard decides about the shorter one. */
const chars = 1_500;

/** How much more work it is to read a text of twice the length. */
const growth = async (ask: Asked, unit: string, length: number): Promise<number> => {
  const [once, twice] = [await workOf(ask, textOf(unit, length)), await workOf(ask, textOf(unit, 2 * length))];
  return twice / (once + 1_000);
};

describe('P12: twice the text is at most 2.5 times the work', () => {
  it('every guard of the package has a row', () => {
    const functions = Object.entries(everyGuard).flatMap(([name, value]) => (typeof value === 'function' ? [name] : []));
    expect(functions.filter((name) => !others.has(name)).toSorted()).toEqual(Object.keys(guards).toSorted());
  });

  it.each(Object.entries(guards))('%s', async (name, ask) => {
    await workOf(ask, textOf('Hello. ', chars)); // what is made once
    const tooMuch: string[] = [];
    for (const shape of shapesFor(name)) {
      const unit = shapes[shape];
      if ((await growth(ask, unit, chars)) <= 2.5) continue;
      const times = await growth(ask, unit, 8 * chars);
      if (times > 2.5) tooMuch.push(`${shape}: ${times.toFixed(2)} times`);
    }
    expect(tooMuch).toEqual([]);
  });

  it('the work of a guard that reads everything again for each sign grows more', async () => {
    const again: Asked = (text) => Array.from(text.slice(0, text.length / 10), (_sign, at) => findPii(`${at} ${text}`)).length;
    expect(await growth(again, shapes['a table of addresses'], 1_000)).toBeGreaterThan(3.5);
  });
});
