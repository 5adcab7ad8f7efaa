import type { z } from 'zod';
import { answerOf } from '../messages/read-messages.js';
import { retrying, unchanged, type GuardOptions, type GuardProcessor, guardForm } from './guard-options.js';
import { instanceWith, needed, numberFrom } from '../../src/option-kind.js';
import { attempted } from '../../src/phase/awaitable.js';

export interface JsonGuardOptions extends GuardOptions {
  /** The required form of the answer, as a zod schema. */
  readonly schema: z.ZodType;
  /** The number of retries to request; after that the answer is blocked. Default 2. The agent's `maxProcessorRetries` caps it. */
  readonly maxRetries?: number;
}

/** Metadata of the tripwire; never the answer. */
export interface JsonMetadata {
  /** The faults with their paths: `items[0].price: …`; empty if the answer is not JSON. */
  readonly issues: readonly string[];
}

/** More faults than this do not help the model. */
const maxIssues = 5;

export const form = guardForm<JsonGuardOptions>(['json', 'JSON'], {
  schema: needed(instanceWith('safeParse', 'a zod schema')),
  maxRetries: numberFrom(0),
});

/**
 * A guard (id `json`) for answers that must be JSON of a certain shape, with or without a code fence around it. An answer that
 * does not match is retried, with the paths of its faults as feedback; after `maxRetries` it is blocked. A step that calls tools
 * is not the answer yet. Under `hold: 'auto'` a step is sent after it has passed.
 */
export const jsonGuard = (options: JsonGuardOptions): GuardProcessor<'processOutputStep'> => {
  form.check(options);
  const { schema, maxRetries = 2 } = options;
  return {
    ...form.open(options, 'Retries answers that are not JSON of the given schema.'),
    traits: retrying,
    processOutputStep: (args) => {
      if ((args.toolCalls?.length ?? 0) > 0) return unchanged;
      const issues = issuesOf(unfenced(answerOf(args)), schema);
      if (!issues) return unchanged;
      const problem = issues.length > 0 ? `does not fit its schema. ${issues.join('; ')}` : 'is not JSON: answer with JSON alone';
      return args.abort(`The answer ${problem}.`, {
        retry: args.retryCount < maxRetries,
        metadata: { issues } satisfies JsonMetadata,
      });
    },
  };
};

/** An answer without its code fence. */
const unfenced = (answer: string): string => {
  // A regular expression over the whole answer would backtrack over its content.
  const opening = /^```(?:json)?[^\S\n]*\n/i.exec(answer)?.[0].length ?? Infinity;
  return answer.endsWith(closing) && opening + closing.length <= answer.length ? answer.slice(opening, -closing.length) : answer;
};

const closing = '\n```';

/** The faults of an answer: undefined if there are none, an empty list if the answer is no JSON. */
const issuesOf = (answer: string, schema: z.ZodType): string[] | undefined => {
  const value = attempted((): unknown => JSON.parse(answer));
  if (value === undefined) return [];
  const { error } = schema.safeParse(value);
  return error?.issues.slice(0, maxIssues).map(({ path, message }) => `${placeOf(path) || 'The whole'}: ${message}`);
};

/** `items[0].price`. */
const placeOf = (path: readonly PropertyKey[]): string =>
  path.reduce<string>((at, key) => (typeof key === 'number' ? `${at}[${key}]` : `${at}${at && '.'}${String(key)}`), '');
