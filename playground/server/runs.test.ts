import { Agent } from '@mastra/core/agent';
import type { Processor } from '@mastra/core/processors';
import { describe, expect, it } from 'vitest';
import { guard } from '../../src/index.js';
import { scriptedModel } from '../../src/testing/index.js';
import type { GuardTotals, RunPage, RunSummary, StartedRun } from '../protocol/runs.js';
import type { StudioEntry } from '../protocol/trace-entry.js';
import { live, makeAgent, openStudio } from './test-setup.js';

const isFinish = (entry: StudioEntry): boolean => entry.kind === 'event' && entry.event.type === 'run-finish';

const charging = [{ text: 'I will. ', toolCalls: [{ name: 'charge', args: { amount: 5 } }] }, { text: 'Done.' }];

describe('a run', () => {
  it('is recorded entry by entry to its end', async () => {
    const studio = await openStudio(makeAgent([{ text: ['Write to ', 'ann@exam', 'ple.com', '.'] }]).agent);
    const { runId, entries, summary } = await studio.run('Hello');
    expect(entries.map(({ seq }) => seq)).toEqual(entries.map((_, index) => index));
    expect(entries[0]).toMatchObject({ kind: 'input', messages: [{ role: 'user', text: 'Hello' }] });
    expect(new Set(entries.map(({ kind }) => kind))).toEqual(new Set(['input', 'event', 'asked', 'came', 'left']));
    expect(summary).toMatchObject({
      runId,
      agentId: 'helper',
      status: 'success',
      userText: 'Hello',
      answered: 'Write to [EMAIL].',
      steps: 1,
      retries: 0,
      guards: ['redactor'],
      entries: entries.length,
    });
    expect(summary.durationMs).toBe((entries.at(-1)?.at ?? 0) - (entries[0]?.at ?? 0));
  });

  it('contains no unreleased text', async () => {
    const { agent } = makeAgent([{ text: 'Mail ann@example.com: SECRET' }, { text: 'Better.' }], {
      maxProcessorRetries: 1,
      hold: 'step',
    });
    const studio = await openStudio(agent);
    const { entries, summary } = await studio.run('Hello');
    expect(summary).toMatchObject({ status: 'success', answered: 'Better.', retries: 1, guards: ['redactor', 'no-secrets'] });
    const json = JSON.stringify(entries);
    expect(json).not.toContain('ann@example.com');
    expect(json).not.toContain('SECRET');
    expect(entries.filter(({ kind }) => kind === 'came').length).toBeGreaterThan(0);
  });

  it('names the guard and has no answer if blocked', async () => {
    const studio = await openStudio(makeAgent([{ text: 'A SECRET' }]).agent);
    const { summary } = await studio.run('Hello');
    expect(summary).toMatchObject({
      status: 'tripwire',
      answered: '',
      tripwire: { processorId: 'no-secrets', phase: 'outputStep', path: 'goes-out/no-secrets', reason: 'It tells a secret.' },
    });
  });

  it('reports the error if failed', async () => {
    const studio = await openStudio(makeAgent([{ error: new Error('Out of order.') }]).agent);
    const { summary } = await studio.run('Hello');
    expect(summary).toMatchObject({ status: 'failed', error: { code: 'model/call-failed' } });
  });

  it('resumes its entries from a given position, also after its end', async () => {
    const studio = await openStudio(makeAgent([{ text: ['One. ', 'Two. '], hang: true }]).agent);
    const { runId } = await studio.start('Hello');
    const first = await studio.entriesUntil(runId, ({ kind }) => kind === 'came');
    expect((await studio.summary(runId)).status).toBe('running');
    expect((await studio.post(`runs/${runId}/cancel`)).status).toBe(204);
    const entries = await studio.entriesUntil(runId, isFinish);
    expect(entries.map(({ seq }) => seq)).toEqual(entries.map((_, index) => index));
    expect(entries.slice(0, first.length)).toEqual(first);
    expect(await studio.summary(runId)).toMatchObject({ status: 'canceled' });
    expect(await studio.entriesOf(runId, first.length)).toEqual(entries.slice(first.length));
    expect((await studio.post(`runs/${runId}/cancel`)).status).toBe(204);
  });
});

describe('a suspended run', () => {
  const rest = async () => {
    const studio = await openStudio(makeAgent(charging).agent);
    const { runId } = await studio.start('Charge me');
    return { studio, runId, first: await studio.entriesUntil(runId, isFinish) };
  };
  const settled = async (ask: () => Promise<RunSummary>): Promise<RunSummary> => {
    for (;;) {
      const summary = await ask();
      if (summary.status !== 'running') return summary;
    }
  };

  it('continues after an approval', async () => {
    const { studio, runId, first } = await rest();
    const waiting = first.find((entry) => entry.kind === 'left' && entry.part.type === 'tool-call-approval');
    expect(waiting).toMatchObject({ data: { toolName: 'charge', args: { amount: 5 } } });
    expect(await settled(() => studio.summary(runId))).toMatchObject({ status: 'suspended' });
    const answered = await studio.post(`runs/${runId}/answer`, { toolCallId: 'call-0-0', approved: true });
    expect((await answered.json()) as StartedRun).toMatchObject({ runId });
    const entries = await studio.entriesUntil(runId, (entry) => isFinish(entry) && entry.seq >= first.length);
    expect(entries.slice(0, first.length)).toEqual(first);
    expect(entries.map(({ seq }) => seq)).toEqual(entries.map((_, index) => index));
    expect(entries.findLast((entry) => entry.kind === 'tool')).toMatchObject({ toolName: 'charge', result: '5 taken' });
    expect(await studio.summary(runId)).toMatchObject({ status: 'success', answered: 'I will. Done.', steps: 2 });
    const again = await studio.post(`runs/${runId}/answer`, { toolCallId: 'call-0-0', approved: true });
    expect([again.status, await again.json()]).toMatchObject([409, { error: { code: 'studio/not-suspended' } }]);
  });

  it('continues without the tool after a denial', async () => {
    const { studio, runId, first } = await rest();
    await settled(() => studio.summary(runId));
    await studio.post(`runs/${runId}/answer`, { toolCallId: 'call-0-0', approved: false, reason: 'No.' });
    const entries = await studio.entriesUntil(runId, (entry) => isFinish(entry) && entry.seq >= first.length);
    expect(entries.some((entry) => entry.kind === 'tool' && entry.result === '5 taken')).toBe(false);
    expect((await studio.summary(runId)).status).toBe('success');
  });

  it('stays suspended if the response names another call, and can be canceled', async () => {
    const { studio, runId } = await rest();
    await settled(() => studio.summary(runId));
    const wrong = await studio.post(`runs/${runId}/answer`, { toolCallId: 'other', approved: true });
    expect([wrong.status, await wrong.json()]).toMatchObject([409, { error: { code: 'agent/no-suspended-run', path: 'other' } }]);
    expect((await studio.summary(runId)).status).toBe('suspended');
    await studio.post(`runs/${runId}/cancel`);
    expect((await studio.summary(runId)).status).toBe('canceled');
  });
});

describe('a conversation', () => {
  it('contains only accepted turns', async () => {
    const { agent, model } = makeAgent([{ text: 'First answer.' }, { text: 'A SECRET' }, { text: 'Third answer.' }]);
    const studio = await openStudio(agent);
    const { threadId } = await studio.run('One');
    await studio.run('Two', threadId);
    await studio.run('Three', threadId);
    const prompt = JSON.stringify(model.calls[2]?.prompt);
    for (const text of ['One', 'First answer.', 'Three']) expect(prompt).toContain(text);
    for (const text of ['Two', 'SECRET']) expect(prompt).not.toContain(text);
    const other = await studio.json<RunPage>(`runs?thread=${threadId}`);
    expect(other.runs.map(({ userText }) => userText)).toEqual(['Three', 'Two', 'One']);
  });
});

describe('the list of runs', () => {
  it('supports search and reports new runs live', async () => {
    const studio = await openStudio(makeAgent([{ text: 'Fine.' }, { text: 'SECRET' }, { text: 'Fine.' }]).agent);
    const news = live(`${studio.base}/api/live`, ({ data }) => data.includes('"tripwire"'));
    await studio.run('Write to ann@example.com');
    const { runId } = await studio.run('Bad');
    const found = async (query: string) => (await studio.json<RunPage>(`runs?${query}`)).runs.map(({ userText }) => userText);
    expect(await found('status=tripwire')).toEqual(['Bad']);
    expect(await found('guard=redactor')).toEqual(['Write to ann@example.com']);
    expect(await found('text=FINE')).toEqual(['Write to ann@example.com']);
    expect(await found('agent=nobody')).toEqual([]);
    const page = await studio.json<RunPage>('runs?limit=1');
    expect(page).toMatchObject({ runs: [{ userText: 'Bad' }], next: runId });
    expect(await found(`limit=1&before=${page.next}`)).toEqual(['Write to ann@example.com']);
    expect(JSON.parse((await news).at(-1)?.data ?? '')).toMatchObject({ runId, status: 'tripwire' });
  });
});

describe('guard statistics', () => {
  it('count verdicts, the verdicts of shadow guards separately, and bypassed calls', async () => {
    const strict: Processor = { id: 'strict', processInput: ({ abort }) => abort('No.') };
    const away: Processor = {
      id: 'away',
      processInput: () => {
        throw new Error('away');
      },
    };
    const { agent } = makeAgent([{ text: 'Fine.' }, { text: 'SECRET' }], {
      inputProcessors: [guard(strict, { shadow: true }), guard(away, { onUnavailable: 'pass' })],
    });
    const studio = await openStudio(agent);
    await studio.run('Hello');
    await studio.run('Bad');
    const { runs, guards } = await studio.json<GuardTotals>('guards');
    expect(runs).toBe(2);
    const totalOf = (id: string) => guards.find((total) => total.guard === id);
    expect(totalOf('strict')).toMatchObject({ isShadow: true, verdicts: { trip: 2, pass: 0 }, stoppedRuns: 2, bypassed: 0 });
    expect(totalOf('away')).toMatchObject({ isShadow: false, verdicts: { trip: 0, pass: 0 }, stoppedRuns: 0, bypassed: 2 });
    expect(totalOf('no-secrets')).toMatchObject({ isShadow: false, verdicts: { pass: 1, retry: 1 }, stoppedRuns: 1 });
    expect(guards[0]?.p50).toBeGreaterThanOrEqual(0);
    expect(totalOf('away')?.p50).toBeGreaterThan(0); // the time until its policy let it pass
  });
});

describe('a Mastra agent', () => {
  const stock = (steps: Parameters<typeof scriptedModel>[0]['steps'], inputProcessors: object[] = []) =>
    new Agent({
      id: 'stock',
      name: 'Stock',
      instructions: 'Help.',
      model: scriptedModel({ steps }),
      inputProcessors: inputProcessors as never,
    });

  it('is shown from its stream alone', async () => {
    const studio = await openStudio(stock([{ text: ['Hel', 'lo.'] }]));
    const { summary, entries } = await studio.run('Hi', undefined, 'stock');
    expect(summary).toMatchObject({ status: 'success', answered: 'Hello.', steps: 1 });
    expect(new Set(entries.map(({ kind }) => kind))).toEqual(new Set(['input', 'left', 'status']));
    expect((await studio.get(`runs/${summary.runId}/trace`)).status).toBe(404);
  });

  it('is shown as blocked', async () => {
    const never = { id: 'never', processInput: async ({ abort }: { abort: (reason: string) => never }) => abort('Not today.') };
    const studio = await openStudio(stock([{ text: 'Hello.' }], [never]));
    const { summary, entries } = await studio.run('Hi', undefined, 'stock');
    const tripped = { status: 'tripwire', tripwire: { reason: 'Not today.', processorId: 'never' } };
    expect(summary).toMatchObject({ answered: '', ...tripped });
    expect(entries.at(-1)).toMatchObject({ kind: 'status', ...tripped });
  });
});
