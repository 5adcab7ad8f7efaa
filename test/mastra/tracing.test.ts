import { MockMemory } from '@mastra/core/memory';
import { SpanType, type AnyExportedSpan, type TracingContext } from '@mastra/core/observability';
import { createTool } from '@mastra/core/tools';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { type InterlockAgent, phases, type InterlockCallOptions, type Phase } from '../../src/index.js';
import { phaseNames } from '../../src/phase/table.js';
import type { InterlockConfig } from '../../src/mastra/agent/config.js';
import { scriptedModel } from '../../src/testing/index.js';
import { redactor } from '../../workflows/guards/index.js';
import { createAgent, everyHook, guardOn, laned, modelFor, runAgent, type HookArgs } from '../promises/support.js';
import { begin, charging, resume, yes } from './approval-support.js';
import { callThen, echo, makeAgent, modes, type Mode } from './support.js';
import { traced } from './traced.js';

type Tree = [name: string, ...children: Tree[]];

/** Spans as a tree of their names, in the order of their start. */
const treeOf = (spans: readonly AnyExportedSpan[], parent?: string): Tree[] =>
  spans.filter(({ parentSpanId }) => parentSpanId === parent).map(({ id, name }): Tree => [name, ...treeOf(spans, id)]);

const ofType = (spans: readonly AnyExportedSpan[], type: `${SpanType}`) =>
  spans.filter((span) => (span.type satisfies string as string) === type);

/** Every span has ended, under a single root. */
const expectWhole = (spans: readonly AnyExportedSpan[]) => {
  expect(spans.filter(({ endTime }) => !endTime).map(({ name }) => name)).toEqual([]);
  const ids = new Set(spans.map(({ id }) => id));
  expect(spans.filter(({ parentSpanId }) => !parentSpanId || !ids.has(parentSpanId)).map(({ type }) => type)).toEqual([
    'agent_run',
  ]);
  expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(1);
};

const run = (agent: InterlockAgent, mode: Mode, options: InterlockCallOptions = {}) => runAgent(agent, mode, options);

describe.each(modes)('the trace of a run, %s', (mode) => {
  it('matches the tree of a Mastra agent: the run, the generation, its steps, in each the call, its tools and its guards', async () => {
    const guard = {
      id: 'g',
      processInput: () => undefined,
      processInputStep: () => undefined,
      processOutputStream: ({ part }: HookArgs) => part,
      processOutputStep: () => undefined,
      processOutputResult: () => undefined,
    } as never;
    const { agent } = makeAgent(callThen('echo', { say: 'x' }), {
      tools: { echo },
      inputProcessors: [guard],
      outputProcessors: [guard],
    });
    const trace = traced(agent);
    const answer = await agent[mode]('Hello');
    expect(await answer.text).toBe('Done.');
    const spans = await trace.spans();
    expectWhole(spans);
    const call = (step: number) => [`inference: ${step}`] as Tree;
    const judged = [['output stream processor: g'], ['output step processor: g']] as Tree[];
    expect(treeOf(spans)).toEqual([
      [
        "agent run: 'tested'",
        ['input processor: g'],
        [
          "llm: 'scripted-model'",
          ['step: 0', ['input step processor: g'], call(0), ...judged, ["tool: 'echo'"], ['output stream processor: g']],
          ['step: 1', ['input step processor: g'], call(1), ...judged],
        ],
        ['output result processor: g'],
      ],
    ]);
    const [root] = spans;
    expect([answer.traceId, answer.spanId]).toEqual([root?.traceId, root?.id]);
    expect(root).toMatchObject({ output: { text: 'Done.' }, attributes: { instructions: 'Answer.', maxSteps: 5 } });
    expect(root?.input).toMatchObject([{ role: 'user', content: { parts: [{ text: 'Hello' }] } }]);
    expect(ofType(spans, 'model_generation')[0]).toMatchObject({
      output: { text: 'Done.', toolCalls: [{ toolName: 'echo', args: { say: 'x' } }], toolResults: [{ result: { said: 'x' } }] },
      attributes: {
        model: 'scripted-model',
        streaming: mode === 'stream',
        usage: { inputTokens: 20, outputTokens: 10 },
        finishReason: 'stop',
      },
    });
    expect(ofType(spans, 'model_inference')[0]).toMatchObject({
      attributes: { availableTools: ['echo'], finishReason: 'tool-calls' },
    });
  });

  it('is not created unless requested', async () => {
    const { agent } = makeAgent();
    const answer = await agent[mode]('Hello');
    expect([await answer.text, answer.traceId, answer.spanId]).toEqual(['Hello.', undefined, undefined]);
  });

  it('is named by the answer that memory saves', async () => {
    const memory = new MockMemory();
    const turn = callThen('echo', { say: 'x' });
    const { agent } = makeAgent([...turn, ...turn], { tools: { echo }, memory });
    const ask = async (thread: string) => {
      const answer = await agent[mode]('Hello', { memory: { thread, resource: 'r' } });
      await answer.text;
      const { messages } = await memory.recall({ threadId: thread, resourceId: 'r' });
      return { traceId: answer.traceId, saved: messages.map(({ role, content }) => [role, content.metadata?.['traceId']]) };
    };
    expect((await ask('untraced')).saved).toEqual([
      ['user', undefined],
      ['assistant', undefined],
    ]);
    traced(agent);
    const { traceId, saved } = await ask('traced');
    expect(traceId).toBeDefined();
    expect(saved).toEqual([
      ['user', undefined],
      ['assistant', traceId],
    ]);
  });

  it('is part of the caller’s trace and uses its options', async () => {
    const { agent } = makeAgent();
    const { spans } = traced(agent);
    const traceId = 'a'.repeat(32);
    const answer = await agent[mode]('Hello', { tracingOptions: { traceId, metadata: { tenant: 'x' }, tags: ['t'] } });
    await answer.text;
    expect((await spans())[0]).toMatchObject({ traceId, tags: ['t'], metadata: { tenant: 'x', runId: answer.runId } });
    expect(answer.traceId).toBe(traceId);
  });

  it('each processor has a span with its serializable arguments and result [spec 1.28]', async () => {
    const change = { id: 'change', processInputStep: () => ({ toolChoice: 'none', modelSettings: { temperature: 0 } }) };
    const { agent } = makeAgent('Fine.', { tools: { echo }, inputProcessors: [change as never], recordEdits: true });
    const { spans } = traced(agent);
    await (
      await agent[mode]('Hello')
    ).text;
    const [span] = ofType(await spans(), 'processor_run');
    expect(span).toMatchObject({
      name: 'input step processor: change',
      entityType: 'input_step_processor',
      entityId: 'change',
      attributes: { processorIndex: 0, processorPhase: 'inputStep' },
      input: {
        messages: [{ role: 'user', content: { parts: [{ type: 'text', text: 'Hello' }] } }],
        systemMessages: [{ role: 'system', content: 'Answer.' }],
        stepNumber: 0,
        retryCount: 0,
        model: { modelId: 'scripted-model', provider: 'scripted', specificationVersion: 'v2' },
        tools: ['echo'],
        steps: { count: 0 },
      },
      output: { verdict: 'edit', toolChoice: 'none', modelSettings: { temperature: 0 } },
    });
  });

  it('has only the length of the text that a guard received, without recordEdits', async () => {
    const { agent } = makeAgent('Fine.', { inputProcessors: [{ id: 'look', processInput: () => undefined } as never] });
    const { spans } = traced(agent);
    await (
      await agent[mode]('Hello')
    ).text;
    const [span] = ofType(await spans(), 'processor_run');
    expect(span).toMatchObject({
      input: { messages: [{ role: 'user', content: { parts: [{ type: 'text', text: '5 characters' }] } }], retryCount: 0 },
      output: { verdict: 'pass' },
    });
    expect(JSON.stringify([span?.input, span?.output])).not.toContain('Hello');
  });

  it('passes hooks and tools their current span [spec 2.49]', async () => {
    const mark = ({ tracingContext }: { tracingContext?: TracingContext }, name: string) =>
      tracingContext?.currentSpan?.createChildSpan({ type: 'generic' as never, name }).end();
    const guard = {
      id: 'g',
      processInput: (args: object) => mark(args, 'in input'),
      processOutputStream: (args: { part: { type: string }; tracingContext?: TracingContext }) => {
        if (args.part.type === 'text-start') mark(args, 'in stream');
        return args.part;
      },
    } as never;
    const tool = createTool({
      id: 'mark',
      description: 'Marks.',
      inputSchema: z.object({}),
      execute: async (_args, context) => (mark(context, 'in tool'), 'ok'),
    });
    const { agent } = makeAgent(callThen('mark'), { tools: { mark: tool }, inputProcessors: [guard], outputProcessors: [guard] });
    const trace = traced(agent);
    await (
      await agent[mode]('Hello')
    ).text;
    const spans = await trace.spans();
    expectWhole(spans);
    const parents = Object.fromEntries(
      ofType(spans, 'generic').map(({ name, parentSpanId }) => [name, spans.find(({ id }) => id === parentSpanId)?.name]),
    );
    expect(parents).toEqual({
      'in input': 'input processor: g',
      'in stream': 'output stream processor: g',
      'in tool': "tool: 'mark'",
    });
  });

  it.each(['tracingContext', 'tracing'] as const)(
    'a call with the span of its caller as %s is part of that trace',
    async (option) => {
      const { agent: inner } = makeAgent([{ text: ['Inner.'] }], { id: 'inner' });
      const guard = {
        id: 'g',
        processInput: async ({ tracingContext }: { tracingContext?: TracingContext }) =>
          void (await run(inner, mode, { [option]: tracingContext })),
      } as never;
      const { agent } = makeAgent([{ text: ['Outer.'] }], { inputProcessors: [guard] });
      const trace = traced(agent);
      await run(agent, mode);
      const spans = await trace.spans();
      expectWhole(spans);
      const own = spans.find(({ name }) => name === "agent run: 'inner'");
      expect(spans.find(({ id }) => id === own?.parentSpanId)?.name).toBe('input processor: g');
    },
  );

  it('processorIndex is the index of a processor among those that run with it [spec 2.4]', async () => {
    const processor = (id: string) => ({ id, processInput: () => undefined }) as { id: string; processorIndex?: number };
    const [first, second, own] = [processor('first'), Object.freeze(processor('second')), processor('own')];
    const { agent } = makeAgent(['Fine.'], { inputProcessors: [first, second, own] as never, memory: new MockMemory() });
    expect([first.processorIndex, own.processorIndex]).toEqual([0, 2]);
    const { spans } = traced(agent);
    await (
      await agent[mode]('Hello', { memory: { thread: 't', resource: 'r' } })
    ).text;
    expect(own.processorIndex).toBeGreaterThan(2); // memory's own run before
    const span = (await spans()).find(({ name }) => name === 'input processor: own');
    expect(span?.attributes).toMatchObject({ processorIndex: own.processorIndex });
  });

  it('shows a sub-agent inside the tool that called it', async () => {
    const { agent: child } = makeAgent('Asked.', { id: 'child', description: 'Asks.' });
    const { agent } = makeAgent(callThen('agent-child', { prompt: 'Ask.' }), { agents: { child } });
    const trace = traced(agent, child);
    await (
      await agent[mode]('Hello')
    ).text;
    const spans = await trace.spans();
    expectWhole(spans);
    const inner = spans.find(({ name }) => name === "agent run: 'child'");
    expect(spans.find(({ id }) => id === inner?.parentSpanId)?.name).toBe("tool: 'agent-child'");
    expect(inner?.output).toMatchObject({ text: 'Asked.' });
  });

  it('a suspended and resumed run is one trace', async () => {
    const { agent } = makeAgent(callThen('charge', { amount: 7 }), { tools: { charge: charging([]) } });
    const trace = traced(agent);
    const rested = await begin(agent, mode);
    const { result } = await resume(agent, mode, yes, { runId: rested.result.runId });
    expect(result.text).toBe('Done.');
    const spans = await trace.spans();
    expectWhole(spans);
    const [first, second] = ofType(spans, 'agent_run');
    expect(first?.output).toEqual({ status: 'suspended', reason: 'approval', toolName: 'charge', toolCallId: 'call-0-0' });
    expect(second).toMatchObject({ parentSpanId: first?.id, name: "agent run: 'tested' (resumed)", output: { text: 'Done.' } });
    expect(ofType(spans, 'tool_call')).toHaveLength(1);
    expect(result.traceId).toBe(first?.traceId);
  });

  it('a failed call is an error in the trace, and so is the run', async () => {
    const agent = createAgent({ model: scriptedModel({ steps: [{ error: new Error('out of order') }] }) });
    const trace = traced(agent);
    expect((await run(agent, mode)).status).toBe('failed');
    const spans = await trace.spans();
    expectWhole(spans);
    for (const type of ['agent_run', 'model_generation', 'model_inference'] as const)
      expect(ofType(spans, type)[0]?.errorInfo?.message).toContain('out of order');
  });

  it.each(phaseNames)('a run that is canceled in %s ends all open spans', async (phase) => {
    const controller = new AbortController();
    const hangs = guardOn(phase, () => (controller.abort(), new Promise(() => undefined)));
    const agent = createAgent({ model: modelFor(phase), ...laned([phase, hangs]) });
    const trace = traced(agent);
    expect((await run(agent, mode, { abortSignal: controller.signal })).status).toBe('canceled');
    const spans = await trace.spans();
    expectWhole(spans);
    expect(ofType(spans, 'agent_run')[0]?.output).toMatchObject({ status: 'aborted' });
  });
});

describe.each(everyHook)('a stop in $hook, $mode', ({ phase, mode }) => {
  const stopped = async (retry: boolean, config: InterlockConfig = {}) => {
    const stops = guardOn(phase, ({ abort }) => abort('not so', { retry, metadata: { rule: 7 } }), {
      times: retry ? 1 : undefined,
    });
    const agent = createAgent({ model: modelFor(phase), maxProcessorRetries: 1, ...config, ...laned([phase, stops]) });
    const trace = traced(agent);
    const ran = await run(agent, mode);
    return { ran, spans: await trace.spans() };
  };

  it('ends every span and marks the spans of its guard and of the run', async () => {
    const { ran, spans } = await stopped(false);
    expect(ran.status).toBe('tripwire');
    expectWhole(spans);
    const tripwireAbort = { reason: 'not so', retry: false, metadata: { rule: 7 } };
    const own = ofType(spans, 'processor_run').filter(({ errorInfo }) => errorInfo);
    expect(own).toMatchObject([{ entityId: `guard-${phase}`, attributes: { tripwireAbort }, errorInfo: { message: 'not so' } }]);
    expect(ofType(spans, 'agent_run')[0]).toMatchObject({
      attributes: { tripwireAbort: { ...tripwireAbort, processorId: `guard-${phase}` } },
      output: { tripwire: { reason: 'not so' } },
    });
  });

  it('a retry records the attempts as steps of one trace', async () => {
    const { ran, spans } = await stopped(true);
    expect(ran.status).toBe('success');
    expectWhole(spans);
    if (phases[phase].retryLeadsTo === 'step') {
      const attempts = ofType(spans, 'model_step').map(({ metadata }) => metadata?.['attempt'] as number);
      expect(attempts).toContain(2);
    }
    const own = spans.filter(({ entityId }) => entityId === `guard-${phase}`);
    expect(own.filter(({ errorInfo }) => errorInfo)).toHaveLength(1);
    expect(own.some(({ errorInfo }) => !errorInfo)).toBe(phase !== 'apiError'); // no further call fails
  });
});

/** Text that no trace may contain. */
const secret = 'ZEBRA';

interface Leak {
  phase: Phase;
  /** The model's first output. */
  steps: readonly object[];
  result?: string;
  /** Whether the tool fails, with the result as its reason. */
  fails?: boolean;
  when?: (args: HookArgs) => boolean;
}

const leaking = {
  reasoning: `They want ${secret}.`,
  text: ['The code ', `is ${secret}. `],
  toolCalls: [{ name: 'fetch', args: { code: secret } }],
};
const calling = { text: 'A moment. ', toolCalls: [{ name: 'fetch', args: { code: 'any' } }] };
const leaks: Leak[] = [
  { phase: 'outputStream', steps: [leaking], when: ({ part }) => part?.type === 'tool-call' },
  { phase: 'llmResponse', steps: [leaking] },
  { phase: 'outputStep', steps: [leaking] },
  { phase: 'toolResult', steps: [calling], result: secret },
  { phase: 'outputStream', steps: [calling], result: secret, when: ({ part }) => part?.type === 'tool-result' },
  { phase: 'outputStream', steps: [calling], result: secret, fails: true, when: ({ part }) => part?.type === 'tool-error' },
  { phase: 'outputResult', steps: [calling, { reasoning: secret, text: `So: ${secret}.` }] },
  { phase: 'apiError', steps: [{ ...leaking, error: new Error('cut off') }] },
];

describe.each(leaks.flatMap((leak) => modes.map((mode) => ({ ...leak, mode }))))(
  'P4: content that $phase rejects, $mode',
  (leak) => {
    const rejected = async (retry: boolean, recordEdits = false) => {
      const { phase, steps, result = 'fine', fails, when, mode } = leak;
      const rejects = guardOn(phase, ({ abort }) => abort('not to be told', { retry }), { when, times: retry ? 1 : undefined });
      const fetches = createTool({
        id: 'fetch',
        description: 'Fetches a code.',
        inputSchema: z.object({ code: z.string() }),
        execute: async () => {
          if (fails) throw new Error(result);
          return { result };
        },
      });
      const looks = { id: 'looks', processInputStep: () => undefined, processOutputStep: () => undefined } as never;
      const config = { tools: { fetch: fetches }, maxProcessorRetries: 1, recordEdits };
      const model = scriptedModel({ steps: ({ index }) => (steps[index] ?? { text: 'I must not tell.' }) as never });
      const guards = laned([phase, rejects], ['inputStep', looks], ['outputStep', looks]);
      const agent = createAgent({ model, ...config, ...guards });
      const trace = traced(agent);
      const { status } = await run(agent, mode);
      expectWhole(await trace.spans());
      return { status, everything: await trace.everything() };
    };

    it('after a trip: no event of the trace contains it', async () => {
      const { status, everything } = await rejected(false);
      expect(status).toBe('tripwire');
      expect(everything).not.toContain(secret);
    });

    it('after a retry: no event contains it, and the accepted text is present', async () => {
      const { status, everything } = await rejected(true);
      expect(status).toBe('success');
      expect(everything).not.toContain(secret);
      expect(everything).toContain('I must not tell.');
    });
  },
);

describe.each(modes)('content that guards redact, %s', (mode) => {
  const redact = (text: string): string => text.replaceAll(secret, '…');
  const redactAll = <T>(value: T): T => JSON.parse(redact(JSON.stringify(value))) as T;

  const leakyAgent = (recordEdits: boolean) => {
    const guard = {
      id: 'redact',
      processInput: ({ messages }: { messages: object[] }) => redactAll(messages),
      processOutputStream: ({ part }: { part: object }) => redactAll(part),
      processToolResult: ({ messages }: { messages: object[] }) => redactAll(messages),
    } as never;
    const fetches = createTool({
      id: 'fetch',
      description: 'Fetches.',
      inputSchema: z.object({}),
      execute: async () => ({ code: secret }),
    });
    return makeAgent([{ text: `A ${secret}. `, toolCalls: [{ name: 'fetch', args: {} }] }, { text: `It is ${secret}.` }], {
      tools: { fetch: fetches },
      inputProcessors: [guard],
      outputProcessors: [guard],
      recordEdits,
    }).agent;
  };

  it.each([
    [false, 'is absent from the trace, and the redacted text is present'],
    [true, 'is present because the run records edits'],
  ])('recordEdits %s: it %s', async (recordEdits) => {
    const agent = leakyAgent(recordEdits);
    const trace = traced(agent);
    expect(await (await agent[mode](`My code is ${secret}.`)).text).toContain('It is ….');
    const everything = await trace.everything();
    expect(everything.includes(secret)).toBe(recordEdits);
    for (const text of ['My code is ….', 'It is ….', '{"code":"…"}']) expect(everything).toContain(text);
  });
});

it('these tests cover the spans of every phase of the table', () => {
  expect(new Set(everyHook.map(({ phase }) => phase))).toEqual(new Set(phaseNames));
});

describe.each(modes)('values that a guard hides from the model, %s', (mode) => {
  const email = 'mara.quill@example.com';

  it.each([false, true])('are in no span, error or tool span of the run, with recordEdits %s', async (recordEdits) => {
    const under: string[] = [];
    const guard = redactor({ strategy: 'restore' });
    const send = createTool({
      id: 'send',
      description: 'Sends.',
      inputSchema: z.object({ to: z.string() }),
      execute: async ({ to }, { tracingContext }: { tracingContext?: TracingContext }) => {
        const span = tracingContext?.currentSpan?.createChildSpan({ type: SpanType.GENERIC, name: 'mail', input: { to } });
        span?.end({ output: `sent to ${to}` });
        under.push(to);
        if (under.length > 1) throw new Error(`${to} bounced`);
        return { sentTo: to };
      },
    });
    const { agent } = makeAgent(
      [
        { toolCalls: [{ name: 'send', args: { to: '[EMAIL_1]' } }] },
        { toolCalls: [{ name: 'send', args: { to: '[EMAIL_1]' } }] },
        { text: ['Sent to [EMA', 'IL_1].'] },
      ],
      {
        tools: { send },
        inputProcessors: [guard],
        outputProcessors: [guard],
        recordEdits,
      },
    );
    const trace = traced(agent);
    const answer = await agent[mode](`Write to ${email}.`);
    expect(await answer.text).toBe(`Sent to ${email}.`);
    expect(under).toEqual([email, email]);
    const exported = await trace.everything();
    expect(exported).not.toContain(email);
    expect(exported).not.toContain('mara.quill');
    expect(exported).toContain('sent to [EMAIL_1]');
    expectWhole(await trace.spans());
  });
});
