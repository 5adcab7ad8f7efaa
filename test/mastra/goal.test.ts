import { Mastra } from '@mastra/core/mastra';
import { InMemoryStore } from '@mastra/core/storage';
import { Memory } from '@mastra/memory';
import { describe, expect, it } from 'vitest';

import { collectTraces, formatTrace, replay } from '../../src/replay.js';
import type { InterlockAgentConfig } from '../../src/index.js';
import { scriptedModel, tripping } from '../../src/testing/index.js';
import { makeAgent, modes, type Mode } from './support.js';

type Goal = NonNullable<InterlockAgentConfig['goal']>;
type Script = Parameters<typeof makeAgent>[0];

const memory = { thread: 'thread', resource: 'person' };
const objective = 'Name the price.';

/** A judge with these decisions, in order. */
const judging = (...decisions: ('done' | 'continue' | 'waiting')[]) =>
  scriptedModel({
    steps: ({ index }) => ({ text: JSON.stringify({ decision: decisions[index] ?? 'done', reason: `Reason ${index + 1}.` }) }),
  });

const withGoal = async (script: Script, goal: Goal, config: Partial<InterlockAgentConfig> = {}) => {
  const storage = new InMemoryStore();
  const made = makeAgent(script, { memory: new Memory({ storage }), goal, ...config });
  const mastra = new Mastra({ agents: { agent: made.agent }, storage, logger: false });
  expect(mastra.getAgent('agent')).toBe(made.agent);
  await made.agent.setObjective(objective, { threadId: 'thread', resourceId: 'person' });
  return made;
};

const answer = async (agent: Awaited<ReturnType<typeof withGoal>>['agent'], mode: Mode) => {
  const options = { memory, maxSteps: 5 };
  if (mode === 'generate') return { chunks: [], result: await agent.generate('Hi', options) };
  const stream = await agent.stream('Hi', options);
  const chunks: { type: string; payload?: object }[] = [];
  for await (const chunk of stream.fullStream) chunks.push(chunk);
  return { chunks, result: await stream.getFullOutput() };
};

describe.each(modes)('a goal in %s', (mode) => {
  it('continues until its judge passes the answer; the model sees the objective and the reason', async () => {
    const judge = judging('continue', 'done');
    const { agent, model } = await withGoal([{ text: 'It is a lamp.' }, { text: ' It costs 5.' }], { judge });
    const { chunks, result } = await answer(agent, mode);
    expect([result.status, result.text, model.calls.length, judge.calls.length]).toEqual([
      'success',
      'It is a lamp. It costs 5.',
      2,
      2,
    ]);
    expect(JSON.stringify(model.calls[0])).toContain(`<current-objective>\\n${objective}`);
    expect(JSON.stringify(model.calls[1])).toContain('Reason 1.');
    expect(JSON.stringify(judge.calls[1])).toContain('It costs 5.');
    expect(await agent.getObjective({ threadId: 'thread' })).toMatchObject({ status: 'done', runsUsed: 2 });
    const goals = chunks.filter(({ type }) => type === 'goal').map(({ payload }) => payload);
    if (mode === 'stream')
      expect(goals).toMatchObject([
        { iteration: 1, status: 'active', passed: false, objective },
        { iteration: 2, status: 'done', passed: true },
      ]);
  });

  it('is not judged again in a replay, which reuses the objective and the decisions', async () => {
    const judge = judging('continue', 'done');
    const { agent } = await withGoal([{ text: 'It is a lamp.' }, { text: ' It costs 5.' }], { judge });
    const recording = collectTraces();
    if (mode === 'generate') await agent.generate('Hi', { memory, maxSteps: 5, record: recording.record });
    else await (await agent.stream('Hi', { memory, maxSteps: 5, record: recording.record })).consumeStream();
    const replayed = await replay(recording.trace, agent);
    expect([replayed.endedAt, replayed.text, judge.calls.length]).toEqual([undefined, 'It is a lamp. It costs 5.', 2]);
    expect(formatTrace(replayed.trace)).toBe(formatTrace(recording.trace));
  });

  it('pauses if its budget is exhausted or its judge fails, and stays active if its judge returns waiting', async () => {
    const cases: [Goal, object][] = [
      [
        { judge: judging('continue', 'continue'), maxRuns: 2 },
        { status: 'paused', runsUsed: 2 },
      ],
      [{ judge: scriptedModel({ steps: () => ({ error: new Error('no judge') }) }) }, { status: 'paused', runsUsed: 1 }],
      [{ judge: judging('waiting') }, { status: 'active', runsUsed: 1 }],
    ];
    for (const [goal, record] of cases) {
      const { agent } = await withGoal([{ text: 'A.' }, { text: 'B.' }, { text: 'C.' }], goal);
      const { result } = await answer(agent, mode);
      expect(result.status).toBe('success');
      expect(await agent.getObjective({ threadId: 'thread' })).toMatchObject(record);
    }
  });

  it('is not judged after an earlier call exhausted its budget', async () => {
    const judge = judging('waiting', 'continue');
    const { agent, model } = await withGoal([{ text: 'A.' }, { text: 'B.' }], { judge, maxRuns: 1 });
    await answer(agent, mode); // the judge waits for the user, and has used the only run
    await answer(agent, mode);
    expect([judge.calls.length, model.calls.length]).toEqual([1, 2]);
    expect(await agent.getObjective({ threadId: 'thread' })).toMatchObject({ status: 'paused', runsUsed: 1 });
  });

  it('is not judged on a rejected answer or without a judge', async () => {
    const judge = judging('done');
    const rejected = await withGoal(
      [{ text: 'A.' }],
      { judge },
      { outputProcessors: [tripping('processOutputStep', 'Not good.')] },
    );
    expect((await answer(rejected.agent, mode)).result.status).toBe('tripwire');
    expect(judge.calls).toHaveLength(0);
    const without = await withGoal([{ text: 'A.' }], {});
    await answer(without.agent, mode);
    for (const { agent } of [rejected, without])
      expect(await agent.getObjective({ threadId: 'thread' })).toMatchObject({ status: 'active', runsUsed: 0 });
  });
});
