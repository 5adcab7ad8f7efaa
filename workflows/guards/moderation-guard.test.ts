import { describe, expect, it } from 'vitest';
import { moderationGuard, type ModerationGuardOptions } from './moderation-guard.js';
import { hosts, runOn } from './test-setup.js';

/** An endpoint that flags texts with a word, and records its requests. */
const endpointOf = (reply?: (input: string) => Response) => {
  const inputs: string[] = [];
  const send = (async (_url: unknown, init: { body: string; headers: Record<string, string> }) => {
    const { input } = JSON.parse(init.body) as { input: string };
    inputs.push(input);
    if (reply) return reply(input);
    const isBad = input.includes('hateful');
    return Response.json({
      results: [{ categories: { hate: isBad, violence: false }, category_scores: { hate: isBad ? 0.6 : 0.01, violence: 0.3 } }],
    });
  }) as unknown as typeof fetch;
  const guard = (options: Partial<ModerationGuardOptions> = {}) =>
    moderationGuard({ endpoint: 'https://moderation.test/v1', fetch: send, ...options });
  return { inputs, guard };
};

describe.each(hosts)('moderationGuard in %s', (host) => {
  it('stops inputs and answers that the endpoint flags', async () => {
    const { inputs, guard } = endpointOf();
    const input = await runOn(host, { steps: [{ text: 'Hi.' }], prompt: 'something hateful', guards: [guard()] });
    expect(input.stopped).toContain('The input was rejected by moderation.');
    expect(input.prompts).toEqual([]);
    const answer = await runOn(host, { steps: [{ text: ['So hate', 'ful.'] }], guards: [guard()] });
    expect(answer.stopped).toContain('The answer was rejected by moderation.');
    expect(inputs).toEqual(['something hateful', 'Hello', 'So hateful.']);
  });

  it('passes other answers', async () => {
    const { guard } = endpointOf();
    expect(await runOn(host, { steps: [{ text: 'All is well.' }], guards: [guard()] })).toMatchObject({ text: 'All is well.' });
  });
});

describe('moderationGuard', () => {
  it.each<[string, (input: string) => Response]>([
    ['an error', () => new Response('no', { status: 500 })],
    ['an HTML page', () => new Response('<html>')],
    ['another response format', () => Response.json({ ok: true })],
    ['no result', () => Response.json({ results: [] })],
    ['null', () => Response.json(null)],
    ['a list of categories', () => Response.json({ results: [{ categories: [true], category_scores: {} }] })],
    ['flags that are not booleans', () => Response.json({ results: [{ categories: { hate: 'no' }, category_scores: {} }] })],
    ['no scores', () => Response.json({ results: [{ categories: { hate: false } }] })],
    [
      'scores that are not numbers',
      () => Response.json({ results: [{ categories: { hate: false }, category_scores: { hate: 'low' } }] }),
    ],
  ])('treats %s as an outage', async (_what, reply) => {
    const { guard } = endpointOf(reply);
    await expect(runOn('InterlockAgent', { steps: [{ text: 'Hi.' }], guards: [guard()] })).rejects.toMatchObject({
      code: 'guard/unavailable',
    });
  });

  it('treats an unreachable endpoint as an outage', async () => {
    const { guard } = endpointOf(() => {
      throw new TypeError('fetch failed');
    });
    await expect(runOn('InterlockAgent', { steps: [{ text: 'Hi.' }], guards: [guard()] })).rejects.toMatchObject({
      code: 'guard/unavailable',
    });
  });

  it('stops by the configured thresholds and categories', async () => {
    const stopped = async (options: Partial<ModerationGuardOptions>) =>
      (await runOn('InterlockAgent', { steps: [{ text: 'Hi.' }], prompt: 'hateful', guards: [endpointOf().guard(options)] }))
        .stopped !== undefined;
    expect(await stopped({ thresholds: { hate: 0.9 } })).toBe(false);
    expect(await stopped({ thresholds: { hate: 0.5 } })).toBe(true);
    expect(await stopped({ categories: ['violence'] })).toBe(false);
    expect(await stopped({ thresholds: { violence: 0.2 }, categories: ['violence'] })).toBe(true);
  });

  it('sends one request per window', async () => {
    const { inputs, guard } = endpointOf();
    await runOn('InterlockAgent', { steps: [{ text: 'One. Two. Three.'.match(/./g) ?? [] }], guards: [guard()] });
    expect(inputs).toEqual(['Hello', 'One. Two. Three.']);
  });
});
