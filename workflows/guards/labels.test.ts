import { describe, expect, it } from 'vitest';
import { redactor } from '../redactor/redactor.js';
import { callHook, itEvery, streamThrough } from '../test-setup.js';
import { delta, sendAll } from '../../src/stream/gate/test-setup.js';
import { hosts, runOn } from './test-setup.js';
import { toolSecretsGuard } from './tool-secrets-guard.js';

/** Secrets that only their key, or the name next to them, makes recognizable; `hidden` is the value. */
const secrets: readonly [fields: Record<string, unknown>, hidden: string][] = [
  [{ password: 'Hunter2!x9' }, 'Hunter2!x9'],
  [{ userPassword: 'Hunter2!x9' }, 'Hunter2!x9'],
  [{ a: [{ b: { DB_PASSWORD: 'Hunter2!x9' } }] }, 'Hunter2!x9'],
  [{ passwords: { password: ['x', 'Hunter2!x9'] } }, 'Hunter2!x9'],
  [{ password: { value: 'Hunter2!x9' } }, 'Hunter2!x9'],
  [{ apiKey: 'a1b2c3d4e5f6a7b8c9' }, 'a1b2c3d4e5f6a7b8c9'],
  [{ client_secret: 'q8Rk2mVx91Lp0aZz' }, 'q8Rk2mVx91Lp0aZz'],
  [{ AWS_SECRET_ACCESS_KEY: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLE0KEY' }, 'wJalrXUtnFEMI'],
  [{ headers: { Authorization: 'Basic YWRhOnMzY3JldA==' } }, 'YWRhOnMzY3JldA'],
  [{ headers: { authorization: 'a1b2c3d4e5f6a7b8c9' } }, 'a1b2c3d4e5f6a7b8c9'],
  [{ headers: { 'x-api-key': 'a1b2c3d4e5f6a7b8c9' } }, 'a1b2c3d4e5f6a7b8c9'],
  [{ headers: [['X-Api-Key', 'a1b2c3d4e5f6a7b8c9']] }, 'a1b2c3d4e5f6a7b8c9'],
  [{ env: [{ name: 'DB_PASSWORD', value: 'Hunter2!x9' }] }, 'Hunter2!x9'],
  [{ env: [{ key: 'DB_PASSWORD', val: 'Hunter2!x9' }] }, 'Hunter2!x9'],
];
const numbers: typeof secrets = [
  [{ ssn: '536904399' }, '536904399'],
  [{ customer: { socialSecurityNumber: '536 90 4399' } }, '4399'],
  [{ fields: [{ label: 'SSN', value: 536_904_399 }] }, '536904399'],
];
/** Values that must stay, whatever the guard. */
const harmless = [
  { password: '' },
  { password: 'required' },
  { passwordField: 'input2' },
  { total: 536_904_399, id: '536904399', name: 'Hunter2!x9' },
  { title: 'password', text: 'Choose one.' },
  { tokens: 128_000, max_tokens: '128000' },
];

const block = toolSecretsGuard();
const callOf = (args: unknown) => ({ type: 'tool-call', payload: { toolCallId: 'c', toolName: 'keep', args } });

describe('keys are labels', () => {
  itEvery(secrets)('toolSecretsGuard blocks %j', async (fields) => {
    expect((await callHook(block, 'processOutputStream', { part: callOf(fields) })).tripped).toBeDefined();
  });

  itEvery([...secrets, ...numbers])('redactor replaces the value in the result %j', async (fields, hidden) => {
    const toolCall = { toolCallId: 'c', toolName: 'keep', args: {} };
    const updates: unknown[] = [];
    const messageList = { updateToolInvocation: (part: unknown) => updates.push(part) };
    const guard = redactor({ strategy: 'replace' });
    await callHook(guard, 'processToolResult', { ...toolCall, result: fields, messageList });
    expect(updates).toHaveLength(1);
    expect(JSON.stringify(updates)).not.toContain(hidden);
  });

  itEvery([...secrets, ...numbers])('redactor replaces the value in the data part and the call of %j', async (fields, hidden) => {
    const parts = [{ type: 'data-login', data: fields }, callOf(fields)];
    for (const guard of [redactor({ strategy: 'mask' }), redactor({ strategy: 'replace' })]) {
      const { emitted } = await streamThrough(guard, parts);
      const gated = await sendAll([guard], [delta('Hi.'), ...parts] as never);
      for (const left of [JSON.stringify(emitted), JSON.stringify(gated.emitted)]) {
        expect(left).not.toContain(hidden);
        expect(left).toContain('data-login');
      }
    }
  });

  itEvery(numbers)('redactor stops %j', async (fields) => {
    for (const guard of [redactor({ strategy: 'block', places: ['answer'] }), redactor({ strategy: 'block' })])
      for (const part of [{ type: 'data-x', data: fields }, callOf(fields)])
        expect((await streamThrough(guard, [part])).tripped).toBeDefined();
  });

  itEvery(harmless)('%j stays', async (fields) => {
    expect((await callHook(block, 'processOutputStream', { part: callOf(fields) })).tripped).toBeUndefined();
    const { emitted } = await streamThrough(redactor({ strategy: 'replace' }), [callOf(fields)]);
    expect(emitted).toEqual([callOf(fields)]);
  });
});

describe.each(hosts)('keys are labels in %s', (host) => {
  it('a call with a secret does not run, and a result is redacted', async () => {
    const login = [{ toolCalls: [{ name: 'keep', args: { password: 'Hunter2!x9' } }] }, { text: 'ok' }];
    const blocked = await runOn(host, { tools: { keep: {} }, steps: login, guards: [toolSecretsGuard()] });
    expect(blocked.stopped).toContain('secret in its arguments');
    const redacted = await runOn(host, {
      tools: { keep: { password: 'Hunter2!x9', ssn: 536_904_399 } },
      steps: [{ toolCalls: [{ name: 'keep', args: {} }] }, { text: 'ok' }],
      guards: [redactor({ strategy: 'replace' })],
    });
    expect(redacted.prompts[1]).toContain('[SECRET]');
    expect(redacted.prompts[1]).not.toMatch(/Hunter2|536904399/);
  });
});
