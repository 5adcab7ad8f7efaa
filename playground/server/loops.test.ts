import { Mastra } from '@mastra/core/mastra';
import { tool, ToolLoopAgent } from 'ai';
import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { parseTrace, replay } from '../../src/replay.js';
import { guardedToolLoop } from '../../src/ai-sdk/index.js';
import { scriptedModel, type ScriptedStep } from '../../src/testing/index.js';
import { blockedTermsGuard, redactor } from '../../workflows/guards/index.js';
import { foldRun } from '../fold/fold-run.js';
import type { Catalog } from '../protocol/catalog.js';
import type { AnswerCall, RunPage, StartedRun } from '../protocol/runs.js';
import { folder, openStudio } from './test-setup.js';

interface Setup {
  readonly steps: readonly ScriptedStep<'v4'>[];
  readonly needsApproval?: boolean;
  readonly studio?: object;
}

/** A studio over the loop of an application that uses the AI SDK. */
const open = async ({ steps, needsApproval = false, studio: options }: Setup) => {
  const model = scriptedModel({ specificationVersion: 'v4', steps });
  const execute = vi.fn(async ({ key }: { key: string }) => `found ${key} for ada@example.com`);
  const find = tool({ description: 'Finds.', inputSchema: z.object({ key: z.string() }), needsApproval, execute });
  const look = tool({ description: 'Needs no approval.', inputSchema: z.object({}), execute: async () => 'seen' });
  const guards = [blockedTermsGuard({ terms: ['attack'] }), redactor({ strategy: 'replace' })];
  const agent = guardedToolLoop({ id: 'desk', instructions: 'Help.', model, tools: { find, look }, guards });
  const mastra = new Mastra({ agents: { desk: agent as never }, logger: false });
  const studio = await openStudio(mastra.getAgent('desk'), options);
  const say = (text: string, threadId?: string) => studio.run(text, threadId, 'desk');
  const answer = async (runId: string, call: AnswerCall) =>
    (await (await studio.post(`runs/${runId}/answer`, call)).json()) as StartedRun;
  const runs = async () => (await studio.json<RunPage>('runs')).runs;
  const ended = async (runId: string) => {
    await expect.poll(async () => (await studio.summary(runId)).status).not.toBe('running');
    return foldRun(await studio.entriesOf(runId));
  };
  return { studio, model, execute, say, answer, runs, ended };
};

const looksUp: ScriptedStep<'v4'> = { text: 'I look it up. ', toolCalls: [{ name: 'find', args: { key: 'it' } }] };
const looksUpTwice: ScriptedStep<'v4'> = {
  toolCalls: [...['one', 'two'].map((key) => ({ name: 'find', args: { key } })), { name: 'look', args: {} }],
};

describe('a chat with a guardedToolLoop', () => {
  it('is a run of the AI SDK for each turn, with its states, verdicts and tools', async () => {
    const { say, runs, model } = await open({ steps: [looksUp, { text: 'Ask bob@example.com.' }, { text: 'Again.' }] });
    const { entries, runId, threadId } = await say('Who knows?');
    const { lanes, status, visits } = foldRun(entries);
    expect(status).toBe('success');
    expect(visits.map(({ state }) => state)).toContain('step.tools');
    expect(lanes.flatMap(({ tools }) => tools)).toMatchObject([
      { toolName: 'find', outcome: 'result', result: 'found it for [EMAIL]' },
    ]);
    expect(lanes.flatMap(({ marks }) => marks.map((mark) => 'verdict' in mark && mark.verdict))).toContain('edit');
    expect(await runs()).toMatchObject([
      { runId, threadId, agentId: 'desk', status: 'success', answered: expect.stringContaining('Ask [EMAIL].') as string },
    ]);
    await say('And again?', threadId);
    expect(await runs()).toHaveLength(2);
    expect(JSON.stringify(model.calls.at(-1))).toMatch(/Who knows\?.*found it for \[EMAIL\].*Ask \[EMAIL\]\..*And again\?/);
  });

  it.each([{}, { observe: false }])('shows a blocked question, which the next turn does not repeat: %o', async (studio) => {
    const { say, model, runs } = await open({ steps: [{ text: 'Hello.' }], studio });
    const blocked = await say('An attack!');
    expect(blocked.summary).toMatchObject({ status: 'tripwire', tripwire: { processorId: 'blocked-terms' } });
    await say('Hi.', blocked.threadId);
    expect(JSON.stringify(model.calls)).not.toContain('attack');
    expect(await runs()).toHaveLength(2);
  });

  it('continues a stored conversation after the studio has started again', async () => {
    const file = `${folder()}/runs.db`;
    const first = await open({ steps: [{ text: 'One.' }], studio: { file } });
    const { threadId } = await first.say('First?');
    await first.studio.close();
    const second = await open({ steps: [{ text: 'Two.' }], studio: { file } });
    await second.say('Second?', threadId);
    expect(JSON.stringify(second.model.calls)).toMatch(/First\?.*One\..*Second\?/);
  });

  it('waits for a person; an answered call runs in the run that continues', async () => {
    const { say, answer, execute, ended, runs } = await open({ steps: [looksUpTwice, { text: 'Done.' }], needsApproval: true });
    const { runId, summary, entries, threadId } = await say('Find both.');
    expect(summary.status).toBe('suspended');
    const [one, two] = foldRun(entries).waiting.map(({ toolCallId }) => toolCallId) as [string, string];
    expect(await answer(runId, { toolCallId: one, approved: true })).toEqual({ runId, threadId });
    expect(execute).not.toHaveBeenCalled();
    const next = await answer(runId, { toolCallId: two, approved: false, reason: 'Not this one.' });
    expect(next).toMatchObject({ threadId, runId: expect.not.stringMatching(runId) as string });
    const { lanes, status } = await ended(next.runId);
    expect(status).toBe('success');
    expect(lanes.flatMap(({ tools }) => tools)).toMatchObject([
      { toolCallId: one, outcome: 'result', result: 'found one for [EMAIL]' },
    ]);
    expect(execute).toHaveBeenCalledTimes(1);
    const before = await ended(runId);
    expect(before).toMatchObject({ status: 'success', waiting: [] });
    expect(before.lanes.flatMap(({ tools }) => tools.map(({ outcome }) => outcome))).toEqual(['requested', 'denied', 'result']);
    expect((await runs()).map(({ userText }) => userText)).toEqual(['Find both.', 'Find both.']);
  });

  it('does not wait again for an answered call when the answer to it is empty', async () => {
    const { say, answer, ended } = await open({ steps: [looksUp, { text: '' }], needsApproval: true });
    const { runId, entries } = await say('Find it.');
    const [call] = foldRun(entries).waiting;
    const next = await answer(runId, { toolCallId: call?.toolCallId ?? '', approved: true });
    expect((await ended(next.runId)).status).toBe('success');
  });

  it('drops a waiting call when the conversation goes on', async () => {
    const { say, model } = await open({ steps: [looksUp, { text: 'Fine.' }], needsApproval: true });
    const { threadId } = await say('Find it.');
    const { summary } = await say('Never mind.', threadId);
    expect(summary.status).toBe('success');
    expect(JSON.stringify(model.calls.at(-1))).not.toContain('Find it.');
  });

  it('cannot be replayed: the AI SDK has the loop', async () => {
    const { studio, say } = await open({ steps: [{ text: 'Hello.' }] });
    const { runId } = await say('Hi');
    const trace = parseTrace(await (await studio.get(`runs/${runId}/trace?words=all`)).text());
    await expect(replay(trace, {})).rejects.toMatchObject({ code: 'trace/invalid', path: 'header.models' });
    const { status } = await studio.post(`runs/${runId}/replay`, { pipelines: {} });
    expect(status).toBe(404);
  });

  it('is canceled with its run', async () => {
    const { studio, ended } = await open({ steps: [{ hang: true }] });
    const { runId } = await studio.start('Hi', undefined, 'desk');
    await studio.post(`runs/${runId}/cancel`);
    expect((await ended(runId)).status).toBe('canceled');
  });
});

it('lists the guards of a loop as a pipeline, and its tools', async () => {
  const { studio } = await open({ steps: [], needsApproval: true });
  const { agents, pipelines } = await studio.json<Catalog>('catalog');
  expect(agents).toMatchObject([
    {
      id: 'desk',
      kind: 'ai-sdk',
      pipelines: { input: 'desk-guards', output: 'desk-guards', error: 'desk-guards' },
      tools: [
        { name: 'find', approval: 'depends' },
        { name: 'look', approval: 'never' },
      ],
    },
  ]);
  expect(pipelines).toMatchObject([{ id: 'desk-guards', usedBy: ['desk'], findings: [] }]);
});

it('runs a ToolLoopAgent without guards in Mastra’s loop', async () => {
  const model = scriptedModel({ specificationVersion: 'v4', steps: [{ text: 'Hello.' }] });
  const mastra = new Mastra({ agents: { plain: new ToolLoopAgent({ id: 'plain', model }) as never }, logger: false });
  const studio = await openStudio(mastra.getAgent('plain'));
  const { summary } = await studio.run('Hi', undefined, 'plain');
  expect(summary).toMatchObject({ status: 'success', answered: 'Hello.' });
});
