import type { Processor } from '@mastra/core/processors';
import { InterlockError } from '../../src/errors.js';
import type { WindowedProcessor } from '../../src/guard/pattern.js';
import { aFunction, aName, listOf, needed, numberFrom, oneOf, recordOf } from '../../src/option-kind.js';
import { newestUserTurn, textsOf, responseMessages } from '../messages/read-messages.js';
import {
  judgeStrategies,
  guardForm,
  traitsOf,
  type GuardOptions,
  type GuardProcessor,
  type JudgeStrategy,
  block,
  judgeWith,
  report,
  type Detection,
} from './guard-options.js';
import { heedsRulings } from './place-hooks.js';

export interface ModerationGuardOptions extends GuardOptions {
  /** The URL for requests, such as `https://api.openai.com/v1/moderations`. */
  readonly endpoint: string;
  /** Default `omni-moderation-latest`. */
  readonly model?: string;
  /** Headers of each request, such as `authorization`. Default: none. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The minimum score of a violation by category, 0 to 1. Default: the endpoint's flags. */
  readonly thresholds?: Readonly<Record<string, number>>;
  /** The categories that count. Default: all. */
  readonly categories?: readonly string[];
  /** The amount of an answer that is judged at once, and buffered until then. Default `'part'`. */
  readonly window?: 'sentence' | 'part';
  /** Default `'block'`. */
  readonly strategy?: JudgeStrategy;
  /** Sends the requests. Default: the platform's `fetch`. */
  readonly fetch?: typeof fetch;
}

/** Metadata of the tripwire and of `onViolation`. */
export interface ModerationMetadata {
  /** The found categories. */
  readonly categories: readonly string[];
}

const form = guardForm<ModerationGuardOptions>(['moderation', 'Moderation'], {
  endpoint: needed(aName),
  model: aName,
  headers: recordOf(aName),
  thresholds: recordOf(numberFrom(0, 1)),
  categories: listOf(aName),
  window: oneOf('sentence', 'part'),
  strategy: judgeStrategies,
  fetch: aFunction,
});

interface Judgement {
  readonly categories: Readonly<Record<string, boolean>>;
  readonly category_scores: Readonly<Record<string, number>>;
}

const isJudgement = (value: unknown): value is Judgement => {
  const { categories, category_scores: scores } = Object(value) as Record<string, unknown>;
  return isRecordOf('boolean', categories) && isRecordOf('number', scores);
};

const isRecordOf = (type: 'boolean' | 'number', value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  Object.values(value).every((entry) => typeof entry === type);

/**
 * A guard (id `moderation`) that asks an endpoint with OpenAI's moderation format about the user's newest turn and about
 * answers. It fails closed: an endpoint that does not answer, or answers in another format, raises `guard/unavailable`
 * and is not a pass. Limit its time with `guard(moderationGuard(…), { deadlineMs })`.
 *
 * In an `InterlockAgent` and with the AI SDK no text of an answer leaves before its window was judged; Mastra's own agent
 * judges an answer after its step.
 */
export const moderationGuard = (
  options: ModerationGuardOptions,
): GuardProcessor<'processInput' | 'processOutputStream' | 'processOutputStep'> & Pick<WindowedProcessor, 'window'> => {
  form.check(options);
  const { window = 'part', strategy = 'block' } = options;
  const guard = form.open<ModerationMetadata>(options, 'Calls a moderation endpoint.');
  const detect = async (
    texts: readonly string[],
    place: string,
    signal?: AbortSignal,
  ): Promise<Detection<ModerationMetadata> | undefined> => {
    const text = texts.join('\n');
    if (text.trim() === '') return undefined;
    const categories = await callEndpoint(options, text, signal);
    return categories.length > 0 ? { reason: `The ${place} was rejected by moderation.`, metadata: { categories } } : undefined;
  };
  const judge = judgeWith<ModerationMetadata>(guard, strategy);
  return Object.assign(guard, { traits: traitsOf[strategy], window }, {
    processInput: async (args) =>
      judge(await detect(newestUserTurn(args.messages).flatMap(textsOf), 'input', args.abortSignal), args),
    processOutputStream: async (args) => {
      const { part } = args;
      if (!heedsRulings(args) || (part.type !== 'text-delta' && part.type !== 'reasoning-delta')) return part;
      const detection = await detect([part.payload.text], 'answer', args.abortSignal);
      if (detection && strategy === 'block') return block(detection, args);
      if (detection) await report(guard, detection);
      return part;
    },
    processOutputStep: async (args) => {
      if (heedsRulings(args)) return judge(undefined, args);
      const newest = responseMessages(args.messages).slice(-1).flatMap(textsOf);
      return judge(await detect(newest.length > 0 ? newest : [args.text ?? ''], 'answer', args.abortSignal), args);
    },
  } satisfies Partial<Processor<string, ModerationMetadata>>);
};

const callEndpoint = async (
  { endpoint, model = 'omni-moderation-latest', headers, fetch: send = fetch, thresholds, categories }: ModerationGuardOptions,
  input: string,
  signal: AbortSignal | undefined,
): Promise<string[]> => {
  const body = JSON.stringify({ model, input });
  const response = await send(endpoint, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body,
    signal,
  });
  if (!response.ok) throw unavailable(`the moderation endpoint answered with status ${response.status}.`);
  const { results } = Object(await response.json().catch(() => undefined)) as { results?: unknown };
  if (!Array.isArray(results) || results.length === 0 || !results.every(isJudgement))
    throw unavailable('the moderation endpoint answered in another form.');
  const found = results.flatMap(({ categories: flags, category_scores: scores }) =>
    Object.keys({ ...flags, ...scores }).filter((name) =>
      thresholds?.[name] === undefined ? flags[name] === true : (scores[name] ?? (flags[name] ? 1 : 0)) >= thresholds[name],
    ),
  );
  return [...new Set(found)].filter((name) => categories?.includes(name) ?? true);
};

const unavailable = (detail: string): InterlockError => new InterlockError('guard/unavailable', { path: 'moderation', detail });
