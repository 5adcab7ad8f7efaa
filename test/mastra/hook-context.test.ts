import { Agent } from '@mastra/core/agent';
import { Mastra } from '@mastra/core/mastra';
import type { Processor } from '@mastra/core/processors';
import { RequestContext } from '@mastra/core/request-context';
import { describe, expect, it } from 'vitest';

import {
  guardsFor,
  InterlockAgent,
  otherwise,
  phases,
  pipeline,
  registerProcessorWorkflows,
  type Pipeline,
  type PipelineStep,
} from '../../src/index.js';
import { phaseNames } from '../../src/phase/table.js';
import { scriptedModel } from '../../src/testing/index.js';
import { callThen, echo, modes } from './support.js';

type Args = Record<string, unknown>;
type ArgsByHook = Map<string, Args[]>;

const unchanged = ({ messageList }: Args) => messageList;

/** A processor with every hook, and the arguments of each. */
const watching = (id = 'watching') => {
  const seen: ArgsByHook = new Map();
  const answers: Record<string, (args: Args) => unknown> = {
    processOutputStream: ({ part }) => part,
    processAPIError: () => ({ retry: true }),
    processLLMRequest: () => undefined,
    processLLMResponse: () => undefined,
    processInputStep: () => undefined,
    processToolResult: () => undefined,
  };
  const hooks = phaseNames.map((phase) => {
    const { hook } = phases[phase];
    const run = (args: Args) => {
      seen.set(hook, [...(seen.get(hook) ?? []), { ...args }]);
      const state = args['state'] as Args;
      state['hooks'] = [...((state['hooks'] as string[] | undefined) ?? []), hook];
      return (answers[hook] ?? unchanged)(args);
    };
    return [hook, run];
  });
  return { processor: { id, ...Object.fromEntries(hooks) } as Processor, seen };
};

const places: Record<string, (guard: Processor) => PipelineStep> = {
  alone: (guard) => guard,
  'in a pipeline': (guard) => pipeline('p').then(guard),
  'in parallel': (guard) => pipeline('p').parallel([guard, watching('beside').processor]),
  'in a branch of a nested pipeline': (guard) => pipeline('p').then(pipeline('q').branch([[otherwise, guard]])),
};

const script = () => scriptedModel({ steps: [{ error: new Error('busy') }, ...callThen('echo', { say: 'a' })] });
const base = () => ({ id: 'a', name: 'A', instructions: 'Answer.', model: script(), tools: { echo } });
const call = () => ({
  requestContext: new RequestContext([['tier', 'gold']]),
  abortSignal: new AbortController().signal,
  tracingContext: { currentSpan: undefined },
});

const expectContext = (args: Args, given: ReturnType<typeof call>, agent: unknown) => {
  expect((args['requestContext'] as RequestContext).get('tier')).toBe('gold');
  expect(args['requestContext']).toBe(given.requestContext);
  expect(args['abortSignal']).toBeInstanceOf(AbortSignal);
  expect(args['tracingContext']).toBeDefined();
  expect(args['agent']).toBe(agent);
  expect(args['state']).toBeInstanceOf(Object);
  expect(args['retryCount']).toBeTypeOf('number');
  expect(args['abort']).toBeInstanceOf(Function);
  expect((args['writer'] as { custom?: unknown } | undefined)?.custom).toBeInstanceOf(Function);
};

describe.each(modes)('every hook receives the whole context in %s [spec 2.14]', (mode) => {
  it.each(Object.entries(places))('%s', async (_name, place) => {
    const { processor, seen } = watching();
    const guards = [place(processor)];
    const agent = new InterlockAgent({
      ...base(),
      inputProcessors: guards,
      outputProcessors: guards,
      errorProcessors: guards,
    }); // one guard in all arrays
    const given = call();
    const result = await agent[mode]('Hi', given);
    expect(await result.text).toBe('Done.');
    expect([...seen.keys()].toSorted()).toEqual(phaseNames.map((phase) => phases[phase].hook).toSorted());
    for (const args of [...seen.values()].flat()) expectContext(args, given, agent);
    expect(seen.get('processAPIError'), 'once, although it is in three lanes').toHaveLength(1);
    const states = new Set([...seen.values()].flat().map((args) => args['state']));
    expect(states.size, 'states').toBe(1);
    for (const hook of ['processInputStep', 'processAPIError'])
      expect(seen.get(hook)?.[0]?.['messageId'], hook).toBeTypeOf('string');
  });
});

describe('on Mastra’s engine', () => {
  const payloads: Record<string, object> = {
    input: { messages: [] },
    inputStep: { messages: [], stepNumber: 0, messageId: 'm1' },
    llmRequest: { prompt: [], model: script(), stepNumber: 0 },
    apiError: { messages: [], error: new Error('busy'), stepNumber: 0, messageId: 'm1' },
    outputStream: { part: { type: 'text-delta', payload: { id: '0', text: 'Hi' } }, streamParts: [], state: {} },
    llmResponse: { chunks: [], model: script(), stepNumber: 0, fromCache: false },
    outputStep: { messages: [], stepNumber: 0 },
    toolResult: { messages: [], stepNumber: 0, toolName: 't', toolCallId: 'c', result: 1 },
    outputResult: { messages: [] },
  };

  it.each(phaseNames.flatMap((phase) => Object.keys(places).map((place) => [phase, place] as const)))(
    'the hook of phase %s receives it in a separate run, %s',
    async (phase, place) => {
      const { processor, seen } = watching();
      const step = places[place]?.(processor) as Pipeline;
      const mastra = new Mastra({ logger: false });
      registerProcessorWorkflows(mastra, pipeline('registered').then(step));
      const run = await mastra.getWorkflow('registered').createRun();
      const given = call();
      const agent = { id: 'a' };
      const inputData = { phase, ...payloads[phase], retryCount: 2, abortSignal: given.abortSignal, agent };
      const result = await run.start({ ...given, inputData, outputWriter: async () => undefined }); // an agent passes this on
      expect(result.status).toBe('success');
      expect([...seen.keys()]).toEqual([phases[phase].hook]);
      for (const args of [...seen.values()].flat()) {
        expectContext(args, given, agent);
        expect(args['retryCount']).toBe(2);
        if ('messageId' in (payloads[phase] ?? {})) expect(args['messageId']).toBe('m1');
      }
    },
  );

  it.each(Object.entries(places).filter(([name]) => name !== 'alone'))('in Mastra’s own agent, %s', async (_name, place) => {
    for (const mode of modes) {
      const { processor, seen } = watching();
      const workflow = () => [(place(processor) as Pipeline).commit()] as never; // Mastra's types do not allow workflows over unions
      const model = scriptedModel({ steps: callThen('echo', { say: 'a' }) });
      const agent = new Agent({ ...base(), model, inputProcessors: workflow(), outputProcessors: workflow() });
      const given = call();
      expect(await (await agent[mode]('Hi', given)).text).toBe('Done.');
      expect([...seen.keys()].toSorted()).toEqual(
        [
          'processInput',
          'processInputStep',
          'processOutputResult',
          'processOutputStep',
          'processOutputStream',
          'processToolResult',
        ].toSorted(),
      );
      for (const [hook, calls] of seen)
        for (const args of calls) {
          expect(args['requestContext'], hook).toBe(given.requestContext);
          expect(args['state'], hook).toBeInstanceOf(Object);
          expect(args['retryCount'], hook).toBeTypeOf('number');
        }
      expect(new Set([...seen.values()].flat().map((args) => args['state'])).size).toBeLessThanOrEqual(3);
    }
  });
});

describe('in Mastra’s own agent, through guardsFor', () => {
  it.each(modes)('every hook receives the context of the agent, %s', async (mode) => {
    const { processor, seen } = watching();
    const model = script();
    const agent = new Agent({ ...base(), model, ...guardsFor(pipeline('p').then(processor)) });
    const given = call();
    expect(await (await agent[mode]('Hi', given)).text).toBe('Done.');
    expect([...seen.keys()].toSorted()).toEqual(phaseNames.map((phase) => phases[phase].hook).toSorted());
    for (const [hook, calls] of seen)
      for (const args of calls) {
        expect(args['requestContext'], hook).toBe(given.requestContext);
        expect(args['state'], hook).toBeInstanceOf(Object);
        expect(args['retryCount'], hook).toBeTypeOf('number');
      }
  });
});
