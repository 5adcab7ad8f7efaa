import { Agent } from '@mastra/core/agent';
import { Mastra } from '@mastra/core/mastra';
import type { Processor } from '@mastra/core/processors';
import { createStep as createMastraStep, createWorkflow as createMastraWorkflow, type AnyWorkflow } from '@mastra/core/workflows';
import { describe, expect, it } from 'vitest';

import {
  InterlockAgent,
  otherwise,
  pipeline,
  registerProcessorWorkflows,
  type InterlockAgentConfig,
  type Pipeline,
  type PipelineStep,
} from '../../src/index.js';
import { ProcessorStepSchema } from '../../schemas/index.js';
import { scriptedModel, tripping } from '../../src/testing/index.js';
import { settled } from './support.js';

const passing = (id: string): Processor & Required<Pick<Processor, 'processInput'>> => ({
  id,
  processInput: () => undefined as never,
});
const model = () => scriptedModel({ steps: [{ text: 'Hello.' }] });
const agentWith = (config: Partial<InterlockAgentConfig>) =>
  new InterlockAgent({ id: 'a', name: 'A', instructions: 'Answer.', ...(config as object), model: model() });

const typesOf = (mastra: Mastra) =>
  Object.fromEntries(Object.entries(mastra.listWorkflows()).map(([name, workflow]) => [name, (workflow as AnyWorkflow).type]));

const register = async (agent: InterlockAgent) => {
  const mastra = new Mastra({ agents: { a: agent }, logger: false });
  await settled(); // Mastra registers an agent's workflows without waiting
  return mastra;
};

const userMessage = (text: string) => ({
  id: 'm1',
  role: 'user',
  createdAt: new Date(0).toISOString(),
  content: { format: 2, parts: [{ type: 'text', text }] },
});

describe('an agent registered in Mastra', () => {
  it('lists its pipelines as workflows of type processor [spec 3.19]', async () => {
    const mastra = await register(
      agentWith({
        inputProcessors: pipeline('moderation').then(passing('length')),
        outputProcessors: [
          { id: 'quality', processOutputStep: () => [] },
          pipeline('tone').then({ id: 't', processOutputStep: () => [] }),
        ],
        errorProcessors: [{ id: 'mend', processAPIError: () => undefined }],
      }),
    );
    expect(typesOf(mastra)).toEqual({
      moderation: 'processor',
      'a-output-processor': 'processor',
      tone: 'processor',
      'a-error-processor': 'processor',
    });
  });

  it('lists a manual workflow', async () => {
    const byHand = createMastraWorkflow({ id: 'by-hand', inputSchema: ProcessorStepSchema, outputSchema: ProcessorStepSchema })
      .then(createMastraStep(passing('one')) as never) // Mastra's own types do not match here
      .commit() as unknown as AnyWorkflow;
    expect(typesOf(await register(agentWith({ inputProcessors: byHand })))).toEqual({ 'by-hand': 'processor' });
  });

  it('lists the pipelines that a function returns', async () => {
    const mastra = await register(agentWith({ inputProcessors: () => pipeline('moderation').then(passing('length')) }));
    expect(typesOf(mastra)).toEqual({ moderation: 'processor' });
  });

  it('is found and called like any agent', async () => {
    const mastra = await register(agentWith({ inputProcessors: [tripping('processInput', 'No.')] }));
    const found: Agent = mastra.getAgent('a');
    expect(found).toBeInstanceOf(Agent);
    expect(await found.generate('Hi')).toMatchObject({ status: 'tripwire', tripwire: { reason: 'No.' } });
  });

  it('passes Mastra to the processors inside its pipelines', async () => {
    const given: unknown[] = [];
    const curious = { ...passing('curious'), __registerMastra: (mastra: unknown) => void given.push(mastra) };
    const mastra = await register(agentWith({ inputProcessors: pipeline('p').then(pipeline('q').then(curious)) }));
    expect(given).toContain(mastra);
    const own = new Mastra({ logger: false });
    given.length = 0;
    agentWith({ inputProcessors: [pipeline('p').then(curious)], mastra: own });
    expect(given).toContain(own);
  });

  it('keeps its loop if Mastra copies it to run a stored version', async () => {
    const agent = agentWith({ inputProcessors: [tripping('processInput', 'No.')], maxProcessorRetries: 2 });
    await register(agent);
    const fork = agent['__fork']();
    expect(fork).toBeInstanceOf(InterlockAgent);
    expect(fork.getMastraInstance()).toBe(agent.getMastraInstance());
    expect(await fork.generate('Hi')).toMatchObject({ status: 'tripwire' });
  });
});

describe('registerProcessorWorkflows', () => {
  it('registers pipelines and workflows that no agent uses', () => {
    const mastra = new Mastra({ logger: false });
    registerProcessorWorkflows(mastra, pipeline('one').then(passing('a')), pipeline('two').then(passing('b')).commit());
    expect(typesOf(mastra)).toEqual({ one: 'processor', two: 'processor' });
    expect(Object.keys(mastra.listProcessors() ?? {})).toEqual(['one', 'two']);
  });

  it('rejects a processor and an empty pipeline', () => {
    const mastra = new Mastra({ logger: false });
    expect(() => registerProcessorWorkflows(mastra, passing('a') as never)).toThrow(/pipeline\/invalid-step/);
    expect(() => registerProcessorWorkflows(mastra, pipeline('empty'))).toThrow(/pipeline\/empty/);
  });
});

describe('a registered pipeline', () => {
  const trip = (hook: Parameters<typeof tripping>[0]) => tripping(hook, 'No.', { id: 'guard', metadata: { score: 1 } });
  const places: Record<string, (guard: PipelineStep) => Pipeline> = {
    'as a step': (guard) => pipeline('p').then(passing('before')).then(guard),
    'as the only step': (guard) => pipeline('p').then(guard),
    'in a parallel block': (guard) => pipeline('p').parallel([passing('beside'), guard]),
    'in a branch': (guard) => pipeline('p').branch([[otherwise, guard]]),
    'in a nested pipeline': (guard) => pipeline('p').then(pipeline('q').then(guard)),
    'three pipelines deep': (guard) => pipeline('p').then(pipeline('q').then(pipeline('r').then(passing('before')).then(guard))),
    'deep in a parallel block': (guard) =>
      pipeline('p').parallel([passing('beside'), pipeline('q').parallel([pipeline('r').then(guard), passing('other')])]),
    'deep in a branch': (guard) => pipeline('p').branch([[otherwise, pipeline('q').branch([[otherwise, guard]])]]),
  };

  it.each(Object.entries(places))('trips in a separate run, %s', async (_name, place) => {
    const mastra = await register(agentWith({ inputProcessors: place(trip('processInput')) }));
    const run = await mastra.getWorkflow('p').createRun();
    const result = await run.start({ inputData: { phase: 'input', messages: [userMessage('Hi')] } });
    expect(result).toMatchObject({
      status: 'tripwire',
      tripwire: { reason: 'No.', metadata: { score: 1 }, processorId: 'guard' },
    });
    expect((result as { tripwire?: { retry?: boolean } }).tripwire?.retry ?? false).toBe(false);
  });

  const phases: [Parameters<typeof tripping>[0], object][] = [
    ['processInput', { phase: 'input', messages: [] }],
    ['processInputStep', { phase: 'inputStep', messages: [], stepNumber: 0 }],
    [
      'processLLMRequest',
      { phase: 'llmRequest', prompt: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }], model: model(), stepNumber: 0 },
    ],
    ['processAPIError', { phase: 'apiError', error: { message: 'refused' }, messages: [], stepNumber: 0 }],
    [
      'processOutputStream',
      { phase: 'outputStream', part: { type: 'text-delta', payload: { id: '0', text: 'Hi' } }, streamParts: [], state: {} },
    ],
    ['processLLMResponse', { phase: 'llmResponse', chunks: [], model: model(), stepNumber: 0, fromCache: false }],
    ['processOutputStep', { phase: 'outputStep', messages: [], stepNumber: 0 }],
    ['processToolResult', { phase: 'toolResult', messages: [], stepNumber: 0, toolName: 't', toolCallId: 'c', result: 1 }],
    ['processOutputResult', { phase: 'outputResult', messages: [] }],
  ];

  it.each(phases)('trips in %s', async (hook, inputData) => {
    const mastra = new Mastra({ logger: false });
    const guard = tripping(hook, 'No.', { id: 'guard', retry: true });
    registerProcessorWorkflows(mastra, pipeline('p').then(pipeline('q').then(passing('before')).then(guard)));
    const run = await mastra.getWorkflow('p').createRun();
    const result = await run.start({ inputData: inputData });
    expect(result).toMatchObject({ status: 'tripwire', tripwire: { reason: 'No.', retry: true, processorId: 'guard' } });
  });

  it.each(phases)('passes a payload without a hook for %s', async (_hook, inputData) => {
    const mastra = new Mastra({ logger: false });
    registerProcessorWorkflows(
      mastra,
      pipeline('p').then({ id: 'watch', processDataParts: true, processToolResult: () => undefined }),
    );
    const run = await mastra.getWorkflow('p').createRun();
    expect(await run.start({ inputData: inputData })).toMatchObject({ status: 'success', result: inputData });
  });

  it('reports the error of an invalid payload', async () => {
    const mastra = new Mastra({ logger: false });
    registerProcessorWorkflows(mastra, pipeline('p').then(passing('a')), pipeline('q').parallel([passing('b'), passing('c')]));
    for (const name of ['p', 'q']) {
      const run = await mastra.getWorkflow(name).createRun();
      const result = await run.start({ inputData: { phase: 'input', messages: [{ role: 7 }] } });
      expect(result).toMatchObject({
        status: 'failed',
        error: { message: expect.stringMatching(/schema\/invalid-payload.*input\.messages\.0/) },
      });
    }
  });
});
