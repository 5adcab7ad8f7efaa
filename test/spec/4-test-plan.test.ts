import { Mastra } from '@mastra/core/mastra';
import { isProcessorWorkflow, type Processor } from '@mastra/core/processors';
import { describe, expect, it } from 'vitest';

import {
  createWorkflow,
  defineProcessor,
  otherwise,
  pipeline,
  registerProcessorWorkflows,
  type Pipeline,
  type RunEvent,
} from '../../src/index.js';
import { ProcessorStepInputSchema, ProcessorStepSchema } from '../../schemas/index.js';
import { tripping } from '../../src/testing/index.js';
import { all, callThen, echo, makeAgent, modes, sentText, settled, textOf, withText, type Mode } from '../mastra/support.js';

const feedback = (reason: string) =>
  `[Processor Feedback] Your previous response was not accepted: ${reason}. Please try again with the feedback in mind.`;

/** Accepts only one answer, and requests another one at most twice. */
const qualityChecker: Processor = {
  id: 'quality-check',
  processOutputStep: ({ text, abort, retryCount }) => {
    if (text !== 'Good.') abort('Response quality too low', { retry: retryCount < 2, metadata: { text } });
    return [];
  },
};
const checked = (steps: Parameters<typeof makeAgent>[0], config = {}) =>
  makeAgent(steps, { outputProcessors: [qualityChecker], maxProcessorRetries: 3, ...config });
/** Mastra streams at once. */
const asMastra = { hold: 'none' } as const;
const badThenGood = [{ text: 'Bad.' }, { text: 'Good.' }];
const onlyBad = [{ text: 'Bad.' }, { text: 'Bad.' }, { text: 'Bad.' }];

const call = async ({ agent }: ReturnType<typeof makeAgent>, mode: Mode) =>
  mode === 'generate' ? agent.generate('Hi') : (await agent.stream('Hi')).getFullOutput();

const upper = defineProcessor<Processor>({
  id: 'upper',
  processInput: ({ messages }) => messages.map((message) => withText(message, (text) => text.toUpperCase())),
});
const trip = (id = 'guard') => tripping('processInput', 'No.', { id, metadata: { score: 1 } });

/** Runs a pipeline as a registered workflow. */
const runWorkflow = async (source: Pipeline, inputData: object) => {
  const mastra = new Mastra({ logger: false });
  registerProcessorWorkflows(mastra, source);
  const run = await mastra.getWorkflow('p').createRun();
  return run.start({ inputData }); // as sent by a form
};
const hello = {
  id: 'm1',
  role: 'user',
  createdAt: new Date(0).toISOString(),
  content: { format: 2, parts: [{ type: 'text', text: 'hello' }] },
};

describe('Goals', () => {
  it('Extend `abort()` to support retry and strongly-typed metadata [spec 4.1]', async () => {
    interface Score {
      score: number;
    }
    const typed: Processor<'typed', Score> = {
      id: 'typed',
      processOutputStep: ({ abort }) => abort('reason', { retry: true, metadata: { score: 0.8 } }),
    };
    expect(await call(makeAgent('Hello.', { outputProcessors: [typed] }), 'generate')).toMatchObject({
      tripwire: { reason: 'reason', retry: true, metadata: { score: 0.8 }, processorId: 'typed' },
    });
  });

  it('Add `processOutputStep` method for per-step output processing with retry support [spec 4.2]', async () => {
    const seen: object[] = [];
    const watching: Processor = {
      id: 'watching',
      processOutputStep: ({ stepNumber, finishReason, toolCalls, text, retryCount, systemMessages, messages }) => {
        seen.push({
          stepNumber,
          finishReason,
          toolCalls,
          text,
          retryCount,
          systems: systemMessages.length,
          roles: messages.map(({ role }) => role),
        });
        return [];
      },
    };
    await call(makeAgent(callThen('echo', { say: 'a' }), { tools: { echo }, outputProcessors: [watching] }), 'generate');
    expect(seen).toMatchObject([
      {
        stepNumber: 0,
        finishReason: 'tool-calls',
        toolCalls: [{ toolName: 'echo', toolCallId: expect.any(String), args: { say: 'a' } }],
        text: '',
        retryCount: 0,
        systems: 1,
        roles: ['user', 'assistant'],
      },
      { stepNumber: 1, finishReason: 'stop', text: 'Done.', retryCount: 0, roles: ['user', 'assistant'] },
    ]);
  });

  it('Enable processor orchestration via the workflow primitive [spec 4.5]', async () => {
    const { agent, model } = makeAgent('Hello.', { inputProcessors: pipeline('p').then(upper).commit() });
    await agent.generate('hi');
    expect(sentText(model, 'user')).toBe('HI');
  });

  it('Bubble up tripwires from workflows', async () => {
    const nested = pipeline('p').then(pipeline('q').parallel([upper, pipeline('r').branch([[otherwise, trip()]])]));
    for (const mode of modes)
      expect(await call(makeAgent('Hello.', { inputProcessors: nested }), mode)).toMatchObject({
        status: 'tripwire',
        tripwire: { reason: 'No.', metadata: { score: 1 }, processorId: 'guard' },
      });
  });

  it('Implement retry mechanism with feedback to LLM', async () => {
    const made = checked(badThenGood);
    await call(made, 'generate');
    expect(sentText(made.model, 'system', 1)).toBe(`Answer.\n${feedback('Response quality too low')}`);
  });
});

describe('Key Features of processor workflow orchestration', () => {
  const phaseOf: Record<string, keyof Processor> = {
    input: 'processInput',
    inputStep: 'processInputStep',
    outputStream: 'processOutputStream',
    outputResult: 'processOutputResult',
    outputStep: 'processOutputStep',
  };
  const payloads: Record<string, object> = {
    input: { messages: [hello] },
    inputStep: { messages: [hello], stepNumber: 0 },
    outputStream: { part: { type: 'text-delta', payload: { id: '0', text: 'hello' } }, streamParts: [], state: {} },
    outputResult: { messages: [hello] },
    outputStep: { messages: [hello], stepNumber: 0 },
  };

  it.each(Object.entries(phaseOf))(
    'Discriminated Union Schema - Uses `phase` field to determine input type: %s - %s [spec 4.3]',
    async (phase, hook) => {
      const hooks = Object.values(phaseOf).map((name) => tripping(name as 'processInput', `It was ${name}.`, { id: name }));
      const guards = hooks.reduce((built, guard) => built.then(guard), pipeline('p'));
      expect(await runWorkflow(guards, { phase, ...payloads[phase] })).toMatchObject({
        status: 'tripwire',
        tripwire: { reason: `It was ${hook}.`, processorId: hook },
      });
    },
  );

  it('Auto-Conversion - Processor arrays automatically wrapped into workflows [spec 4.4]', async () => {
    const { agent } = makeAgent('Hello.', { inputProcessors: [upper, trip()] });
    const mastra = new Mastra({ agents: { tested: agent }, logger: false });
    await settled();
    const [workflow] = Object.values(mastra.listWorkflows());
    const run = await workflow?.createRun();
    expect(await run?.start({ inputData: { phase: 'input', messages: [hello] } })).toMatchObject({ status: 'tripwire' }); // from a form
  });

  it('Direct Workflow Usage - Processors work directly in workflows [spec 4.5]', async () => {
    const workflow = createWorkflow({ id: 'direct', inputSchema: ProcessorStepSchema, outputSchema: ProcessorStepSchema })
      .then(upper.createStep() as never) // Mastra's builder has no step whose input is a union
      .commit();
    const { agent, model } = makeAgent('Hello.', { inputProcessors: workflow as never }); // see above
    await agent.generate('hi');
    expect(sentText(model, 'user')).toBe('HI');
  });

  it('Auto-Registration - Processor workflows registered in Mastra with `isProcessorWorkflow: true` [spec 4.6]', async () => {
    const { agent } = makeAgent('Hello.', { inputProcessors: pipeline('mine').then(upper) });
    const mastra = new Mastra({ agents: { tested: agent }, logger: false });
    await settled();
    expect(mastra.getWorkflow('mine').type).toBe('processor');
    expect(isProcessorWorkflow(mastra.getWorkflow('mine'))).toBe(true);
  });
});

describe('Workflow tripwire integration', () => {
  it('Workflow result includes tripwire status [spec 4.7]', async () => {
    expect(await runWorkflow(pipeline('p').then(trip()), { phase: 'input', messages: [hello] })).toMatchObject({
      status: 'tripwire',
      tripwire: { reason: 'No.', metadata: { score: 1 }, processorId: 'guard' },
    });
  });

  it("TripWire errors set status to 'tripwire' instead of 'failed' [spec 4.7]", async () => {
    const nested = pipeline('p').then(pipeline('q').then(upper).then(trip()));
    expect(await runWorkflow(nested, { phase: 'input', messages: [hello] })).toMatchObject({ status: 'tripwire' });
    const broken = pipeline('p').then({ id: 'broken', processInput: () => Promise.reject(new Error('out of order')) });
    expect(await runWorkflow(broken, { phase: 'input', messages: [hello] })).toMatchObject({ status: 'failed' });
  });

  it('Step-level tripwire data visible in step results [spec 4.8]', async () => {
    const result = await runWorkflow(pipeline('p').then(upper).then(trip()), { phase: 'input', messages: [hello] });
    expect(result.steps).toMatchObject({
      'processor:upper': { status: 'success' },
      'processor:guard': { status: 'failed', tripwire: { reason: 'No.', processorId: 'guard' } },
    });
  });
});

describe.each(modes)('Key Features of the retry mechanism, %s', (mode) => {
  it('Configuration [spec 4.9]', async () => {
    const picky: Processor = { id: 'picky', processOutputStep: ({ abort }) => abort('Again', { retry: true }) };
    const attempts = async (maxProcessorRetries?: number) => {
      const made = makeAgent([...onlyBad, ...onlyBad], { outputProcessors: [picky], maxProcessorRetries });
      await call(made, mode);
      return made.model.calls.length;
    };
    expect([await attempts(3), await attempts(1), await attempts(0)]).toEqual([4, 2, 1]);
  });

  it('Retry Trigger [spec 4.10]', async () => {
    expect(await call(checked(badThenGood), mode)).toMatchObject({ status: 'success', text: 'Good.' });
  });

  it('Feedback added as system message: `[Processor Feedback] Your previous response was not accepted: {reason}. Please try again with the feedback in mind.` [spec 4.11]', async () => {
    const made = checked([...onlyBad.slice(0, 2), { text: 'Good.' }]);
    await call(made, mode);
    expect(sentText(made.model, 'system', 0)).toBe('Answer.');
    expect(sentText(made.model, 'system', 1)).toBe(`Answer.\n${feedback('Response quality too low')}`);
    expect(sentText(made.model, 'system', 2)).toBe(`Answer.\n${feedback('Response quality too low')}`);
  });

  it('Rejected steps have `tripwire` field with message, retry flag, metadata, processorId [spec 4.12]', async () => {
    const { steps } = await call(checked(badThenGood), mode);
    // The field is called `reason`, as in the chunk and in the result.
    expect(steps[0]?.tripwire).toMatchObject({
      reason: 'Response quality too low',
      retry: true,
      metadata: { text: 'Bad.' },
      processorId: 'quality-check',
    });
    expect(steps[1]?.tripwire).toBeUndefined();
  });

  it("Step's `.text` returns empty string when tripwire is set [spec 4.13]", async () => {
    const { steps } = await call(checked(badThenGood), mode);
    expect(steps.map(({ text }) => text)).toEqual(['', 'Good.']);
  });

  it('`result.text` calculated from steps, excluding rejected ones [spec 4.14]', async () => {
    expect((await call(checked(badThenGood), mode)).text).toBe('Good.');
    expect((await call(checked(onlyBad), mode)).text).toBe('');
    const withTool = [
      { text: 'Looking. ', toolCalls: [{ name: 'echo', args: { say: 'a' } }] },
      { text: 'Bad.' },
      { text: 'Good.' },
    ];
    const lenient: Processor = {
      id: 'lenient',
      processOutputStep: ({ text, abort }) => (text === 'Bad.' ? abort('No', { retry: true }) : []),
    };
    const made = makeAgent(withTool, { tools: { echo }, outputProcessors: [lenient], maxProcessorRetries: 1 });
    expect((await call(made, mode)).text).toBe('Looking. Good.');
  });

  it("Uses `'tripwire'` (not `'abort'`) for processor-triggered tripwires", async () => {
    const { steps } = await call(checked(onlyBad), mode);
    expect(steps.at(-1)?.reason).toBe('tripwire');
  });

  it("Uses `'retry'` for retry scenarios", async () => {
    const { steps } = await call(checked(badThenGood), mode);
    expect(steps.map(({ reason }) => reason)).toEqual(['retry', 'stop']);
  });
});

describe.each(modes)('Step Reason Values, %s [spec 4.15]', (mode) => {
  const reasonsOf = async (made: ReturnType<typeof makeAgent>) => {
    const { steps, runEvents } = await call(made, mode);
    const reasons = runEvents.flatMap((event) => (event.type === 'step-finish' ? [event.reason] : []));
    expect(reasons).toEqual(steps.map(({ reason }) => reason));
    return reasons;
  };

  it("`'stop'` - Normal completion", async () => {
    expect(await reasonsOf(makeAgent())).toEqual(['stop']);
  });

  it("`'tool-calls'` - Tool calls to execute", async () => {
    expect(await reasonsOf(makeAgent(callThen('echo', { say: 'a' }), { tools: { echo } }))).toEqual(['tool-calls', 'stop']);
  });

  it("`'tripwire'` - Processor triggered tripwire (not retrying)", async () => {
    expect(await reasonsOf(checked([{ text: 'Bad.' }], { maxProcessorRetries: 0 }))).toEqual(['tripwire']);
  });

  it("`'retry'` - Processor requested retry (continuing loop)", async () => {
    expect(await reasonsOf(checked([...onlyBad.slice(0, 2), { text: 'Good.' }]))).toEqual(['retry', 'retry', 'stop']);
  });

  it("`'error'` - Error occurred", async () => {
    const calls: string[] = [];
    const onRunEvent = (event: RunEvent) => event.type === 'step-finish' && calls.push(event.reason);
    await expect(call(makeAgent([{ error: new Error('refused') }], { onRunEvent }), mode)).rejects.toThrow('refused');
    expect(calls).toEqual(['error']);
  });
});

describe('Stream Chunk Types [spec 4.16]', () => {
  it("`'tripwire'` - Tripwire chunk with payload", async () => {
    const { fullStream } = await checked(onlyBad).agent.stream('Hi');
    const chunks = await all(fullStream);
    expect(chunks.filter(({ type }) => type === 'tripwire')).toMatchObject([
      { payload: { reason: 'Response quality too low', metadata: { text: 'Bad.' }, processorId: 'quality-check' } },
    ]);
    expect(chunks.at(-1)?.type).toBe('finish');
  });

  it("`'step-finish'` - Step completion with tripwire data in steps", async () => {
    const { fullStream } = await checked(badThenGood).agent.stream('Hi');
    const finished = (await all(fullStream)).filter(({ type }) => type === 'step-finish');
    expect(finished).toMatchObject([
      { payload: { output: { steps: [{ tripwire: { reason: 'Response quality too low' } }] } } },
      { payload: { output: { steps: [{ tripwire: { reason: 'Response quality too low' } }, { text: 'Good.' }] } } },
    ]);
  });

  it("`'finish'` - Stream completion", async () => {
    const { fullStream } = await checked(badThenGood).agent.stream('Hi');
    expect((await all(fullStream)).map(({ type }) => type).filter((type) => type === 'finish')).toHaveLength(1);
  });
});

describe.each(modes)('Result Structure, %s', (mode) => {
  it('text: Only accepted responses (tripwire steps excluded)', async () => {
    expect(await call(checked(badThenGood), mode)).toMatchObject({ text: 'Good.' });
  });

  it('steps: All steps, each may have tripwire data', async () => {
    const { steps } = await call(checked(onlyBad), mode);
    expect(steps.map(({ tripwire }) => tripwire?.retry ?? false)).toEqual([true, true, false]);
  });

  it('tripwire: True if final tripwire (max retries exceeded) [spec 4.17]', async () => {
    // Newer documents have the data instead of the flag and of `tripwireReason`.
    const stopped = await call(checked([{ text: 'Bad.' }, { text: 'Bad.' }], { maxProcessorRetries: 1 }), mode);
    expect(stopped.tripwire).toMatchObject({ reason: 'Response quality too low', retry: true });
    expect((await call(checked(badThenGood), mode)).tripwire).toBeUndefined();
  });

  it('StepResult.text: Empty if tripwire set', async () => {
    const { steps } = await call(checked(onlyBad), mode);
    expect(steps.map(({ text }) => text)).toEqual(['', '', '']);
  });

  it('StepResult.tripwire: message, retry, metadata, processorId', async () => {
    const { steps } = await call(checked(onlyBad), mode);
    const data = { reason: 'Response quality too low', metadata: { text: 'Bad.' }, processorId: 'quality-check' };
    expect(steps.map(({ tripwire }) => tripwire)).toMatchObject([data, data, data]);
  });
});

describe('Schema Improvements for Playground Forms [spec 4.18]', () => {
  it('Proper field types for messages, messageList, systemMessages', () => {
    const wrong = [
      { messages: 'hello' },
      { messages: [{ ...hello, role: 'nobody' }] },
      { messages: [hello], systemMessages: [{ role: 'user' }] },
    ];
    for (const fields of wrong) expect(ProcessorStepInputSchema.safeParse({ phase: 'input', ...fields }).success).toBe(false);
    const right = { phase: 'input', messages: [hello], systemMessages: [{ role: 'system', content: 'Be kind.' }] };
    expect(ProcessorStepInputSchema.safeParse(right).success).toBe(true);
  });

  it('Passthrough on object schemas preserves additional fields', () => {
    const given = { phase: 'input', messages: [{ ...hello, createdAt: new Date(0), mark: 1 }], own: { deep: true } };
    expect(ProcessorStepInputSchema.parse(given)).toMatchObject(given);
  });
});

describe('Tests', () => {
  describe('Retry mechanism tests (3 tests)', () => {
    it('a rejected answer is retried', async () => {
      expect(await call(checked(badThenGood), 'generate')).toMatchObject({ status: 'success', steps: [{}, {}] });
    });

    it('the budget limits the retries [spec 3.21]', async () => {
      const made = checked(onlyBad, { maxProcessorRetries: 1 });
      expect(await call(made, 'generate')).toMatchObject({ status: 'tripwire', tripwire: { retry: true } });
      expect(made.model.calls).toHaveLength(2);
    });

    it('retryCount counts them [spec 3.21]', async () => {
      const counts: number[] = [];
      const counting: Processor = {
        id: 'counting',
        processOutputStep: ({ retryCount, abort }) => (counts.push(retryCount) < 3 ? abort('Again', { retry: true }) : []),
      };
      await call(makeAgent(onlyBad, { outputProcessors: [counting], maxProcessorRetries: 3 }), 'generate');
      expect(counts).toEqual([0, 1, 2]);
    });
  });

  it.each([
    ['no options', undefined, {}],
    ['retry', { retry: true }, { retry: true }],
    ['metadata', { metadata: { a: [1] } }, { metadata: { a: [1] } }],
    ['both', { retry: false, metadata: 'why' }, { metadata: 'why' }],
  ])('TripWire options tests: %s', async (_name, options, expected) => {
    const guard: Processor = { id: 'guard', processInput: ({ abort }) => abort('No.', options) };
    const { tripwire } = await call(makeAgent('Hello.', { inputProcessors: [guard] }), 'generate');
    expect(tripwire).toMatchObject({ reason: 'No.', processorId: 'guard', ...expected });
  });

  it.each([
    ['processInput', 'inputProcessors'],
    ['processInputStep', 'inputProcessors'],
    ['processLLMRequest', 'inputProcessors'],
    ['processOutputStream', 'outputProcessors'],
    ['processLLMResponse', 'inputProcessors'],
    ['processOutputStep', 'outputProcessors'],
    ['processOutputResult', 'outputProcessors'],
  ] as const)('ProcessorId in tripwire tests: %s', async (hook, lane) => {
    for (const mode of modes) {
      const guard = tripping(hook, 'No.', { id: `${hook}-guard` });
      const { tripwire } = await call(
        makeAgent('Hello.', { [lane]: [upper, guard].slice(lane === 'inputProcessors' ? 0 : 1) }),
        mode,
      );
      expect(tripwire).toMatchObject({ processorId: `${hook}-guard` });
    }
  });

  it('Workflow as processor tests', async () => {
    const edits = pipeline('p')
      .then(upper)
      .then(
        pipeline('q').then({
          id: 'mark',
          processInput: ({ messages }) => messages.map((message) => withText(message, (text) => `${text}!`)),
        }),
      );
    const { agent, model } = makeAgent('Hello.', {
      inputProcessors: [edits.commit()],
      outputProcessors: [pipeline('o').then(qualityChecker)],
    });
    expect(await agent.generate('hi')).toMatchObject({ status: 'tripwire', tripwire: { processorId: 'quality-check' } });
    expect(sentText(model, 'user')).toBe('HI!');
  });
});

describe.each(modes)('Open Questions (Resolved), %s', (mode) => {
  it('Retry feedback format', async () => {
    const made = checked(badThenGood);
    await call(made, mode);
    expect(sentText(made.model, 'system', 1)).toContain(feedback('Response quality too low'));
  });

  it('Retry scope: Global across all processors per generation, tracked via `processorRetryCount` [spec 4.19]', async () => {
    const counts: [string, number][] = [];
    const picky = (id: string, word: string): Processor => ({
      id,
      processOutputStep: ({ text, abort, retryCount }) => {
        counts.push([id, retryCount]);
        return text === word ? abort('Again', { retry: true }) : [];
      },
    });
    const steps = [{ text: 'One.' }, { text: 'Two.' }, { text: 'Three.' }];
    await call(makeAgent(steps, { outputProcessors: [picky('a', 'One.'), picky('b', 'Two.')], maxProcessorRetries: 2 }), mode);
    expect(counts).toEqual([
      ['a', 0],
      ['a', 1],
      ['b', 1],
      ['a', 2],
      ['b', 2],
    ]);
    const short = makeAgent(steps, { outputProcessors: [picky('a', 'One.'), picky('b', 'Two.')], maxProcessorRetries: 1 });
    expect(await call(short, mode)).toMatchObject({ status: 'tripwire', tripwire: { processorId: 'b' } });
  });

  it('Workflow processor state: Each workflow run gets fresh state, parallel branches share input [spec 4.20]', async () => {
    const seen: unknown[] = [];
    const counting: Processor = {
      id: 'counting',
      processInput: ({ state, messages }) => {
        seen.push({ ...state });
        state['seen'] = true;
        return messages;
      },
    };
    const inputs: string[] = [];
    const looking = (id: string): Processor => ({
      id,
      processInput: ({ messages }) => {
        inputs.push(textOf(messages[0]));
        return messages.map((message) => withText(message, (text) => `${text} ${id}`));
      },
    });
    const guards = pipeline('p')
      .then(counting)
      .parallel([looking('a'), looking('b')]);
    const made = makeAgent([{ text: 'One.' }, { text: 'Two.' }], { inputProcessors: guards });
    await call(made, mode);
    await call(made, mode);
    expect(seen).toEqual([{}, {}]);
    expect(inputs).toEqual(['Hi', 'Hi', 'Hi', 'Hi']);
  });

  it('Streaming retries: Text already streamed is kept in steps with tripwire data, `result.text` only includes accepted responses [spec 4.21]', async () => {
    const result = await call(checked(badThenGood), mode);
    expect(result.steps[0]).toMatchObject({ reason: 'retry', text: '', tripwire: { metadata: { text: 'Bad.' } } });
    expect(result.text).toBe('Good.');
    const chunks = await all((await checked(badThenGood, asMastra).agent.stream('Hi')).fullStream);
    const deltas = chunks.flatMap((chunk) => (chunk.type === 'text-delta' ? [chunk.payload.text] : []));
    expect(deltas).toEqual(['Bad.', 'Good.']);
    expect(chunks.map(({ type }) => type)).toContain('data-interlock-retract');
  });

  it('Processor workflow schemas: Discriminated union based on `phase` field with proper typing per phase', () => {
    expect(ProcessorStepSchema.safeParse({ phase: 'outputStep', messages: [hello], stepNumber: 'one' }).success).toBe(false);
    expect(ProcessorStepSchema.safeParse({ phase: 'outputStep', messages: [hello], stepNumber: 1 }).success).toBe(true);
    expect(ProcessorStepSchema.safeParse({ phase: 'nosuch', messages: [hello] }).success).toBe(false);
  });
});
