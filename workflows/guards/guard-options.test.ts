import { describe, expect, it } from 'vitest';

import { contentModeration, responseQuality } from '../pipelines.js';
import { answerLimitGuard } from './answer-limit-guard.js';
import { blockedTermsGuard } from './blocked-terms-guard.js';
import { financialAdviceGuard } from './financial-advice-guard.js';
import { jsonGuard } from './json-guard.js';
import { leakGuard } from './leak-guard.js';
import { lengthGuard } from './length-guard.js';
import { piiGuard } from './pii-guard.js';
import { promptInjectionGuard } from './prompt-injection-guard.js';
import { qualityGuard } from './quality-guard.js';
import { scriptGuard } from './script-guard.js';
import { spamGuard } from './spam-guard.js';
import { toolSecretsGuard } from './tool-secrets-guard.js';
import { topicGuard } from './topic-guard.js';
import { unicodeGuard } from './unicode-guard.js';

type Make = (options: never) => unknown;

const makers: Record<string, Make> = {
  'answer-limit': answerLimitGuard,
  'blocked-terms': blockedTermsGuard,
  'financial-advice': financialAdviceGuard,
  json: jsonGuard,
  leak: leakGuard,
  length: lengthGuard,
  pii: piiGuard,
  'prompt-injection': promptInjectionGuard,
  quality: qualityGuard,
  script: scriptGuard,
  spam: spamGuard,
  'tool-secrets': toolSecretsGuard,
  topic: topicGuard,
  unicode: unicodeGuard,
  'content-moderation': contentModeration,
  'response-quality': responseQuality,
};

const making = (guard: string, options: unknown) => () => makers[guard]?.(options as never);

describe('options of a built-in guard', () => {
  it.each(Object.keys(makers))('%s: rejects a misspelled option and options that are not an object', (guard) => {
    expect(making(guard, { treshold: 1 })).toThrow(
      expect.objectContaining({ code: 'guard/unknown-option', path: `${guard}.treshold` }),
    );
    expect(making(guard, null)).toThrow(expect.objectContaining({ code: 'guard/invalid-option', path: guard }));
    expect(making(guard, { id: 7 })).toThrow(expect.objectContaining({ code: 'guard/invalid-option', path: `${guard}.id` }));
  });

  it.each<[guard: string, options: object, path: string]>([
    ['length', { maxChars: '2000' }, 'length.maxChars'],
    ['length', { minChars: Number.NaN }, 'length.minChars'],
    ['length', { maxChars: null }, 'length.maxChars'],
    ['prompt-injection', { strategy: 'redact' }, 'prompt-injection.strategy'],
    ['prompt-injection', { threshold: 70 }, 'prompt-injection.threshold'],
    ['prompt-injection', { patterns: [/ignore/] }, 'prompt-injection.patterns.0'],
    ['pii', { kinds: ['email', 'e-mail'] }, 'pii.kinds.1'],
    ['pii', { kinds: 'email' }, 'pii.kinds'],
    ['pii', { strategy: 'mask' }, 'pii.strategy'],
    ['blocked-terms', {}, 'blocked-terms.terms'],
    ['blocked-terms', { terms: ['rival', ''] }, 'blocked-terms.terms.1'],
    ['spam', { maxShouting: 80 }, 'spam.maxShouting'],
    ['answer-limit', { maxChars: -1 }, 'answer-limit.maxChars'],
    ['tool-secrets', { kinds: ['password'] }, 'tool-secrets.kinds.0'],
    ['leak', { allow: 'support@example.com' }, 'leak.allow'],
    ['quality', { refusalPatterns: ['sorry'] }, 'quality.refusalPatterns.0'],
    ['financial-advice', { reminder: '' }, 'financial-advice.reminder'],
    ['script', { scripts: 'Latin' }, 'script.scripts'],
    ['topic', { topics: { orders: 'order' } }, 'topic.topics.orders'],
    ['topic', {}, 'topic.topics'],
    ['json', { schema: { type: 'object' } }, 'json.schema'],
    ['unicode', { tricks: ['invisible'] }, 'unicode.tricks.0'],
    ['content-moderation', { promptInjection: false }, 'content-moderation.promptInjection'],
    ['content-moderation', { pii: { strategy: 'mask' } }, 'pii.strategy'],
  ])('%s: rejects %j with the path of the option', (guard, options, path) => {
    expect(making(guard, options)).toThrow(expect.objectContaining({ code: 'guard/invalid-option', path }));
  });

  it('uses defaults for undefined options and accepts an infinite limit', () => {
    expect(() => lengthGuard({ maxChars: Number.POSITIVE_INFINITY, minChars: undefined })).not.toThrow();
  });
});
