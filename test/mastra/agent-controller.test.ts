import { tmpdir } from 'node:os';
import { setImmediate } from 'node:timers/promises';
import { Agent as StockAgent, type AgentConfig } from '@mastra/core/agent';
import { AgentController, type AgentControllerRequestContext } from '@mastra/core/agent-controller';
import type { OutputProcessor } from '@mastra/core/processors';
import { RequestContext } from '@mastra/core/request-context';
import { InMemoryStore } from '@mastra/core/storage';
import { createTool } from '@mastra/core/tools';
import { LocalFilesystem, Workspace } from '@mastra/core/workspace';
import { Memory } from '@mastra/memory';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { Agent } from '../../src/index.js';
import { redactor } from '../../workflows/guards/index.js';
import { fieldsIn } from '../../src/phase/plain-data.js';
import { scriptedModel, type ScriptedStep as AnyStep } from '../../src/testing/index.js';

type ScriptedStep = AnyStep<'v2'>;

interface ControllerEvent {
  readonly type: string;
  readonly toolCallId?: string;
  readonly toolName?: string;
}

/** `approve` or `decline` for an approval, else the data that a tool waits for. */
type Answer = Readonly<Record<string, unknown>> | string;

interface Case {
  readonly steps: readonly ScriptedStep[];
  /** The person's answers to requests for approval and to suspended tools, in order. */
  readonly answers?: readonly Answer[];
  readonly guards?: readonly OutputProcessor[];
  readonly hold?: 'none' | 'run';
  readonly instructions?: AgentConfig['instructions'];
  /** Whether tools run without approval. */
  readonly yolo?: true;
}

const inputSchema = z.object({ who: z.string() });

/** The session's events, without those that repeat its whole state, and what remains of the conversation. */
const sessionOf = async (
  AgentClass: new (config: AgentConfig & { durable?: false }) => StockAgent,
  { steps, answers = [], guards = [], yolo, ...options }: Case,
) => {
  const ran: string[] = [];
  const model = scriptedModel({ steps: ({ index }) => steps[index] ?? { text: 'More?' } });
  const look = createTool({
    id: 'look',
    description: 'Finds a person.',
    inputSchema,
    execute: async ({ who }, { writer, agent }) => {
      ran.push(who);
      await writer?.custom({
        type: 'data-mastracode-tool-progress',
        data: { toolCallId: agent?.toolCallId, progress: 'halfway' },
      });
      return { mail: `${who}@example.com` };
    },
  });
  const agent = new AgentClass({
    id: 'a',
    name: 'A',
    instructions: 'Help.',
    model,
    tools: { look },
    outputProcessors: [...guards],
    ...options,
  });
  const toolOf = (id: string) =>
    createTool({ id, description: id, inputSchema: z.object({}), execute: async () => ({ by: id }) });
  const controller = new AgentController({
    id: 'c',
    agent,
    storage: new InMemoryStore(),
    initialState: { yolo },
    memory: new Memory(),
    workspace: new Workspace({ id: 'w', filesystem: new LocalFilesystem({ basePath: tmpdir(), readOnly: true }) }),
    modes: [
      {
        id: 'plan',
        name: 'Plan',
        instructions: 'Plan first.',
        tools: { outline: toolOf('outline') },
        availableTools: ['look', 'outline', 'submit_plan', 'ask_user', 'subagent'],
        transitionsTo: 'build',
        metadata: { default: true },
      },
      { id: 'build', name: 'Build', tools: { construct: toolOf('construct') } },
    ],
    subagents: [
      { id: 'helper', name: 'Helper', description: 'Helps.', instructions: 'Help.', tools: { look }, defaultModelId: 'own/x/y' },
    ],
    gateways: [
      {
        id: 'own',
        name: 'Own',
        fetchProviders: async () => ({}),
        buildUrl: () => undefined,
        getApiKey: async () => 'none',
        resolveLanguageModel: () => model,
      },
    ],
  });
  onTestFinished(() => controller.destroy());
  await controller.init();
  const session = await controller.createSession({ resourceId: 'project' });
  const events: ControllerEvent[] = [];
  const waiting = [...answers];
  const answering: Promise<void>[] = [];
  const answer = async ({ toolCallId }: ControllerEvent): Promise<void> => {
    await setImmediate();
    const next = waiting.shift();
    if (next === 'approve' || next === 'decline') return session.respondToToolApproval({ decision: next, toolCallId });
    await session.respondToToolSuspension({ resumeData: next, toolCallId });
  };
  session.subscribe((event) => {
    events.push(event);
    if (event.type === 'tool_approval_required' || event.type === 'tool_suspended') answering.push(answer(event));
  });
  await session.sendMessage({ content: 'Who is jane?' });
  for (const one of answering) await one; // an answer may lead to another question
  const messages = await session.thread.listMessages({ threadId: session.thread.getId() ?? '' });
  return {
    ran,
    calls: model.calls.map(offered),
    mode: session.mode.get(),
    shown: events.flatMap(shownBy),
    all: JSON.stringify([events, messages]),
  };
};

/** The instructions and the tools of a model call, without the tools of the workspace and of tasks. */
const offered = ({ prompt, options: { tools = [] } }: ReturnType<typeof scriptedModel>['calls'][number]) => ({
  instructions: typeof prompt[0]?.content === 'string' ? prompt[0].content : '',
  tools: tools.map(({ name }) => name).filter((name) => !/^(task|mastra_workspace)_/.test(name)),
});

/** Mastra's agent loses the instructions of the mode with each resumption. */
const withoutMode = <S extends Pick<Awaited<ReturnType<typeof sessionOf>>, 'calls' | 'all'>>({
  all: _all,
  calls,
  ...session
}: S) => ({
  ...session,
  calls: calls.map((one) => ({ ...one, instructions: one.instructions.replace('\nPlan first.', '') })),
});

/** The part of an event that a person sees. The limits of messages differ after a resumption. */
const shownBy = ({ type, ...event }: ControllerEvent): unknown[] => {
  const {
    event: update,
    error,
    reason,
    toolName,
    result,
    isError,
    partialResult,
    args,
    textDelta,
  } = event as ControllerEvent & Shown;
  if (type === 'message_update') return update?.type === 'text-delta' ? [update.delta] : [];
  if (/^(message|usage|display)_/.test(type)) return [];
  return [{ type, error: error?.message, reason, toolName, args, result, isError, partialResult, textDelta }];
};

interface Shown {
  readonly event?: { readonly type: string; readonly delta?: string };
  readonly error?: Error;
  readonly [field: string]: unknown;
}

const call = (name: string, args: Readonly<Record<string, unknown>>, text = 'Let me see. '): ScriptedStep => ({
  text,
  toolCalls: [{ name, args }],
});

const delegating = [
  call('subagent', { agentType: 'helper', task: 'Look.' }),
  call('look', { who: 'jane' }),
  { text: ['It is jane@exam', 'ple.com.'] },
  { text: 'All done.' },
];

const subagentRuns: readonly [string, Pick<Case, 'answers' | 'yolo'>][] = [
  ['without approvals', { yolo: true }],
  ['in a resumed run', { answers: ['approve'] }],
];

const modeOf = (context: RequestContext): string =>
  context.get<string, AgentControllerRequestContext>('controller').session.modeId;

const cases: Readonly<Record<string, Case>> = {
  'an answer': { steps: [{ text: ['It is ', 'Jane.'], reasoning: 'Who?' }] },
  'a call that needs no approval': { steps: [call('look', { who: 'jane' }), { text: 'Found.' }], yolo: true },
  'an approved call': { steps: [call('look', { who: 'jane' }), { text: 'Found.' }], answers: ['approve'] },
  'a declined call': { steps: [call('look', { who: 'jane' }), { text: 'Then not.' }], answers: ['decline'] },
  'a question to the person': {
    steps: [call('ask_user', { question: 'Which Jane?' }), { text: 'That one.' }],
    answers: ['approve', 'The tall one.'],
  },
  'a fork of the agent for a part of the task': {
    steps: [
      call('subagent', { agentType: 'helper', task: 'Look.', forked: true }),
      { text: 'Part done.' },
      { text: 'All done.' },
    ],
    answers: ['approve'],
  },
  'a sub-agent for a part of the task': { steps: delegating, yolo: true },
  'an approved plan': {
    steps: [call('submit_plan', { path: 'plan.md' }), call('construct', {}), { text: 'Built.' }],
    answers: ['approve', { action: 'approved' }, 'approve'],
  },
  'an approved plan, with instructions by mode': {
    steps: [call('submit_plan', { path: 'plan.md' }), call('construct', {}), { text: 'Built.' }],
    answers: ['approve', { action: 'approved' }, 'approve'],
    instructions: ({ requestContext }) => `Mode ${modeOf(requestContext)}.`,
  },
};

const secret = 'jane@example.com';
const blocks = (hook: 'processOutputStep' | 'processOutputResult'): OutputProcessor =>
  ({ id: 'blocks', [hook]: ({ abort }: { abort: (reason: string) => never }) => abort('Not here.') }) as never; // a guard with one hook

describe('an AgentController of Mastra', () => {
  it.each(Object.entries(cases))('runs it like its own agent: %s', async (_name, one) => {
    const [ours, stock] = [await sessionOf(Agent, one), await sessionOf(StockAgent, one)];
    expect(withoutMode(ours)).toEqual(withoutMode(stock));
    expect(ours.shown.at(-1)).toMatchObject({ type: 'agent_end', reason: 'complete' });
  });

  it.each([
    ['approve', 'approve'],
    ['decline', 'approve'],
    ['approve', 'decline'],
  ])('requests the approval of each call of a step once: %s, %s', async (...answers) => {
    const steps = [{ toolCalls: ['jane', 'joe'].map((who) => ({ name: 'look', args: { who } })) }, { text: 'Found.' }];
    const { ran, shown } = await sessionOf(Agent, { steps, answers: [...answers, 'decline'] });
    expect(ran).toEqual(['jane', 'joe'].filter((_who, at) => answers[at] === 'approve'));
    expect(shown.filter((one) => fieldsIn(one)['type'] === 'tool_approval_required')).toHaveLength(2);
    expect(shown.at(-1)).toMatchObject({ type: 'agent_end', reason: 'complete' });
  });

  it('keeps the instructions of a mode until the mode changes', async () => {
    const look = call('look', { who: 'jane' });
    const steps = [look, call('submit_plan', { path: 'plan.md' }), { text: 'Done.' }];
    const { calls, mode } = await sessionOf(Agent, { steps, answers: ['approve', 'approve', { action: 'approved' }] });
    expect(mode).toBe('build');
    expect(calls.map(({ instructions }) => instructions)).toEqual(['Help.\nPlan first.', 'Help.\nPlan first.', 'Help.']);
  });

  it('shows and stores text as its guards left it', async () => {
    const guards = [redactor({ kinds: ['email'], strategy: 'mask' }) as OutputProcessor];
    const steps = [call('look', { who: 'jane' }), { text: ['It is jane@exam', 'ple.com.'] }];
    const { shown, all, ran } = await sessionOf(Agent, { steps, guards, answers: ['approve'] });
    expect(ran).toEqual(['jane']);
    expect(shown.filter((one) => typeof one === 'string').join('')).toMatch(/It is \S+\.$/);
    expect(all).not.toContain(secret);
  });

  it.each(subagentRuns)('shows content of its sub-agents as the guards of the agent left it: %s', async (_name, run) => {
    const guards = [redactor({ kinds: ['email'], strategy: 'mask' }) as OutputProcessor];
    const { shown, all, ran } = await sessionOf(Agent, { steps: delegating, guards, ...run });
    expect(ran).toEqual(['jane']);
    expect(all).not.toContain('ple.com');
    const texts = shown.flatMap((one) => (one as { textDelta?: string }).textDelta ?? []).join('');
    expect(texts).toMatch(/It is \S+\.$/);
    expect(shown).toContainEqual(expect.objectContaining({ type: 'tool_end', result: { content: texts, isError: false } }));
  });

  it.each(subagentRuns)('runs no tool of a blocked step of its sub-agents: %s', async (_name, run) => {
    const blocksLook: OutputProcessor = {
      id: 'blocks-look',
      processOutputStep: ({ messages, toolCalls, abort }) =>
        toolCalls?.some(({ toolName }) => toolName === 'look') ? abort('Not here.') : messages,
    };
    const { ran, shown } = await sessionOf(Agent, { steps: delegating, guards: [blocksLook], ...run });
    expect(ran).toEqual([]);
    const content = expect.stringContaining('it was stopped by "blocks-look": Not here.') as unknown;
    expect(shown).toContainEqual(expect.objectContaining({ type: 'tool_end', result: { content, isError: true } }));
    expect(shown.at(-1)).toMatchObject({ type: 'agent_end', reason: 'complete' });
  });

  it.each(['none', 'run'] as const)('a blocked answer of a fork is an error without its text, hold: %s', async (hold) => {
    const blocksMail: OutputProcessor = {
      id: 'blocks-mail',
      processOutputStep: ({ messages, text, abort }) => (text?.includes(secret) ? abort('Not here.') : messages),
    };
    const steps = [
      call('subagent', { agentType: 'helper', task: 'Look.', forked: true }),
      { text: `It is ${secret}.` },
      { text: 'All done.' },
    ];
    const { shown, calls } = await sessionOf(Agent, { steps, guards: [blocksMail], hold, yolo: true });
    const content = expect.stringContaining('it was stopped by "blocks-mail": Not here.') as unknown;
    const ends = shown.filter((one) => fieldsIn(one)['type'] === 'tool_end');
    expect(ends).toEqual([expect.objectContaining({ result: { content, isError: true } })]);
    expect([calls.length, JSON.stringify(ends).includes(secret)]).toEqual([3, false]);
  });

  it('runs no tool of a blocked step, and requests no approval for it', async () => {
    const steps = [call('look', { who: 'jane' })];
    const { shown, ran } = await sessionOf(Agent, { steps, guards: [blocks('processOutputStep')], answers: ['approve'] });
    expect(ran).toEqual([]);
    expect(JSON.stringify(shown)).not.toContain('tool_approval_required');
    expect(shown.at(-1)).toMatchObject({ type: 'agent_end' });
  });

  it('shows and stores nothing of a blocked answer', async () => {
    const steps = [{ text: `It is ${secret}.` }];
    const { shown, all } = await sessionOf(Agent, { steps, guards: [blocks('processOutputResult')], hold: 'run' });
    expect(all).not.toContain(secret);
    expect(shown.at(-1)).toMatchObject({ type: 'agent_end' });
  });
});

it('an application’s own "controller" in the request context stays as it is with guards', async () => {
  const guards = [{ id: 'reads', processOutputStep: () => undefined } as unknown as OutputProcessor];
  for (const own of ['ann', new AbortController(), { name: 'ann' }]) {
    const context = new RequestContext([['controller', own]]);
    const model = scriptedModel({ steps: [{ text: 'Done.' }] });
    const agent = new Agent({ id: 'a', name: 'a', instructions: 'x', model, outputProcessors: guards });
    await agent.generate('Go.', { requestContext: context });
    expect(context.get('controller')).toBe(own);
  }
});
