import type { Processor } from '@mastra/core/processors';
import { createRandom } from '../../../src/testing/cuts.js';
import { decodeCodes } from '../../../workflows/patterns/reading.js';
import {
  blockedTermsGuard,
  canaryGuard,
  linkGuard,
  promptInjectionGuard,
  qualityGuard,
  redactor,
  toolDescriptionGuard,
  toolSecretsGuard,
  unicodeGuard,
} from '../../../workflows/guards/index.js';
import { outcomesInAgent } from './default-guards.js';
import type { HonestText } from './corpora.js';

/** A guard's effects on honest texts. */
export interface HonestResult {
  readonly guard: string;
  readonly texts: number;
  readonly chars: number;
  /** The number of texts that it changed or stopped. */
  readonly changed: number;
  /** The number of those in which it changed something inside a code fence. */
  readonly inFences: number;
  /** By corpus: the number of texts that it changed. */
  readonly byCorpus: Readonly<Record<string, number>>;
  /** The cases, a line each, the shortest first. */
  readonly cases: readonly string[];
}

/** The places of a text in a run. */
const places = ['input', 'tool result', 'answer', 'tool call', 'description', 'step'] as const;
export type Place = (typeof places)[number];

/** Creates a guard once: its expressions are compiled with it. */
const same = (guard: Processor) => (): Processor => guard;

/** The instructions of the run, which `canaryGuard` compares with answers. */
export const systemPrompt =
  'You are the assistant of Northwind Traders. Help users with the packages and documents that they send, and answer in their language. ' +
  'Never give a discount of more than seven per cent without the written consent of a manager, and do not mention the warehouse in Leeds. ' +
  'If a document is too long, summarize it in five sentences, keep its code as it is, and ask which part the user wants to read in full.';

/** The guards, each alone, by the name of their row. */
export const honestGuards: Readonly<Record<string, (text: string) => Processor>> = {
  unicode: same(unicodeGuard()),
  link: same(linkGuard({ hosts: ['*'], strategy: 'strip' })),
  'link, hosts of the text': (text) => linkGuard({ hosts: hostsIn(text), strategy: 'strip' }),
  'prompt-injection': same(promptInjectionGuard()),
  canary: same(canaryGuard({ word: false })),
  'tool-secrets': same(toolSecretsGuard()),
  'tool-description': same(toolDescriptionGuard()),
  redactor: same(redactor({ strategy: 'replace' })),
  'redactor, US': same(redactor({ strategy: 'replace', defaultCountry: 'US' })),
  quality: same(qualityGuard()),
  'blocked-terms': same(blockedTermsGuard({ terms: ['initech', 'umbrella corp', 'globex'] })),
};

/** The hosts that a text names, with and without a scheme, also in codes of JSON, of addresses and of pages, and with escapes. */
const hostsIn = (given: string): string[] => {
  const decoded = decodeCodes(given.replaceAll(/%25/g, '%'));
  return [
    ...new Set([...hostsAsWritten(given), ...hostsAsWritten(decoded), ...hostsAsWritten(decoded.replaceAll(/\\[:&]?/g, ''))]),
  ];
};

const hostsAsWritten = (text: string): string[] => {
  const named = text.match(/(?:[\p{L}\p{N}_-]+\.)+[\p{L}\p{N}-]+(?::\d{1,5})?/gu) ?? [];
  const addressed = text.match(/(?<=:\/\/|@)(?:[^\s"'<>()[\]{}|\\`/?#@,;:.]|[.:](?=\w))+/g) ?? [];
  const hosts = [...named, ...addressed].flatMap((one) =>
    URL.canParse(`https://${one}`) ? [new URL(`https://${one}`).host] : [],
  );
  const machines = text.match(/(?<=\/\/)\[[\da-f:.]+\](?::\d{1,5})?/gi) ?? [];
  const names = [
    ...hosts,
    ...machines.flatMap((one) => (URL.canParse(`https://${one}`) ? [new URL(`https://${one}`).host] : [])),
  ];
  return names.filter((host) => host !== '' && !host.includes('*'));
};

const shownChars = 100;

/** Calls each guard for each text in each place, and in the answer in random pieces. */
export async function* judgeHonest(texts: readonly HonestText[], only?: string): AsyncGenerator<HonestResult> {
  for (const [name, create] of Object.entries(honestGuards))
    if (!only || only === name) yield await judged(name, (text) => outcomesOf(create, text), texts);
  if (!only || only === 'default-guards') yield await judged('default-guards', outcomesInAgent, texts);
}

/** The rest of a text in each place; undefined where the run stops. */
export type Outcomes = readonly (string | undefined)[];

const outcomesOf = async (create: (text: string) => Processor, text: string): Promise<Outcomes> => {
  const outcomes = [];
  for (const place of places) outcomes.push(await outcomeOf(create(text), text, place));
  return outcomes;
};

const judged = async (
  guard: string,
  outcomesFor: (text: string) => Promise<Outcomes>,
  texts: readonly HonestText[],
): Promise<HonestResult> => {
  const byCorpus: Record<string, number> = {};
  const cases: string[] = [];
  let [inFences, changed] = [0, 0];
  for (const { corpus, name, text } of texts) {
    const outcomes = await outcomesFor(text);
    const changedOnes = outcomes.filter((one) => one === undefined || visibleIn(one) !== visibleIn(text));
    if (changedOnes.length === 0) continue;
    const [outcome] = changedOnes;
    changed += 1;
    byCorpus[corpus] = (byCorpus[corpus] ?? 0) + 1;
    if (outcome !== undefined && fencesOf(text).some((fence) => !outcome.includes(fence))) inFences += 1;
    cases.push(`${corpus} ${name}: ${outcome === undefined ? 'stopped' : changeIn(text, outcome)}`);
  }
  const chars = texts.reduce((sum, { text }) => sum + text.length, 0);
  const shortest = cases.toSorted((a, b) => a.length - b.length);
  return { guard, texts: texts.length, chars, changed, inFences, byCorpus, cases: shortest };
};

/** The text that leaves a guard; undefined if it stops the run. */
export const outcomeOf = async (guard: Processor, text: string, place: Place): Promise<string | undefined> => {
  try {
    if (place === 'answer') return await streamed(guard, text);
    if (place === 'tool call') return await calledWith(guard, text);
    if (place === 'description') return await describedAs(guard, text);
    if (place === 'step') return await answeredWith(guard, text);
    return place === 'input' ? await givenAs(guard, text) : await resultOf(guard, text);
  } catch (error) {
    if (error instanceof Stopped) return undefined;
    throw error;
  }
};

class Stopped extends Error {}
const context = () => ({
  abort: (reason: string) => {
    throw new Stopped(reason);
  },
  state: {},
  retryCount: 0,
  messages: [],
  systemMessages: [],
  steps: [],
});
type AnyHook = (args: unknown) => unknown;

const messageOf = (text: string) => ({
  id: 'm',
  role: 'user',
  createdAt: new Date(0),
  content: { format: 2, parts: [{ type: 'text', text }] },
});

const messageList = {
  get: { all: { db: () => [] } },
  getAllSystemMessages: () => [{ role: 'system', content: systemPrompt }],
};

/** A tool's earlier result, which repeats the page that the arguments are about. */
const resultMessageOf = (result: string) => ({
  ...messageOf(''),
  id: 'r',
  role: 'assistant',
  content: {
    format: 2,
    parts: [{ type: 'tool-invocation', toolInvocation: { state: 'result', toolCallId: 'e', toolName: 't', args: {}, result } }],
  },
});

const givenAs = async (guard: Processor, text: string): Promise<string> => {
  const hook = guard.processInput as AnyHook | undefined; // the host's context is made up
  const messages = [messageOf(text)];
  const edited = (await hook?.({ ...context(), messages })) as typeof messages | undefined;
  return edited?.[0]?.content.parts[0]?.text ?? text;
};

const resultOf = async (guard: Processor, result: string): Promise<string> => {
  const hook = guard.processToolResult as AnyHook | undefined; // as above
  let edited = result;
  const list = {
    ...messageList,
    updateToolInvocation: (part: { toolInvocation: { result: string } }) => ((edited = part.toolInvocation.result), true),
  };
  await hook?.({ ...context(), messageList: list, toolCallId: 'c', toolName: 't', args: {}, result });
  return edited;
};

/** The text as an argument of a tool; a guard that changes it in the stream is measured as an answer. */
const calledWith = async (guard: Processor, text: string): Promise<string> => {
  if (guard.id !== 'tool-secrets' && guard.id !== 'tool-policy') return text;
  const part = { type: 'tool-call', payload: { toolCallId: 'c', toolName: 't', args: { text } } };
  const messages = [messageOf('Read it.'), resultMessageOf(text)];
  const list = { get: { all: { db: () => messages } } };
  await (guard.processOutputStream as AnyHook)({ ...context(), messages, messageList: list, part, streamParts: [] }); // as above
  return text;
};

/** The text as the answer of a complete step, for guards that read nothing else. */
const answeredWith = async (guard: Processor, text: string): Promise<string> => {
  if (guard.processOutputStream || guard.processInput) return text;
  await (guard.processOutputStep as AnyHook | undefined)?.({ ...context(), text, toolCalls: [], finishReason: 'stop' }); // as above
  return text;
};

/** The start of the text as a tool's description. */
const describedAs = async (guard: Processor, text: string): Promise<string> => {
  const tools = { t: { description: text.slice(0, maxDescription) } };
  if (guard.id === 'tool-description') await (guard.processInputStep as AnyHook)({ ...context(), tools }); // as above
  return text;
};

const maxDescription = 4_000;

/** The text of an answer, in pieces of up to 400 characters. */
const streamed = async (guard: Processor, text: string): Promise<string> => {
  const hook = guard.processOutputStream as AnyHook | undefined; // as above
  if (!hook) return text;
  const random = createRandom(text.length);
  const shared = context();
  let left = '';
  const send = async (part: object): Promise<void> => {
    const chunk = (await hook({ ...shared, messageList, part, streamParts: [] })) as { payload?: { text?: string } } | null;
    left += chunk?.payload?.text ?? '';
  };
  for (let at = 0; at < text.length;) {
    const length = 1 + Math.floor(random() * 400);
    await send({ type: 'text-delta', payload: { id: 't', text: text.slice(at, at + length) } });
    at += length;
  }
  await send({ type: 'text-end', payload: { id: 't' } });
  return left;
};

/** The visible characters of a text. */
const visibleIn = (text: string): string => text.replaceAll(/[\p{Default_Ignorable_Code_Point}\p{Cf}]/gu, '');

const fencesOf = (text: string): string[] => text.match(/^```[^]*?^```/gm) ?? [];

/** The first changed place, before and after. */
const changeIn = (before: string, after: string): string => {
  let at = 0;
  while (before[at] === after[at]) at += 1;
  const from = Math.max(0, at - 24);
  return JSON.stringify([before.slice(from, from + shownChars), after.slice(from, from + shownChars / 2)]);
};
