import type { Processor } from '@mastra/core/processors';
import { z } from 'zod';
import { stepChars, turn } from '../../src/guard/in-steps.js';
import type { WindowedProcessor } from '../../src/guard/pattern.js';
import * as everyGuard from '../../workflows/guards/index.js';
import type { Entity, EntityRecognizer } from '../../workflows/patterns/entity-finder.js';
import { assistant, callHook, chunk, messageOf, streamThrough, user } from '../../workflows/test-setup.js';

/** Text that makes guards search often: values, beginnings of values, and openings without an end. */
export const shapes = {
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

export type Shape = keyof typeof shapes;

export const textOf = (unit: string, length: number): string => unit.repeat(Math.ceil(length / unit.length)).slice(0, length);

/** The way to pass a text to a guard. */
export interface QuestionOptions {
  /** Splits the text into many of at most this length. Default: one. */
  readonly cut?: number;
  /** Awaited between two calls. */
  readonly between?: () => Promise<unknown>;
}

/** Calls a guard with a text in all places. */
export type AskGuard = (text: string, options?: QuestionOptions) => unknown;

/** Recognizes capitalized words as names, with pauses, because a recognizer's own work is not in the process. */
const capitalWords: EntityRecognizer = {
  find: async (texts) => {
    const found: Entity[][] = [];
    for (const text of texts) {
      const entities: Entity[] = [];
      for (let from = 0; from < text.length; from += stepChars) {
        await turn();
        for (const { 0: name, index } of text.slice(from, from + stepChars).matchAll(/\p{Lu}\p{Ll}+/gu))
          entities.push({ start: from + index, end: from + index + name.length, kind: 'person' });
      }
      found.push(entities);
    }
    return found;
  },
};

/** A list of messages with the methods that these guards use. */
const listOf = (messages: readonly ReturnType<typeof user>[]) => {
  const db = () => messages;
  const own = { all: { db }, input: { db }, remembered: { db: () => [] }, response: { db: () => messages.slice(1) } };
  const system = [{ role: 'system', content: 'You help with orders, and keep the word of the vault to yourself at all times.' }];
  return {
    get: own,
    getAllSystemMessages: () => system,
    getSystemMessages: (tag?: string) => (tag === undefined ? system : []),
    updateToolInvocation: () => true,
  };
};

const inResult = (texts: readonly string[]) =>
  messageOf('assistant', [
    {
      type: 'tool-invocation',
      toolInvocation: { state: 'result', toolCallId: 'c', toolName: 'search', args: { q: texts }, result: { found: texts } },
    },
  ]);

const call = (texts: readonly string[]) => ({ toolCallId: 'next', toolName: 'search', args: { q: texts } });

/** The arguments of each hook, with texts in all places. */
const hooks: Readonly<Record<string, (texts: readonly string[]) => object>> = {
  processInput: (texts) => ({ messages: [user(...texts)] }),
  processInputStep: (texts) => ({
    messages: [user(...texts)],
    tools: { search: { description: texts[0], inputSchema: z.object({ q: z.string().describe(texts.join('')) }) } },
  }),
  processLLMRequest: (texts) => ({
    prompt: [
      ...texts.map((content) => ({ role: 'system', content })),
      { role: 'user', content: texts.map((text) => ({ type: 'text', text })) },
    ],
  }),
  processOutputStep: (texts) => ({
    messages: [user('Go.'), assistant(...texts)],
    text: texts.join(''),
    toolCalls: [call(texts)],
  }),
  processOutputResult: (texts) => ({ messages: [user('Go.'), assistant(...texts)] }),
  processToolResult: (texts) => ({
    messages: [user('Go.'), inResult(texts)],
    toolName: 'search',
    toolCallId: 'c',
    args: { q: texts },
    result: { found: texts },
  }),
};

const pieces = (text: string, length: number): string[] =>
  Array.from({ length: Math.ceil(text.length / length) }, (_, at) => text.slice(at * length, (at + 1) * length));

/** Calls each hook of a guard; the stream hook with one delta and with many. */
const inEveryHook = (make: () => Processor): AskGuard => {
  let made: Processor | undefined;
  return async (text, { cut = text.length, between } = {}) => {
    const guard = (made ??= make()); // its own setup is no work on a text
    const texts = pieces(text, cut);
    for (const [hook, argsOf] of Object.entries(hooks)) {
      if (!(hook in guard)) continue;
      const args = argsOf(texts) as { messages?: ReturnType<typeof user>[] };
      await callHook(guard, hook as 'processInput', {
        ...args,
        messageList: listOf(args.messages ?? [user(...texts)]),
        stepNumber: 0,
      });
      await between?.();
    }
    const { window }: WindowedProcessor = guard;
    if (typeof window === 'object' && 'pattern' in window && !between) {
      window.pattern.find(text, 0);
      window.pattern.open?.(text, 0);
    }
    if (!guard.processOutputStream) return;
    const calls = { type: 'tool-call', payload: call(texts) };
    for (const deltas of [[text], pieces(text, 64)])
      await streamThrough(guard, [chunk.start(), ...deltas.map((delta) => chunk.delta(delta)), chunk.end(), calls], between);
  };
};

/** A judge that quotes its whole input. */
const quoting = {
  provider: 'test',
  modelId: 'judge',
  doGenerate: ({ prompt }: { prompt: readonly { content: string | readonly { text: string }[] }[] }) => {
    const [, userMessage = ''] = prompt.map(({ content }) =>
      typeof content === 'string' ? content : content.map(({ text }) => text).join(''),
    );
    const { nonce, judged } = JSON.parse(userMessage) as { nonce: string; judged: string };
    const text = JSON.stringify({ nonce, p1: { evidence: judged, verdict: 'yes' } });
    return Promise.resolve({ content: [{ type: 'text', text }], usage: { inputTokens: 1, outputTokens: 1 } });
  },
} as never;

const {
  blockedTermsGuard,
  canaryGuard,
  classifierGuard,
  jsonGuard,
  judgeGuard,
  languageGuard,
  lengthGuard,
  limitGuard,
  linkGuard,
  moderationGuard,
  pathRule,
  promptInjectionGuard,
  qualityGuard,
  redactor,
  scriptGuard,
  sqlRule,
  toolDescriptionGuard,
  toolPolicy,
  toolSecretsGuard,
  topicGuard,
  unicodeGuard,
  urlRule,
  idCountries,
  valueKinds,
} = everyGuard;

const rule =
  (urls: ReturnType<typeof urlRule>, before = ''): AskGuard =>
  (text) =>
    urls(before + text);
const maxChars = 1_000_000;
const judged = { rule: 'Does it say anything?', places: ['input', 'answer', 'call', 'result'] } as const;
const queries = sqlRule({ tables: ['orders'] });

/** Every guard that reads texts, with options for the most reading. */
export const guards: Readonly<Record<string, AskGuard>> = {
  blockedTermsGuard: inEveryHook(() => blockedTermsGuard({ terms: ['forbidden', 'a a b', 'two words'], strategy: 'redact' })),
  canaryGuard: inEveryHook(() => canaryGuard({ strategy: 'warn' })),
  classifierGuard: inEveryHook(() =>
    classifierGuard({
      classifier: { classify: (texts) => Promise.resolve(texts.map(() => ({ INJECTION: 0 }))) },
      labels: { INJECTION: 0.5 },
      places: ['input', 'answer', 'call', 'result'],
    }),
  ),
  jsonGuard: inEveryHook(() => jsonGuard({ schema: z.unknown() })),
  judgeGuard: inEveryHook(() => judgeGuard({ model: quoting, policies: { judged } })),
  languageGuard: inEveryHook(() => languageGuard({ languages: ['en'], detector: { detect: () => ({ language: 'en' }) } })),
  lengthGuard: inEveryHook(() => lengthGuard({ maxChars })),
  limitGuard: inEveryHook(() =>
    limitGuard({ limits: [{ unit: 'runs', limiter: { consume: () => Promise.resolve() } as never }] }),
  ),
  linkGuard: inEveryHook(() => linkGuard({ hosts: ['example.com'], strategy: 'strip' })),
  moderationGuard: inEveryHook(() =>
    moderationGuard({
      endpoint: 'http://127.0.0.1/moderations',
      fetch: () => Promise.resolve(Response.json({ results: [{ flagged: false, categories: {}, category_scores: {} }] })),
    }),
  ),
  pathRule: rule(pathRule({ maxChars }), 'data/'),
  promptInjectionGuard: inEveryHook(() => promptInjectionGuard({ strategy: 'warn' })),
  qualityGuard: inEveryHook(() => qualityGuard()),
  redactor: inEveryHook(() => redactor({ strategy: 'replace', kinds: [...valueKinds], countries: idCountries, entropy: true })),
  'redactor of answers': inEveryHook(() => redactor({ strategy: 'block', places: ['answer'], allow: ['example.org'] })),
  'redactor with entities': inEveryHook(() => redactor({ strategy: 'replace', entities: capitalWords })),
  scriptGuard: inEveryHook(() => scriptGuard({ scripts: ['Latin'], strategy: 'warn' })),
  sqlRule: rule(queries, 'SELECT id FROM orders WHERE '),
  toolDescriptionGuard: inEveryHook(() => toolDescriptionGuard({ strategy: 'warn' })),
  toolPolicy: inEveryHook(() => toolPolicy({ tools: { search: { args: { q: queries }, untrusted: true, tainted: 'deny' } } })),
  toolSecretsGuard: inEveryHook(() => toolSecretsGuard()),
  topicGuard: inEveryHook(() => topicGuard({ topics: { law: ['court order', 'forbidden'] }, strategy: 'warn' })),
  unicodeGuard: inEveryHook(() => unicodeGuard({ strategy: 'clean' })),
  urlRule: rule(urlRule({ hosts: ['example.com'], maxChars }), 'https://example.com/'),
};
