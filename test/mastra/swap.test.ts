import { createScorer, runEvals } from '@mastra/core/evals';
import { Mastra } from '@mastra/core/mastra';
import { InMemoryStore } from '@mastra/core/storage';
import { createTool } from '@mastra/core/tools';
import { LocalFilesystem, Workspace } from '@mastra/core/workspace';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { InterlockAgent, isInterlockError } from '../../src/index.js';
import { scriptedModel, startOpenAIServer } from '../../src/testing/index.js';
import { callThen, makeAgent, modes } from './support.js';

const seen: unknown[] = [];
const scorer = createScorer({ id: 'words', description: 'Counts words' })
  .preprocess(({ run }) => void seen.push(run.output))
  .generateScore(() => 1);

const refusing = { id: 'no-secret', processOutputResult: ({ abort }: { abort: (reason: string) => never }) => abort('No.') };

describe('scorers of an agent', () => {
  const scoredAgent = (config: object = {}) => {
    const agent = new InterlockAgent({
      id: 'weather',
      name: 'Weather',
      instructions: 'Answer.',
      model: scriptedModel({ steps: () => ({ text: 'It is sunny.' }) }),
      scorers: { words: { scorer, sampling: { type: 'ratio', rate: 1 } } },
      ...config,
    });
    return new Mastra({ agents: { agent }, storage: new InMemoryStore(), logger: false }).getAgent('agent');
  };

  it.each(modes)('judge the accepted answer after the run, in %s', async (mode) => {
    seen.length = 0;
    const result = await scoredAgent()[mode]('Hi');
    expect(await result.text).toBe('It is sunny.');
    await expect.poll(() => JSON.stringify(seen)).toContain('It is sunny.');
  });

  it.each(modes)('do not see a rejected answer, in %s', async (mode) => {
    seen.length = 0;
    const result = await scoredAgent({ outputProcessors: [refusing] })[mode]('Hi');
    expect(await result.text).toBe('');
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(seen).toEqual([]);
  });

  it('runEvals evaluates the agent with accepted messages only', async () => {
    const good = await runEvals({ data: [{ input: 'Hi' }], scorers: [scorer], target: scoredAgent() });
    expect(good.scores).toMatchObject({ words: 1 });
    const { agent } = makeAgent('A secret.', { outputProcessors: [refusing] });
    const result = (await agent.generate('Hi', { returnScorerData: true })) as unknown as { scoringData: { output: unknown[] } };
    expect(JSON.stringify(result.scoringData.output)).not.toContain('secret');
  });
});

describe('a workspace', () => {
  const workspaceIn = async () =>
    new Workspace({ filesystem: new LocalFilesystem({ basePath: await mkdtemp(join(tmpdir(), 'workspace-')) }) });

  it('is passed to tools, and its tools and instructions reach the model through the arrays', async () => {
    const workspace = await workspaceIn();
    let given: unknown;
    const look = createTool({
      id: 'look',
      description: 'Looks',
      inputSchema: z.object({}),
      execute: async (_input, context) => void (given = context.workspace),
    });
    const { agent, model } = makeAgent([{ toolCalls: [{ name: 'look', args: {} }] }, { text: 'Done.' }], {
      workspace,
      tools: { look },
    });
    const result = await agent.generate('Go');
    expect(result.text).toBe('Done.');
    expect(given).toBe(workspace);
    const [call] = model.calls;
    expect((call?.options.tools ?? []).map(({ name }) => name)).toContain('mastra_workspace_write_file');
    expect(JSON.stringify(call?.options.prompt)).toContain('filesystem');
    expect(
      result.runEvents.some((event) => 'processorId' in event && event.processorId === 'workspace-instructions-processor'),
    ).toBe(true);
  });

  it('its tools do not run if a guard of the step trips', async () => {
    const workspace = await workspaceIn();
    const write = { name: 'mastra_workspace_write_file', args: { path: 'a.txt', content: 'x' } };
    const guard = { id: 'no-files', processOutputStep: ({ abort }: { abort: (reason: string) => never }) => abort('No.') };
    const { agent } = makeAgent([{ toolCalls: [write] }, { text: 'Done.' }], { workspace, outputProcessors: [guard] });
    expect((await agent.generate('Go')).status).toBe('tripwire');
    expect(await workspace.filesystem?.exists('a.txt')).toBe(false);
  });

  it('can be set for a step', async () => {
    const other = await workspaceIn();
    let given: unknown;
    const look = createTool({
      id: 'look',
      description: 'Looks',
      inputSchema: z.object({}),
      execute: async (_input, context) => void (given = context.workspace),
    });
    const { agent } = makeAgent([{ toolCalls: [{ name: 'look', args: {} }] }, { text: 'Done.' }], { tools: { look } });
    await agent.generate('Go', { prepareStep: () => ({ workspace: other }) as object });
    expect(given).toBe(other);
  });
});

describe('delegation', () => {
  it('its hooks can reject calls of sub-agents, after the guards of the step', async () => {
    const child = makeAgent('From the child.', { id: 'child', name: 'child' }).agent;
    const { agent } = makeAgent([{ toolCalls: [{ name: 'agent-child', args: { prompt: 'Go' } }] }, { text: 'Done.' }], {
      agents: { child },
    });
    const started: string[] = [];
    const result = await agent.generate('Go', {
      delegation: {
        onDelegationStart: ({ primitiveId }) => {
          started.push(primitiveId);
          return { proceed: false, rejectionReason: 'Not now.' };
        },
      },
    });
    expect([result.text, started]).toEqual(['Done.', ['child']]);
    expect(JSON.stringify(result.toolResults)).toContain('Not now.');
  });
});

describe('legacy methods', () => {
  it('work for an agent without guards and are rejected for one with guards', async () => {
    const { agent } = makeAgent('Hi.');
    await expect(agent.generateLegacy('Hi')).rejects.not.toSatisfy((error) => isInterlockError(error));
    const guarded = makeAgent('Hi.', { inputProcessors: () => [] }).agent;
    await expect(guarded.generateLegacy('Hi')).rejects.toMatchObject({ code: 'agent/unsupported-method' });
  });
});

describe('structured output over HTTP', () => {
  const schema = z.object({ city: z.string().min(2), wind: z.string().optional(), at: z.number().default(3) });

  it('an OpenAI model receives a strict schema, and null becomes a missing field', async () => {
    const server = await startOpenAIServer({ reply: [{ kind: 'text', text: '{"city":"Oslo","wind":null,"at":1}' }] });
    try {
      const model = { id: 'openai/gpt-5' as const, url: server.baseUrl, apiKey: 'x' };
      const agent = new InterlockAgent({ id: 'a', name: 'A', instructions: 'Answer.', model });
      const { object } = await agent.generate('Hi', { structuredOutput: { schema } });
      expect(object).toEqual({ city: 'Oslo', at: 1 });
      const sent = (server.requests[0]?.body as { response_format?: { json_schema: object } } | undefined)?.response_format
        ?.json_schema;
      expect(sent).toMatchObject({
        strict: true,
        schema: {
          required: ['city', 'wind', 'at'],
          additionalProperties: false,
          properties: { wind: { anyOf: [{ type: 'string' }, { type: 'null' }] } },
        },
      });
      expect(JSON.stringify(sent)).not.toMatch(/minLength|"default"|x-optional/);
    } finally {
      await server.close();
    }
  });

  it('another model receives the original schema', async () => {
    const { agent, model } = makeAgent('{"city":"Oslo","at":1}');
    await agent.generate('Hi', { structuredOutput: { schema } });
    expect(model.calls[0]?.options.responseFormat).toMatchObject({ schema: { required: ['city'] } });
    expect(model.calls[0]?.options.providerOptions).toBeUndefined();
  });
});

describe('invalid options', () => {
  it('are all listed in one error, with the agent, the reason and a suggestion', () => {
    const config = {
      id: 'weather',
      name: 'Weather',
      model: scriptedModel({ steps: [] }),
      window: 5,
      inputProcesors: [],
      maxRetries: -1,
    };
    expect(() => new InterlockAgent(config as never)).toThrow(
      /window.*agent "weather": .*inputProcesors: did you mean inputProcessors\?.*maxRetries: it must be an integer/,
    );
    expect(() => new InterlockAgent({ ...config, inputProcesors: undefined, maxRetries: 0 } as never)).toThrow(
      '[agent/invalid-option] at window',
    );
  });

  it.each(modes)('are accepted in %s if a resuming call repeats the options of the run', async (mode) => {
    const charge = createTool({
      id: 'charge',
      description: 'Charges',
      inputSchema: z.object({}),
      execute: async () => ({ ok: true }),
    });
    const { agent } = makeAgent([{ toolCalls: [{ name: 'charge', args: {} }] }, { text: 'Done.' }], { tools: { charge } });
    const options = { requireToolApproval: true, maxSteps: 3 };
    const started = await agent[mode]('Go', options);
    if (mode === 'stream') await (started as { consumeStream(): Promise<void> }).consumeStream();
    const { runId } = started;
    const again = (repeated: object) => agent.approveToolCallGenerate({ runId, ...repeated });
    await expect(again({ ...options, maxSteps: 4 })).rejects.toMatchObject({
      code: 'agent/unsupported-option',
      path: 'maxSteps',
    });
    expect((await again(options)).text).toBe('Done.');
  });
});

describe('a tool of a sub-agent', () => {
  it.each(['outer', 'inner'] as const)('is approved by the %s id', async (level) => {
    const log: string[] = [];
    const tool = createTool({
      id: 'charge',
      description: 'Charges',
      inputSchema: z.object({}),
      requireApproval: true,
      execute: async () => void log.push('ran'),
    });
    const child = makeAgent([{ toolCalls: [{ id: 'inner-1', name: 'charge', args: {} }] }, { text: 'Charged.' }], {
      id: 'child',
      name: 'child',
      tools: { charge: tool },
    }).agent;
    const steps = [{ toolCalls: [{ id: 'outer-1', name: 'agent-child', args: { prompt: 'Go' } }] }, { text: 'Done.' }];
    const { agent } = makeAgent(steps, { agents: { child } });
    const stream = await agent.stream('Go');
    const ids: unknown[] = [];
    for await (const chunk of stream.fullStream) if (chunk.type === 'tool-call-approval') ids.push(chunk.payload.toolCallId);
    expect(ids).toEqual(['outer-1']);
    const toolCallId = { outer: 'outer-1', inner: 'inner-1' }[level];
    const resumed = await agent.approveToolCall({ runId: stream.runId, toolCallId });
    expect([(await resumed.getFullOutput()).status, log]).toEqual(['success', ['ran']]);
  });
});

describe('callbacks', () => {
  it('onFinish and onError are awaited before the last chunk', async () => {
    const order: string[] = [];
    const slow = (name: string) => async () => {
      await new Promise((resolve) => setTimeout(resolve, 20));
      order.push(name);
    };
    for (const steps of ['Hi.', [{ error: new Error('refused') }]] as const) {
      const { agent } = makeAgent(steps);
      const stream = await agent.stream('Go', { onFinish: slow('onFinish'), onError: slow('onError') });
      for await (const { type } of stream.fullStream) if (type === 'finish') order.push(type);
    }
    expect(order).toEqual(['onFinish', 'finish', 'onError', 'finish']);
  });
});

describe('background tasks', () => {
  it.each(modes)('a background tool runs within its run in %s, and guards judge its result', async (mode) => {
    const report = createTool({
      id: 'report',
      description: 'Reports',
      inputSchema: z.object({}),
      execute: async () => ({ code: 'ZEBRA' }),
      background: { enabled: true },
    });
    const judged: unknown[] = [];
    const judge = { id: 'judge', processToolResult: ({ result }: { result: unknown }) => void judged.push(result) };
    const config = { tools: { report }, backgroundTasks: { tools: 'all', concurrency: 2 }, outputProcessors: [judge] } as const;
    const { agent, model } = makeAgent(callThen('report'), config);
    const mastra = new Mastra({
      agents: { agent },
      storage: new InMemoryStore(),
      logger: false,
      backgroundTasks: { enabled: true },
    });
    const registered = mastra.getAgent('agent');
    const result = mode === 'generate' ? await registered.generate('Hi') : await (await registered.stream('Hi')).getFullOutput();
    expect([result.text, judged]).toEqual(['Done.', [{ code: 'ZEBRA' }]]);
    expect(JSON.stringify(model.calls[1])).toContain('ZEBRA');
    expect(JSON.stringify(model.calls[0])).not.toContain('_background');
  });

  it('callbacks for background tasks are rejected', () => {
    const config = { backgroundTasks: { onTaskComplete: () => undefined } };
    expect(() => makeAgent('Hi.', config as never)).toThrow('[agent/invalid-option] at backgroundTasks.onTaskComplete');
  });
});
