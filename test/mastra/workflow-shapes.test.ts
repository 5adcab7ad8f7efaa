import { Agent } from '@mastra/core/agent';
import { ProcessorStepSchema, type Processor } from '@mastra/core/processors';
import { createStep, createWorkflow, type AnyWorkflow } from '@mastra/core/workflows';
import { describe, expect, it } from 'vitest';

import { guardsFor, InterlockAgent, phases, type Phase } from '../../src/index.js';
import { listOf, message, payloads } from '../../src/phase/test-setup.js';
import { scriptedModel } from '../../src/testing/index.js';
import { callThen, echo, modes, sentText, withText, type Mode } from './support.js';

/** Mastra's builder; its types would not chain the steps of a test. */
interface Builder {
  then(step: unknown): Builder;
  parallel(steps: unknown[]): Builder;
  branch(arms: [unknown, unknown][]): Builder;
  map(run: (call: { inputData: Record<string, Payload | undefined> }) => unknown): Builder;
  commit(): AnyWorkflow;
}

interface Payload {
  readonly phase?: string;
  readonly messages?: unknown[];
  readonly messageList?: unknown;
}

const byHand = () =>
  createWorkflow({ id: 'by-hand', inputSchema: ProcessorStepSchema, outputSchema: ProcessorStepSchema }) as unknown as Builder;
const step = (processor: Processor): unknown => createStep(processor as never);

const card = '4111 1111 1111 1111';
const hide = (id: string, word: string): Processor => ({
  id,
  processInput: ({ messages }) => messages.map((one) => withText(one, (text) => text.replace(word, '[x]'))),
});
const block = (id: string, word: string): Processor => ({
  id,
  processInput: ({ messages, abort }) => (JSON.stringify(messages).includes(word) ? abort(`has ${word}`) : messages),
});
const look = (id: string, seen: number[] = []): Processor => ({
  id,
  processOutputStep: ({ messages, stepNumber }) => {
    seen.push(stepNumber);
    return messages;
  },
});

/** The messages of one branch in the phase that the author thought of, as the guardrail lesson of Mastra's workshop does it. */
const constant =
  (phase: string) =>
  async ({ inputData }: { inputData: Record<string, Payload | undefined> }) => {
    const first = Object.values(inputData)[0] ?? {};
    return { phase, messages: first.messages ?? [], messageList: first.messageList };
  };

const sameMessages = async ({ inputData }: { inputData: Payload }) => ({
  messages: inputData.messages,
  messageList: inputData.messageList,
});

const own = (id: string, execute: (call: never) => unknown) =>
  createStep({ id, inputSchema: ProcessorStepSchema, outputSchema: ProcessorStepSchema, execute: execute as never });

/** Workflows of input guards that hide `ada` and block a card. */
const inputShapes: Record<string, () => AnyWorkflow> = {
  'a map with a constant phase': () =>
    byHand()
      .parallel([step(hide('topic-guard', 'ada')), step(block('pii-guard', card))])
      .map(constant('input'))
      .commit(),
  'a map with the phase of an output guard': () =>
    byHand()
      .parallel([step(hide('topic-guard', 'ada')), step(block('pii-guard', card))])
      .map(constant('outputStep'))
      .commit(),
  'a constant phase before other steps': () =>
    byHand()
      .then(step(hide('topic-guard', 'ada')))
      .map(constant('outputResult'))
      .then(step(block('pii-guard', card)))
      .commit(),
  'a map that picks a branch': () =>
    byHand()
      .then(step(hide('topic-guard', 'ada')))
      .parallel([step(block('pii-guard', card)), step(block('moderation', 'bomb'))])
      .map(async ({ inputData }) => inputData['processor:pii-guard'] ?? inputData['processor:moderation'] ?? {})
      .commit(),
  'a map without a result': () =>
    byHand()
      .parallel([step(hide('topic-guard', 'ada')), step(block('pii-guard', card))])
      .map(async ({ inputData }) => inputData['processor:renamed'] ?? {})
      .commit(),
  'a step without a phase': () =>
    byHand()
      .parallel([step(hide('topic-guard', 'ada')), step(block('pii-guard', card))])
      .map(async ({ inputData }) => inputData['processor:pii-guard'])
      .then(own('plain', sameMessages))
      .commit(),
  'a step with a constant phase': () =>
    byHand()
      .then(step(block('pii-guard', card)))
      .then(
        own('constant', async ({ inputData }: { inputData: { messages?: never[]; messageList?: unknown } }) => ({
          phase: 'input',
          messages: (inputData.messages ?? []).map((one) => withText(one, (text) => text.replace('ada', '[x]'))),
        })),
      )
      .commit(),
};

/** Workflows of output guards that only read. */
const outputShapes: Record<string, (read: Processor) => AnyWorkflow> = {
  'a branch of some steps, and a map': (read) =>
    byHand()
      .branch([[async ({ inputData }: { inputData: { stepNumber?: number } }) => (inputData.stepNumber ?? 0) > 0, step(read)]])
      .map(async ({ inputData }) => constant('outputStep')({ inputData }))
      .commit(),
  'a map without a result': (read) =>
    byHand()
      .branch([[async ({ inputData }: { inputData: { stepNumber?: number } }) => (inputData.stepNumber ?? 0) > 0, step(read)]])
      .map(async () => ({}))
      .commit(),
  'a map without messages': (read) =>
    byHand()
      .branch([[async ({ inputData }: { inputData: { stepNumber?: number } }) => (inputData.stepNumber ?? 0) > 0, step(read)]])
      .map(async () => ({ phase: 'outputStep', messages: [], messageList: undefined }))
      .commit(),
};

const base = { id: 'a', name: 'A', instructions: 'Answer.', tools: { echo } };

/** The two classes of agents, each with the workflows of both arrays. */
const hosts = {
  InterlockAgent: (
    workflows: AnyWorkflow,
    lane: 'inputProcessors' | 'outputProcessors',
    model: ReturnType<typeof scriptedModel>,
  ) => new InterlockAgent({ ...base, model, [lane]: [workflows] }),
  'Mastra’s own Agent': (workflows: AnyWorkflow, _lane: string, model: ReturnType<typeof scriptedModel>) =>
    new Agent({ ...base, model, ...guardsFor(workflows) }),
};

const call = async (agent: Agent, mode: Mode, prompt: string) =>
  mode === 'generate' ? agent.generate(prompt) : (await agent.stream(prompt)).getFullOutput();

describe.each(Object.entries(hosts))('%s', (_host, make) => {
  describe.each(modes)('%s', (mode) => {
    it.each(Object.entries(inputShapes))('answers with input guards in %s', async (_name, workflow) => {
      const model = scriptedModel({ steps: [{ text: 'Hello.' }] });
      expect((await call(make(workflow(), 'inputProcessors', model), mode, 'I am ada.')).text).toBe('Hello.');
      expect(sentText(model, 'user')).toBe('I am [x].');
    });

    it.each(Object.entries(inputShapes))('blocks with input guards in %s', async (_name, workflow) => {
      const model = scriptedModel({ steps: [{ text: 'Hello.' }] });
      expect((await call(make(workflow(), 'inputProcessors', model), mode, `Charge ${card}.`)).tripwire).toMatchObject({
        reason: `has ${card}`,
        processorId: 'pii-guard',
      });
      expect(model.calls).toHaveLength(0);
    });

    it.each(Object.entries(outputShapes))('answers with output guards in %s', async (_name, workflow) => {
      const model = scriptedModel({ steps: callThen('echo', { say: 'ada' }) });
      const seen: number[] = [];
      const result = await call(make(workflow(look('drift', seen)), 'outputProcessors', model), mode, 'Hi.');
      expect([result.text, seen]).toEqual(['Done.', [1]]);
      expect(result.toolResults).toHaveLength(1);
    });
  });
});

describe('Mastra’s engine, after an InterlockAgent has taken the workflow', () => {
  const started = async (workflow: AnyWorkflow, phase: Phase, text: string) => {
    const model = scriptedModel({ steps: [{ text: 'Hello.' }] });
    hosts.InterlockAgent(workflow, phases[phase].lane === 'input' ? 'inputProcessors' : 'outputProcessors', model);
    const list = listOf(message('m', text));
    const run = await workflow.createRun();
    return (await run.start({ inputData: payloads[phase](list) })) as unknown as {
      status: string;
      result?: { phase: string; messages: never[] };
      error?: unknown;
    };
  };

  it.each(Object.entries(inputShapes))('runs %s in every phase that Mastra’s agent has for it', async (_name, workflow) => {
    const made = workflow();
    const { status, result } = await started(made, 'input', 'I am ada.');
    expect([status, JSON.stringify(result?.messages).includes('ada')]).toEqual(['success', false]);
    expect(await started(made, 'input', card)).toMatchObject({ status: 'tripwire' });
    expect(await started(made, 'inputStep', 'Hi.')).toMatchObject({ status: 'success', result: { phase: 'inputStep' } });
  });

  it.each(Object.entries(outputShapes))('runs %s in every phase that Mastra’s agent has for it', async (_name, workflow) => {
    const made = workflow(look('drift'));
    for (const phase of ['outputStream', 'outputStep', 'toolResult', 'outputResult'] as const)
      expect(await started(made, phase, 'Hi.')).toMatchObject({ status: 'success', result: { phase } });
  });
});
