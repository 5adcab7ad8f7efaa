import { MockMemory } from '@mastra/core/memory';
import { MASTRA_RESOURCE_ID_KEY, MASTRA_THREAD_ID_KEY, RequestContext } from '@mastra/core/request-context';
import { tool } from 'ai';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { createSuspendedRuns } from '../../src/mastra/agent/suspended-runs.js';
import { isInterlockError, requireApproval, type InterlockAgentConfig, type InterlockCallOptions } from '../../src/index.js';
import { suspendingTool, begin, charging, no, resume, yes } from './approval-support.js';
import { callThen, makeAgent, modes, settled } from './support.js';

const codeOf = async (act: () => unknown): Promise<unknown> => {
  try {
    await act();
    return undefined;
  } catch (error) {
    return isInterlockError(error) ? error.code : error;
  }
};

const toFilter = ({ thread, resource }: { thread: string; resource: string }) => ({ threadId: thread, resourceId: resource });

/** A model that requests one charge, and an agent whose tool needs approval. */
const onCharge = (log: unknown[], config: Partial<InterlockAgentConfig> = {}) =>
  makeAgent(callThen('charge', { amount: 5 }), { tools: { charge: charging(log) }, ...config });

const twoCharges = [{ toolCalls: [1, 2].map((amount) => ({ name: 'charge', args: { amount } })) }, { text: 'Done.' }];

describe.each(modes)('approval in %s', (mode) => {
  it('suspends a call until approval; the approved call runs with the arguments in the approval request', async () => {
    const log: unknown[] = [];
    const { agent, model } = onCharge(log);
    const { result, ofType } = await begin(agent, mode);
    expect([result.status, result.finishReason, log]).toEqual(['suspended', 'suspended', []]);
    expect(ofType('tool-call-approval')).toMatchObject([{ payload: { toolName: 'charge', args: { amount: 5 } } }]);
    expect(result.suspendPayload).toMatchObject({ toolCallId: 'call-0-0', toolName: 'charge', args: { amount: 5 } });
    expect(JSON.parse(result.resumeSchema as string)).toMatchObject({ required: ['approved'] });
    const resumed = await resume(agent, mode, yes, { runId: result.runId });
    expect([resumed.result.status, resumed.result.text, log]).toEqual(['success', 'Done.', [5]]);
    expect(resumed.result.runId).toBe(result.runId);
    expect(resumed.result.toolResults[0]?.payload.result).toEqual({ charged: 5 });
    expect(model.calls).toHaveLength(2);
    expect(model.calls[1]?.prompt.at(-1)).toMatchObject({ content: [{ output: { value: { charged: 5 } } }] });
  });

  it('approveToolCall and declineToolCall do the same', async () => {
    const log: unknown[] = [];
    const { agent } = makeAgent([...callThen('charge', { amount: 1 }), ...callThen('charge', { amount: 2 }, 'Well.')], {
      tools: { charge: charging(log) },
    });
    const first = await begin(agent, mode);
    const approve = { runId: first.result.runId, toolCallId: 'call-0-0' };
    const approved = await (mode === 'generate'
      ? agent.approveToolCallGenerate(approve)
      : (await agent.approveToolCall(approve)).getFullOutput());
    expect([approved.text, log]).toEqual(['Done.', [1]]);
    const second = await begin(agent, mode);
    const decline = { runId: second.result.runId, reason: 'Too much.' };
    const declined = await (mode === 'generate'
      ? agent.declineToolCallGenerate(decline)
      : (await agent.declineToolCall(decline)).getFullOutput());
    expect([declined.text, log]).toEqual(['Well.', [1]]);
  });

  it.each([
    ['with a reason', { ...no, reason: 'Too much.' }, 'Too much.'],
    ['with a reason in a context', { ...no, declineContext: { reason: 'Not now.' } }, 'Not now.'],
    ['without', no, 'Tool call was not approved by the user'],
  ])('a declined call does not run, and the model receives the reason, %s', async (_name, answer, reason) => {
    const log: unknown[] = [];
    const { agent, model } = onCharge(log);
    const { result } = await begin(agent, mode);
    const resumed = await resume(agent, mode, answer, { runId: result.runId });
    expect([resumed.result.status, resumed.result.text, log]).toEqual(['success', 'Done.', []]);
    expect(resumed.ofType('tool-output-denied')).toMatchObject([
      { payload: { toolCallId: 'call-0-0', approval: { approved: false, reason } } },
    ]);
    expect(JSON.stringify(model.calls[1]?.prompt.at(-1))).toContain(reason);
    expect(resumed.result.runEvents.filter(({ type }) => type === 'tool-finish')).toMatchObject([{ outcome: 'denied' }]);
    expect(resumed.result.runEvents.filter(({ type }) => type === 'tool-start')).toEqual([]);
  });

  const sdkTool = (log: unknown[], needsApproval: unknown) =>
    tool({
      inputSchema: z.object({ amount: z.number() }),
      needsApproval: needsApproval as boolean,
      execute: async ({ amount }) => void log.push(amount),
    });
  type MakeTools = (log: unknown[]) => { tools: object; options?: InterlockCallOptions };
  const large = ({ amount }: { amount: number }) => amount > 3;
  const approvals: [string, MakeTools, number[]][] = [
    ['a tool always', (log) => ({ tools: { charge: charging(log) } }), []],
    ['a tool for some calls', (log) => ({ tools: { charge: charging(log, { requireApproval: large }) } }), [1]],
    ['a tool of the AI SDK', (log) => ({ tools: { charge: sdkTool(log, true) } }), []],
    ['a tool of the AI SDK for some calls', (log) => ({ tools: { charge: sdkTool(log, large) } }), [1]],
    ['the call', (log) => ({ tools: { charge: charging(log, {}) }, options: { requireToolApproval: true } }), []],
    [
      'the call for some calls',
      (log) => ({
        tools: { charge: charging(log, {}) },
        options: {
          requireToolApproval: ({ toolName, args, requestContext }) =>
            toolName === 'charge' && large(args as { amount: number }) && requestContext?.['tenant'] === 'acme',
          requestContext: new RequestContext<unknown>([['tenant', 'acme']]),
        },
      }),
      [1],
    ],
    [
      'a supervisor, for the agents that it calls',
      (log) => ({
        tools: { charge: charging(log, {}) },
        options: { requestContext: new RequestContext<unknown>([['__mastra_requireToolApproval', true]]) },
      }),
      [],
    ],
    [
      'a failing policy',
      (log) => ({
        tools: { charge: charging(log, {}) },
        options: {
          requireToolApproval: () => {
            throw new Error('no policy');
          },
        },
      }),
      [],
    ],
  ];

  it.each(approvals)('%s can require approval', async (_name, make, free) => {
    for (const amount of [1, 5]) {
      const log: unknown[] = [];
      const { tools, options } = make(log);
      const { agent } = makeAgent(callThen('charge', { amount }), { tools: tools as never });
      const { result } = await begin(agent, mode, options);
      const runsFreely = free.includes(amount);
      expect([result.status, log]).toEqual(runsFreely ? ['success', [amount]] : ['suspended', []]);
      if (runsFreely) continue;
      expect((await resume(agent, mode, yes, { runId: result.runId })).result.status).toBe('success');
      expect(log).toEqual([amount]);
    }
  });

  it('a stream guard or a step guard can require approval', async () => {
    const log: unknown[] = [];
    const guard = {
      id: 'careful',
      processOutputStream: async ({ part }: { part: never }) =>
        (part as { type: string }).type === 'tool-call' ? (requireApproval(part) as never) : part,
    };
    const { agent } = makeAgent(callThen('charge', { amount: 5 }), {
      tools: { charge: charging(log, {}) },
      outputProcessors: [guard as never],
    });
    const { result } = await begin(agent, mode);
    expect([result.status, log]).toEqual(['suspended', []]);
    expect((await resume(agent, mode, yes, { runId: result.runId })).result.text).toBe('Done.');
    const put = makeAgent(callThen('charge', { amount: 5 }));
    const prepareStep = ({ tools }: { tools?: object }): never => ({ tools: { ...tools, charge: charging(log) } }) as never;
    expect((await begin(put.agent, mode, { prepareStep })).result.status).toBe('suspended');
    expect(log).toEqual([5]);
  });

  it('a call that cannot run needs no approval', async () => {
    for (const call of [
      { name: 'unknown', args: {} },
      { name: 'charge', args: '{"amount": ' },
    ]) {
      const { agent } = makeAgent([{ toolCalls: [call] }, { text: 'Done.' }], { tools: { charge: charging([]) } });
      expect((await begin(agent, mode, { requireToolApproval: true })).result.text).toBe('Done.');
    }
    const { agent } = makeAgent(callThen('show'));
    const clientTools = { show: tool({ inputSchema: z.object({}) }) };
    expect((await begin(agent, mode, { requireToolApproval: true, clientTools })).result.status).toBe('success');
  });

  it('runs no tool of a step before each call has a decision, each by its own id', async () => {
    const log: unknown[] = [];
    const { agent, model } = makeAgent(twoCharges, { tools: { charge: charging(log) } });
    const { result } = await begin(agent, mode);
    const { runId } = result;
    expect(await codeOf(() => resume(agent, mode, yes, { runId }))).toBe('agent/invalid-option');
    expect(await codeOf(() => resume(agent, mode, yes, { runId, toolCallId: 'other' }))).toBe('agent/no-suspended-run');
    const second = await resume(agent, mode, yes, { runId, toolCallId: 'call-0-1' });
    expect([second.result.status, log]).toEqual(['suspended', []]);
    expect(second.ofType('tool-call-approval')).toMatchObject([{ payload: { toolCallId: 'call-0-0' } }]);
    const third = await resume(agent, mode, no, { runId });
    expect([third.result.status, third.result.text, log]).toEqual(['success', 'Done.', [2]]);
    expect(model.calls).toHaveLength(2);
  });

  it('runs with the arguments of the approval request, despite later changes', async () => {
    const log: unknown[] = [];
    const { agent } = onCharge(log);
    const { result, ofType } = await begin(agent, mode);
    for (const copy of [ofType('tool-call-approval')[0]?.payload, result.toolCalls[0]?.payload, result.suspendPayload])
      Reflect.set((copy as { args: object }).args, 'amount', 500); // of a frozen object it changes nothing
    await resume(agent, mode, yes, { runId: result.runId });
    expect(log).toEqual([5]);
  });

  it('an invalid response is rejected, and the run stays suspended', async () => {
    const log: unknown[] = [];
    const { agent } = onCharge(log);
    const { runId } = (await begin(agent, mode)).result;
    for (const answer of [undefined, true, {}, { approved: 'yes' }, { approved: 1 }, []])
      expect(await codeOf(() => resume(agent, mode, answer, { runId }))).toBe('agent/invalid-option');
    expect(log).toEqual([]);
    expect((await resume(agent, mode, yes, { runId })).result.status).toBe('success');
  });

  it('a run resumes only once', async () => {
    const log: unknown[] = [];
    const { agent } = onCharge(log);
    const { runId } = (await begin(agent, mode)).result;
    const both = [1, 2].map(() => codeOf(() => resume(agent, mode, yes, { runId })));
    expect(await Promise.all(both)).toEqual([undefined, 'agent/no-suspended-run']);
    expect(log).toEqual([5]);
    expect(await codeOf(() => resume(agent, mode, yes, { runId }))).toBe('agent/no-suspended-run');
    await expect(resume(agent, mode, yes, { runId: 'other' })).rejects.toMatchObject({
      code: 'agent/no-suspended-run',
      id: 'AGENT_RESUME_NO_SNAPSHOT_FOUND', // Mastra's route for chats passes over earlier answers by it
    });
    expect(await codeOf(() => resume(agent, mode, yes, {} as never))).toBe('agent/invalid-option');
  });

  it.each(['maxSteps', 'model', 'inputProcessors', 'outputProcessors', 'requireToolApproval', 'maxProcessorRetries'] as const)(
    'a resumed run keeps its original options: %s is rejected',
    async (name) => {
      const log: unknown[] = [];
      const { agent } = onCharge(log);
      const { runId } = (await begin(agent, mode)).result;
      const value = { maxSteps: 9, model: 'a/b', requireToolApproval: false, maxProcessorRetries: 3 }[name as string] ?? [];
      const options = { runId, [name]: value };
      expect(await codeOf(() => resume(agent, mode, yes, options))).toBe('agent/unsupported-option');
      expect(await codeOf(() => resume(agent, mode, yes, { runId, holds: 'none' } as never))).toBe('agent/unknown-option');
      expect(log).toEqual([]);
    },
  );

  it('a resumed run continues the events and does not change its first result', async () => {
    const { agent } = onCharge([]);
    const first = await begin(agent, mode);
    const before = JSON.stringify(first.result);
    const { result, chunks } = await resume(agent, mode, yes, { runId: first.result.runId });
    expect(JSON.stringify(first.result)).toBe(before);
    expect(result.runEvents.map(({ seq }) => seq)).toEqual(result.runEvents.map((_event, index) => index));
    expect(result.runEvents.slice(0, first.result.runEvents.length)).toEqual(first.result.runEvents);
    expect(result.runEvents.filter(({ type }) => type === 'run-resume')).toMatchObject([
      { toolCallId: 'call-0-0', answer: 'approved' },
    ]);
    expect(result.steps.map(({ stepNumber, reason }) => [stepNumber, reason])).toEqual([
      [0, 'tool-calls'],
      [1, 'stop'],
    ]);
    expect(chunks.map(({ type }) => type).filter((type) => type === 'start' || type === 'finish')).toEqual(['finish']);
    expect(result.usage.totalTokens).toBeGreaterThan(first.result.usage.totalTokens ?? 0);
  });

  it('each call has its own callbacks; a suspended run does not call onFinish', async () => {
    const { agent } = onCharge([]);
    const calls: string[] = [];
    const logAs = (name: string) => () => void calls.push(name);
    const { result } = await begin(agent, mode, { onFinish: logAs('finish 1'), onStepFinish: logAs('step 1') });
    await settled();
    expect(calls).toEqual([]);
    await resume(agent, mode, yes, { runId: result.runId, onFinish: logAs('finish 2'), onStepFinish: logAs('step 2') });
    await settled();
    expect(calls).toEqual(['step 2', 'step 2', 'finish 2']);
  });

  it('the abort signal of the first call does not affect the second; each call has its own', async () => {
    const log: unknown[] = [];
    const { agent } = makeAgent([...callThen('charge', { amount: 1 }), ...callThen('charge', { amount: 2 })], {
      tools: { charge: charging(log) },
    });
    const controller = new AbortController();
    const first = await begin(agent, mode, { abortSignal: controller.signal });
    controller.abort();
    expect((await resume(agent, mode, yes, { runId: first.result.runId })).result.status).toBe('success');
    const second = await begin(agent, mode);
    const canceled = await resume(agent, mode, yes, { runId: second.result.runId, abortSignal: AbortSignal.abort() });
    expect([canceled.result.status, log]).toEqual(['canceled', [1]]);
    expect(await codeOf(() => resume(agent, mode, yes, { runId: second.result.runId }))).toBe('agent/no-suspended-run');
  });

  it('a run cannot be resumed from another conversation', async () => {
    const memory = { thread: 'mine', resource: 'ann' };
    const log: unknown[] = [];
    const { agent } = onCharge(log, { memory: new MockMemory() as never });
    const { runId } = (await begin(agent, mode, { memory })).result;
    expect((await agent.listSuspendedRuns(toFilter(memory))).total).toBe(1);
    const others = [
      { memory: { thread: 'other', resource: 'ann' } },
      { memory: { thread: 'mine', resource: 'bob' } },
      { requestContext: new RequestContext<unknown>([[MASTRA_RESOURCE_ID_KEY, 'bob']]) },
      { requestContext: new RequestContext<unknown>([[MASTRA_THREAD_ID_KEY, 'other']]), memory },
    ];
    for (const other of others)
      expect(await codeOf(() => resume(agent, mode, yes, { runId, ...other }))).toBe('agent/invalid-option');
    expect(log).toEqual([]);
    expect((await resume(agent, mode, yes, { runId, memory })).result.status).toBe('success');
  });

  it('suspended runs are listed and can be resumed by copies of the agent', async () => {
    const log: unknown[] = [];
    const { agent } = onCharge(log);
    expect((await agent.listSuspendedRuns()).total).toBe(0);
    const { runId } = (await begin(agent, mode)).result;
    expect(await agent.listSuspendedRuns()).toMatchObject({
      total: 1,
      runs: [{ runId, status: 'suspended', toolCalls: [{ toolName: 'charge', args: { amount: 5 }, requiresApproval: true }] }],
    });
    expect((await agent.listSuspendedRuns({ resourceId: 'other' })).total).toBe(0);
    const misspelt = agent.listSuspendedRuns({ resource: 'ann' } as object);
    await expect(misspelt).rejects.toMatchObject({ code: 'agent/unknown-option', path: 'resource' });
    const fork = agent['__fork']() as unknown as typeof agent;
    expect((await resume(fork, mode, yes, { runId })).result.status).toBe('success');
    expect((await agent.listSuspendedRuns()).total).toBe(0);
  });
});

describe.each(modes)('tools that suspend the run, in %s', (mode) => {
  it('resume with their data, and nothing else in the step runs twice', async () => {
    const log: unknown[] = [];
    const calls = [
      { name: 'ask', args: { about: 'sun' } },
      { name: 'charge', args: { amount: 7 } },
    ];
    const { agent, model } = makeAgent([{ toolCalls: calls }, { text: 'Done.' }], {
      tools: { ask: suspendingTool(log), charge: charging(log, {}) },
    });
    const { result, ofType } = await begin(agent, mode);
    expect([result.status, log]).toEqual(['suspended', ['sun', 7]]);
    expect(ofType('tool-call-suspended')).toMatchObject([
      { payload: { toolCallId: 'call-0-0', suspendPayload: { question: 'Which city, for sun?' } } },
    ]);
    expect(JSON.parse(result.resumeSchema as string)).toMatchObject({ properties: { city: { type: 'string' } } });
    expect(await agent.listSuspendedRuns()).toMatchObject({
      runs: [{ toolCalls: [{ requiresApproval: false, suspendPayload: { question: 'Which city, for sun?' } }] }],
    });
    const resumed = await resume(agent, mode, { city: 'Oslo' }, { runId: result.runId });
    expect([resumed.result.text, log]).toEqual(['Done.', ['sun', 7, { city: 'Oslo' }]]);
    expect(JSON.stringify(model.calls[1]?.prompt.at(-1))).toContain('Oslo: sun');
    expect(model.calls).toHaveLength(2);
    expect(resumed.ofType('tool-result')).toHaveLength(1);
  });

  it('each waits for its own response', async () => {
    const log: unknown[] = [];
    const toolCalls = ['sun', 'rain'].map((about) => ({ name: 'ask', args: { about } }));
    const { agent } = makeAgent([{ toolCalls }, { text: 'Done.' }], { tools: { ask: suspendingTool(log) } });
    const { runId } = (await begin(agent, mode)).result;
    const second = await resume(agent, mode, { city: 'Bergen' }, { runId, toolCallId: 'call-0-1' });
    expect(second.result.status).toBe('suspended');
    expect(second.ofType('tool-call-suspended')).toMatchObject([{ payload: { toolCallId: 'call-0-0' } }]);
    expect((await resume(agent, mode, { city: 'Oslo' }, { runId })).result.text).toBe('Done.');
    expect(log).toEqual(['sun', 'rain', { city: 'Bergen' }, { city: 'Oslo' }]);
  });

  it('a tool can need approval and then suspend for data', async () => {
    const log: unknown[] = [];
    const both = Object.assign(suspendingTool(log), { requireApproval: true });
    const { agent } = makeAgent(callThen('ask', { about: 'sun' }), { tools: { ask: both } });
    const { runId } = (await begin(agent, mode)).result;
    expect(log).toEqual([]);
    const second = await resume(agent, mode, yes, { runId });
    expect([second.result.status, second.ofType('tool-call-suspended').length, log]).toEqual(['suspended', 1, ['sun']]);
    expect((await resume(agent, mode, { city: 'Oslo' }, { runId })).result.text).toBe('Done.');
    expect(log).toEqual(['sun', { city: 'Oslo' }]);
  });
});

/** The part of a suspended run that the registry reads. */
const suspendedRun = () => ({
  state: { status: 'suspended', attempt: { calls: new Map([['call', { waiting: {} }]]) } },
  options: { runId: 'one', ports: { wallClock: () => 0 } },
});

it('the id of a run is taken from its last chunk on, before the run is stored as suspended', () => {
  const [run, runs] = [suspendedRun(), createSuspendedRuns()];
  runs.follow(run as never, new Promise(() => undefined));
  expect(() => runs.checkNew('one')).toThrow('a run with this id is suspended');
  run.state.status = 'running';
  for (const id of ['one', 'two', undefined]) expect(() => runs.checkNew(id)).not.toThrow();
});

it.each(modes)('an approval runs the call that was shown, although a run is started with the id of its own: %s', async (mode) => {
  const log: unknown[] = [];
  const other = { toolCalls: [{ id: 'call-0-0', name: 'charge', args: { amount: 900 } }] };
  const [shown, done] = callThen('charge', { amount: 5 });
  const { agent } = makeAgent([shown, other, done] as never, { tools: { charge: charging(log) } });
  const { result } = await begin(agent, mode);
  const { runId } = result;
  expect(await codeOf(() => agent[mode]('Charge 900.', { runId }))).toBe('agent/invalid-option');
  await resume(agent, mode, yes, { runId });
  expect(log).toEqual([5]);
});

it.each(modes)('of two runs with one id that start at the same time, an approval runs no call: %s', async (mode) => {
  const log: unknown[] = [];
  const charge = (amount: number) => ({ toolCalls: [{ id: 'call-0-0', name: 'charge', args: { amount } }] });
  const { agent } = makeAgent([charge(5), charge(900)], { tools: { charge: charging(log) } });
  const starts = await Promise.all([begin(agent, mode, { runId: 'one' }), begin(agent, mode, { runId: 'one' })]);
  expect(starts.map(({ result }) => result.status)).toEqual(['suspended', 'suspended']);
  expect(await codeOf(() => resume(agent, mode, yes, { runId: 'one' }))).toBe('agent/invalid-option');
  expect(log).toEqual([]);
});

it('an answer waits for all runs with its id that are about to be suspended', async () => {
  const runs = createSuspendedRuns();
  const first = Promise.withResolvers<void>();
  for (const ended of [first.promise, Promise.resolve()]) runs.follow(suspendedRun() as never, ended);
  const found = codeOf(() => runs.find('one'));
  await settled();
  first.resolve();
  expect(await found).toBe('agent/invalid-option');
});

describe('streams of suspended runs', () => {
  it('a reader can approve a pending call during the stream', async () => {
    const log: unknown[] = [];
    const { agent } = onCharge(log);
    const stream = await agent.stream('Go');
    for await (const chunk of stream.fullStream)
      if (chunk.type === 'tool-call-approval') {
        const resumed = await agent.approveToolCall({ runId: stream.runId });
        expect(await resumed.text).toBe('Done.');
        break;
      }
    expect(log).toEqual([5]);
    expect(await stream.finishReason).toBe('suspended');
  });

  it('onRunEvent can approve a call, too', async () => {
    const { agent } = onCharge([]);
    const texts: Promise<string>[] = [];
    await agent.generate('Go', {
      onRunEvent: ({ type, runId }) => {
        if (type === 'run-finish') texts.push(agent.approveToolCallGenerate({ runId }).then(({ text }) => text));
      },
    });
    expect(await Promise.all(texts)).toEqual(['Done.']);
  });
});
