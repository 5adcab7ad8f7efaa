import { describe, expect, it } from 'vitest';

import { contentModeration, responseQuality } from '../pipelines.js';
import { blockedTermsGuard } from './blocked-terms-guard.js';
import { jsonGuard } from './json-guard.js';
import { lengthGuard } from './length-guard.js';
import { promptInjectionGuard } from './prompt-injection-guard.js';
import { qualityGuard } from './quality-guard.js';
import { scriptGuard } from './script-guard.js';
import { toolSecretsGuard } from './tool-secrets-guard.js';
import { topicGuard } from './topic-guard.js';
import { unicodeGuard } from './unicode-guard.js';

type Make = (options: never) => unknown;

const makers: Record<string, Make> = {
  'blocked-terms': blockedTermsGuard,
  json: jsonGuard,
  length: lengthGuard,
  'prompt-injection': promptInjectionGuard,
  quality: qualityGuard,
  script: scriptGuard,
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
    ['blocked-terms', {}, 'blocked-terms.terms'],
    ['blocked-terms', { terms: ['rival', ''] }, 'blocked-terms.terms.1'],
    ['tool-secrets', { kinds: ['password'] }, 'tool-secrets.kinds.0'],
    ['quality', { refusalPatterns: ['sorry'] }, 'quality.refusalPatterns.0'],
    ['script', { scripts: 'Latin' }, 'script.scripts'],
    ['topic', { topics: { orders: 'order' } }, 'topic.topics.orders'],
    ['topic', {}, 'topic.topics'],
    ['json', { schema: { type: 'object' } }, 'json.schema'],
    ['unicode', { tricks: ['invisible'] }, 'unicode.tricks.0'],
    ['content-moderation', { promptInjection: false }, 'content-moderation.promptInjection'],
    ['content-moderation', { redactor: { strategy: 'redact' } }, 'pii.strategy'],
  ])('%s: rejects %j with the path of the option', (guard, options, path) => {
    expect(making(guard, options)).toThrow(expect.objectContaining({ code: 'guard/invalid-option', path }));
  });

  it('uses defaults for undefined options and accepts an infinite limit', () => {
    expect(() => lengthGuard({ maxChars: Number.POSITIVE_INFINITY, minChars: undefined })).not.toThrow();
  });
});
