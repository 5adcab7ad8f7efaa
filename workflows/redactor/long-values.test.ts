import { describe, expect, it } from 'vitest';
import { InterlockAgent } from '../../src/index.js';
import { scriptedModel } from '../../src/testing/index.js';
import { hosts, runOn } from '../guards/test-setup.js';
import { redactor } from './redactor.js';

const signs = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
/** So many letters and digits, always the same. */
const random = (length: number): string => {
  let seed = 12_345;
  const next = () => (seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648) >> 8;
  return Array.from({ length }, () => signs[next() % signs.length]).join('');
};
const base64 = (text: string): string => Buffer.from(text).toString('base64url');
const claims = base64(JSON.stringify({ sub: random(24_000) }));

/** Values of any length, with the text before and after them, and their kind. */
const values: Readonly<Record<string, readonly [before: string, value: string, after: string]>> = {
  'SECRET, a session token': ['aws_session_token=', random(40_000), ' end'],
  'SECRET, in quotes': ['"SessionToken": "', random(20_000), '"}'],
  'SECRET, a flag': ['run --password ', random(17_000), ' end'],
  'BEARER, a token': ['Authorization: Bearer ', random(20_000), ' end'],
  'API_KEY, a key of a provider': ['key ', `gsk_${random(2_000)}`, ' end'],
  'API_KEY, a token of Google': ['', `ya29.${random(12_000)}`, ', end'],
  'API_KEY, a signature': ['https://a.example/?sig=', random(3_000), '&x=1'],
  'JWT, long claims': ['', `${base64('{"alg":"HS256"}')}.${claims}.${random(43)}`, ' end'],
};

const pieces = (text: string, size: number): string[] => text.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? [];

describe.each(hosts)('a value has no longest length, in %s', (host) => {
  it.each(Object.entries(values))('%s', async (name, [before, value, after]) => {
    const [kind = ''] = name.split(',');
    for (const size of [Infinity, 997, 16_384]) {
      const text = size === Infinity ? [before + value + after] : pieces(before + value + after, size);
      const guard = redactor({ strategy: 'replace' });
      const run = await runOn(host, { steps: [{ text }], guards: [guard], prompt: `${before}${value}${after}` });
      expect(run.text, `${size}`).toBe(`${before}[${kind}]${after}`);
      expect(run.prompts[0]).toContain(`${before}[${kind}]${after}`.replaceAll('"', String.raw`\"`));
      const found: unknown[] = [];
      const blocking = redactor({ strategy: 'block', onViolation: ({ detail }) => void found.push(detail) });
      const blocked = await runOn(host, { steps: [{ text }], guards: [blocking] });
      expect(blocked.stopped, `${size}`).toContain('values that must not be shown');
      expect(blocked.text).not.toContain(value.slice(0, 12));
    }
  });
});

describe.each(hosts)('a value directly after the rest of another one, in %s', (host) => {
  const key = ['-----BEG', 'IN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASC\n-----END PRIVATE KEY-----'].join('');
  const escaped = key.replaceAll('-', String.raw`\u002d`);
  it.each([
    ['a long key', `gsk_${random(2_000)}`, '[API_KEY]'],
    ['an escaped key', `${escaped}12345678Z`, '[PEM]'],
  ])('is found whole after %s', async (_name, first, label) => {
    for (const size of [1, 7, 311, 5_000]) {
      const steps = [{ text: pieces(`See ${first}${key}.`, size) }];
      expect((await runOn(host, { steps, guards: [redactor({ strategy: 'replace' })] })).text, `${size}`).toBe(
        `See ${label}[PEM].`,
      );
    }
  });
});

it.each([1, 7, 311])(
  'a value directly after the rest of another one is found whole in a stream of pieces of %i',
  async (size) => {
    const pem = ['-----BEG', 'IN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASC\n-----END PRIVATE KEY-----'].join('');
    const model = scriptedModel({
      steps: [{ text: pieces(`See ${pem.replaceAll('-', String.raw`\u002d`)}12345678Z${pem}.`, size) }],
    });
    const guards = { outputProcessors: [redactor({ strategy: 'replace' })], window: 'delta' as const };
    const stream = await new InterlockAgent({ id: 'a', name: 'A', instructions: 'Help.', model, ...guards }).stream('Hi');
    expect(await stream.text).toBe('See [PEM][PEM].');
  },
);

describe('the rest of a long value', () => {
  const text = `token: ${random(20_000)} end`;
  const answerOf = async (strategy: 'mask' | 'hash', size: number) =>
    (await runOn('InterlockAgent', { steps: [{ text: pieces(text, size) }], guards: [redactor({ strategy, key: 'k' })] })).text;

  it('is masked like its beginning, and hashed with it, in any chunks', async () => {
    expect(await answerOf('mask', 30_000)).toBe(`token: ${'*'.repeat(20_000)} end`);
    const hashed = await answerOf('hash', 30_000);
    expect(hashed).toMatch(/^token: \[SECRET:[0-9a-f]{12}\] end$/);
    for (const size of [311, 5_000, 16_400]) {
      expect(await answerOf('mask', size)).toBe(`token: ${'*'.repeat(20_000)} end`);
      expect(await answerOf('hash', size)).toBe(hashed);
    }
  });

  it('is hidden from the model, and restored', async () => {
    const guard = redactor({ strategy: 'restore' });
    const steps = ({ prompt }: { prompt: unknown }) => ({
      text: `It is ${/token: (\S+) end/.exec(JSON.stringify(prompt))?.[1]}.`,
    });
    const run = await runOn('InterlockAgent', { steps, guards: [guard], prompt: text });
    expect(run.prompts[0]).toMatch(/token: (?:\[SECRET_\d\]){2} end/);
    expect(run.text).toBe(`It is ${random(20_000)}.`);
  });

  it('is one finding with its beginning', async () => {
    const found: unknown[] = [];
    const guard = redactor({ strategy: 'replace', onViolation: ({ detail }) => void found.push(detail) });
    await runOn('Agent', { steps: [{ text: pieces(text, 500) }], guards: [guard] });
    expect(found).toEqual([{ strategy: 'replace', found: { secret: 1 } }]);
  });

  it('is hidden in the field of a result', async () => {
    const steps = [{ toolCalls: [{ name: 'look', args: {} }] }, { text: 'Done.' }];
    const tools = { look: { password: random(20_000), other: 'x' } };
    const { prompts } = await runOn('InterlockAgent', { steps, tools, guards: [redactor({ strategy: 'replace' })] });
    expect(prompts[1]).toContain('{"password":"[SECRET]","other":"x"}');
  });

  it('ends where other characters follow: a word after a value is none', async () => {
    for (const other of [
      `data:image/png;base64,${random(5_000)}`,
      `ghp_${random(36)}/path`,
      `ghp_${random(36)}-x`,
      `jane@example.com_old`,
      `https://hooks.slack.com/services/T0/B0/${random(24)}, ok`,
    ]) {
      const { text: left } = await runOn('InterlockAgent', {
        steps: [{ text: other }],
        guards: [redactor({ strategy: 'replace' })],
      });
      expect(left.slice(-2)).toBe(other.slice(-2));
    }
  });
});
