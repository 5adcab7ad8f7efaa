import { describe, expect, it } from 'vitest';
import { readProvider } from './model.js';

const url = 'http://127.0.0.1:9/v1';

describe('readProvider', () => {
  it.each<[string, Record<string, string>]>([
    ['no model', { INTERLOCK_BASE_URL: url }],
    ['no model', { INTERLOCK_API_KEY: 'secret-key' }],
    ['not an http or https address: "ftp://x"', { INTERLOCK_BASE_URL: 'ftp://x', INTERLOCK_MODEL: 'x' }],
    ['not an http or https address: "http://"', { INTERLOCK_BASE_URL: 'http://', INTERLOCK_MODEL: 'x' }],
    ['must be a router id', { INTERLOCK_MODEL: 'gpt' }],
    ['must be a router id', { INTERLOCK_MODEL: 'openai/' }],
    ['has no provider "no-such"', { INTERLOCK_MODEL: 'no-such/model' }],
    ['set OPENAI_API_KEY', { INTERLOCK_MODEL: 'openai/gpt-4.1-mini' }],
    ['set NETLIFY_TOKEN and NETLIFY_SITE_ID', { INTERLOCK_MODEL: 'netlify/openai/gpt-5' }],
  ])('rejects: %s %j', (complaint, env) => {
    const { kind, message } = readProvider(env) as { kind: string; message: string };
    expect([kind, message]).toEqual(['wrong', expect.stringContaining(complaint)]);
    expect(message).not.toMatch(/\n|secret-key/);
  });

  it.each<[Record<string, string>, object]>([
    [{}, { kind: 'responder' }],
    [{ INTERLOCK_BASE_URL: '', INTERLOCK_MODEL: ' ' }, { kind: 'responder' }],
    [
      { INTERLOCK_BASE_URL: url, INTERLOCK_MODEL: 'a/b' },
      { name: `a/b at ${url}`, model: { modelId: 'a/b' } },
    ],
    [
      { INTERLOCK_MODEL: 'openai/gpt-5', OPENAI_API_KEY: 'k' },
      { name: 'openai/gpt-5', model: { id: 'openai/gpt-5' } },
    ],
    [{ INTERLOCK_MODEL: 'openai/gpt-5', INTERLOCK_API_KEY: 'k' }, { model: { id: 'openai/gpt-5', apiKey: 'k' } }],
    [{ INTERLOCK_MODEL: 'mastra/openai/gpt-5' }, { model: { id: 'mastra/openai/gpt-5' } }],
  ])('reads %j', (env, provider) => {
    expect(readProvider(env)).toMatchObject(provider);
  });
});
