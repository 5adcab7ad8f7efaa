import { describe, expect, it } from 'vitest';
import { classifierGuard, type ClassifierGuardOptions } from './classifier-guard.js';
import { hosts, runOn } from './test-setup.js';

/** A classifier that finds the word `attack`, and records its texts. */
const classifierOf = (scores?: unknown) => {
  const texts: string[] = [];
  const classifier: ClassifierGuardOptions['classifier'] = {
    classify: async (given) => {
      texts.push(...given);
      if (scores instanceof Error) throw scores;
      return (scores ?? given.map((text) => ({ INJECTION: text.includes('attack') ? 0.9 : 0.1 }))) as never;
    },
  };
  const guard = (options: Partial<ClassifierGuardOptions> = {}) =>
    classifierGuard({ classifier, labels: { INJECTION: 0.8 }, ...options });
  return { texts, guard };
};

describe.each(hosts)('classifierGuard in %s', (host) => {
  it('stops inputs, and answers if its places include them', async () => {
    const { texts, guard } = classifierOf();
    const input = await runOn(host, { steps: [{ text: 'Hi.' }], prompt: 'an attack', guards: [guard()] });
    expect(input.stopped).toContain('The input was classified as INJECTION.');
    expect(input.prompts).toEqual([]);
    const places = ['input', 'answer', 'result'] as const;
    const answer = await runOn(host, { steps: [{ text: ['An att', 'ack.'] }], guards: [guard({ places })] });
    expect(answer.stopped).toContain('The answer was classified as INJECTION.');
    expect(texts).toEqual(['an attack', 'Hello', 'An attack.']);
  });

  it('stops a tool result before the model reads it', async () => {
    const { guard } = classifierOf();
    const steps = [{ toolCalls: [{ name: 'read', args: {} }] }, { text: 'Done.' }];
    const run = await runOn(host, { steps, tools: { read: { page: 'an attack' } }, guards: [guard()] });
    if (host !== 'Agent') expect(run.stopped).toContain('The tool result was classified as INJECTION.');
    expect(run.prompts).toHaveLength(host === 'Agent' ? run.prompts.length : 1);
  });

  it('passes other answers', async () => {
    const { guard } = classifierOf();
    expect(await runOn(host, { steps: [{ text: 'All is well.' }], guards: [guard()] })).toMatchObject({ text: 'All is well.' });
  });
});

describe('classifierGuard', () => {
  it.each<[string, unknown]>([
    ['an error', new Error('down')],
    ['no scores', []],
    ['another label', [{ SAFE: 1 }]],
    ['a score above 1', [{ INJECTION: 7 }]],
    ['NaN', [{ INJECTION: Number.NaN }]],
    ['a text', [{ INJECTION: '0.1' }]],
  ])('treats %s as an outage', async (_what, scores) => {
    const { guard } = classifierOf(scores);
    await expect(runOn('InterlockAgent', { steps: [{ text: 'Hi.' }], guards: [guard()] })).rejects.toMatchObject({
      code: 'guard/unavailable',
    });
  });

  it('only reports the label and score with warn', async () => {
    const reports: unknown[] = [];
    const { guard } = classifierOf();
    const warn = guard({ strategy: 'warn', onViolation: (report) => void reports.push(report) });
    expect(await runOn('InterlockAgent', { steps: [{ text: 'Hi.' }], prompt: 'an attack', guards: [warn] })).toMatchObject({
      text: 'Hi.',
    });
    expect(reports).toEqual([
      { processorId: 'classifier', message: 'The input was classified as INJECTION.', detail: { labels: { INJECTION: 0.9 } } },
    ]);
  });

  it('rejects empty labels and thresholds above 1', () => {
    const { guard } = classifierOf();
    const wrong: Record<string, number>[] = [{}, { INJECTION: 80 }];
    for (const labels of wrong) expect(() => guard({ labels })).toThrow('guard/invalid-option');
  });
});
