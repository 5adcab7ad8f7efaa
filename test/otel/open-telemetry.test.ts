import type { Processor } from '@mastra/core/processors';
import { createTool } from '@mastra/core/tools';
import { context, SpanStatusCode, trace as otelTrace, type Attributes } from '@opentelemetry/api';
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
  type ReadableSpan,
  type SpanProcessor,
} from '@opentelemetry/sdk-trace-base';
import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';

import { collectTraces, redactTrace } from '../../src/replay.js';
import { guard, InterlockAgent, type InterlockAgentConfig, type RunEvent } from '../../src/index.js';
import { openTelemetry } from '../../src/otel/index.js';
import { scriptedModel, type ScriptedStep } from '../../src/testing/index.js';

/** Text that no telemetry may contain: it is in messages, errors, tool arguments and guards' quotations. */
const secret = 'ZEBRA';

const createTelemetry = () => {
  const spans = new InMemorySpanExporter();
  const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 3_600_000 });
  const open = new Set<string>();
  const counting: SpanProcessor = {
    onStart: (span) => void open.add(span.spanContext().spanId),
    onEnd: (span) => void open.delete(span.spanContext().spanId),
    forceFlush: async () => undefined,
    shutdown: async () => undefined,
  };
  const tracerProvider = new BasicTracerProvider({ spanProcessors: [counting, new SimpleSpanProcessor(spans)] });
  const meterProvider = new MeterProvider({ readers: [reader] });
  const points = async (name: string): Promise<{ attributes: Attributes; value: unknown }[]> => {
    await reader.forceFlush();
    const scopes = exporter.getMetrics().at(-1)?.scopeMetrics ?? [];
    return scopes.flatMap(({ metrics }) =>
      metrics.filter(({ descriptor }) => descriptor.name === name).flatMap(({ dataPoints }) => [...dataPoints]),
    );
  };
  const everything = async (): Promise<string> => {
    await reader.forceFlush();
    return JSON.stringify([spans.getFinishedSpans().map(plain), exporter.getMetrics().at(-1)?.scopeMetrics]);
  };
  return { spans, open, points, everything, telemetry: openTelemetry({ tracerProvider, meterProvider }) };
};

/** The compared fields of a span. */
const plain = (span: ReadableSpan) => {
  const { name, kind, attributes, events, status, startTime, endTime, links } = span;
  return { name, kind, attributes, events, status, startTime, endTime, links: links.length };
};

/** Spans as an indented list, in the order of their start. */
const treeOf = (spans: readonly ReadableSpan[]): string[] => {
  const starts = spans.toSorted((a, b) => a.startTime[0] - b.startTime[0] || a.startTime[1] - b.startTime[1]);
  const below = (parent: string | undefined, indent: string): string[] =>
    starts
      .filter(({ parentSpanContext }) => parentSpanContext?.spanId === parent)
      .flatMap((span) => [indent + span.name, ...below(span.spanContext().spanId, `${indent}  `)]);
  return below(undefined, '');
};

const named = (spans: readonly ReadableSpan[], name: string): ReadableSpan[] => spans.filter((span) => span.name === name);

const lookUp = createTool({
  id: 'look-up',
  description: 'Looks up.',
  inputSchema: z.object({ what: z.string() }),
  execute: async () => ({ found: secret }),
});

const polite: Processor = { id: 'polite', processInput: ({ messages }) => messages };
const strict: Processor = {
  id: 'strict',
  processOutputStep: ({ text = '', messages, abort }) =>
    text.includes(secret) ? abort(`It says ${text}`, { retry: true, metadata: { text } }) : messages,
};
const broken: Processor = {
  id: 'broken',
  processInput: () => {
    throw new Error(secret);
  },
};

type Config = Partial<InterlockAgentConfig>;

const createAgent = (steps: readonly ScriptedStep<'v2'>[], config: Config) =>
  new InterlockAgent({ id: 'desk', name: 'Desk', model: scriptedModel({ steps }), tools: { lookUp }, ...(config as object) });

const callThenAnswer: ScriptedStep<'v2'>[] = [
  { toolCalls: [{ name: 'lookUp', args: { what: secret } }] },
  { text: secret },
  { text: 'Well.' },
];

const guarded: Config = {
  inputProcessors: [polite, guard(broken, { onUnavailable: 'pass' }), guard({ ...broken, id: 'shade' }, { shadow: true })],
  outputProcessors: [strict],
  maxProcessorRetries: 2,
};

describe('the telemetry of a run', () => {
  const run = async () => {
    const own = createTelemetry();
    const recording = collectTraces();
    const events: RunEvent[] = [];
    const onRunEvent = (event: RunEvent): void => {
      own.telemetry.onRunEvent(event);
      events.push(event);
    };
    const agent = createAgent(callThenAnswer, { ...guarded, onRunEvent, record: recording.record });
    const { status } = await agent.generate(`Say ${secret}.`, { runId: 'first' });
    expect(status).toBe('success');
    await vi.waitUntil(() => events.some(({ type }) => type === 'guard-shadow'));
    return { ...own, trace: recording.trace };
  };

  it('is one trace with the names of the semantic conventions', async () => {
    const { spans } = await run();
    const all = spans.getFinishedSpans();
    expect(treeOf(all).toSorted()).toEqual(
      [
        'invoke_agent desk',
        '  guard polite',
        '  guard shade',
        '  step 0',
        '    chat scripted-model',
        '    guard strict',
        '    execute_tool lookUp',
        '  step 1',
        '    chat scripted-model',
        '    guard strict',
        '  step 1',
        '    chat scripted-model',
        '    guard strict',
      ].toSorted(),
    );
    expect(named(all, 'invoke_agent desk')[0]).toMatchObject({
      attributes: {
        'gen_ai.operation.name': 'invoke_agent',
        'gen_ai.agent.name': 'desk',
        'interlock.run.id': 'first',
        'interlock.run.status': 'success',
        'interlock.run.retries': 1,
      },
      events: [
        {
          name: 'interlock.guard.bypass',
          attributes: { 'interlock.guard.id': 'broken', 'interlock.guard.bypass.reason': 'guard/unavailable' },
        },
      ],
    });
    expect(named(all, 'chat scripted-model')[0]?.attributes).toMatchObject({
      'gen_ai.provider.name': 'scripted',
      'gen_ai.request.model': 'scripted-model',
      'gen_ai.response.finish_reasons': ['tool-calls'],
      'gen_ai.usage.input_tokens': 10,
      'gen_ai.usage.output_tokens': 5,
    });
    expect(named(all, 'execute_tool lookUp')[0]?.attributes).toMatchObject({ 'interlock.tool.outcome': 'result' });
    expect(
      named(all, 'guard strict').map(({ attributes }) => [
        attributes['interlock.step.attempt'],
        attributes['interlock.guard.verdict'],
      ]),
    ).toEqual([
      [1, 'pass'],
      [1, 'retry'],
      [2, 'pass'],
    ]);
    expect(named(all, 'step 1').map(({ attributes }) => attributes['interlock.step.reason'])).toEqual(['retry', 'stop']);
    expect(named(all, 'guard shade')[0]).toMatchObject({
      attributes: { 'interlock.guard.shadow': true, 'error.type': 'guard/unavailable' },
      status: { code: SpanStatusCode.ERROR },
    });
  });

  it('contains no text of messages, guards or errors', async () => {
    const { everything } = await run();
    const exported = await everything();
    expect(exported).toContain('lookUp');
    expect(exported).not.toContain(secret);
  });

  it('counts verdicts, bypasses, retries, durations and tokens', async () => {
    const { points } = await run();
    const desk = { 'gen_ai.agent.name': 'desk' };
    const verdicts = (await points('interlock.guard.verdicts')).map(({ attributes, value }) => [
      attributes['interlock.guard.id'],
      attributes['interlock.guard.verdict'],
      attributes['interlock.guard.shadow'],
      value,
    ]);
    expect(verdicts.toSorted((a, b) => JSON.stringify(a).localeCompare(JSON.stringify(b)))).toEqual([
      ['polite', 'pass', false, 1],
      ['shade', 'unavailable', true, 1],
      ['strict', 'pass', false, 2],
      ['strict', 'retry', false, 1],
    ]);
    const durations = await points('interlock.guard.duration');
    expect(durations.map(({ value }) => (value as { count: number }).count)).toEqual(expect.arrayContaining([1, 1, 2, 1]));
    expect(await points('interlock.guard.bypasses')).toMatchObject([
      { attributes: { ...desk, 'interlock.guard.id': 'broken', 'interlock.guard.bypass.reason': 'guard/unavailable' }, value: 1 },
    ]);
    expect(await points('interlock.run.retries')).toMatchObject([{ attributes: desk, value: 1 }]);
    expect(await points('interlock.run.trips')).toEqual([]);
    expect(await points('gen_ai.client.operation.duration')).toMatchObject([{ value: { count: 3 } }]);
    expect(await points('gen_ai.execute_tool.duration')).toMatchObject([
      { attributes: { 'gen_ai.tool.name': 'lookUp' }, value: { count: 1 } },
    ]);
    expect(await points('gen_ai.invoke_agent.duration')).toMatchObject([
      { attributes: { 'interlock.run.status': 'success' }, value: { count: 1 } },
    ]);
    const tokens = (await points('gen_ai.client.token.usage')).map(({ attributes, value }) => [
      attributes['gen_ai.token.type'],
      (value as { sum: number }).sum,
    ]);
    expect(tokens).toEqual([
      ['input', 30],
      ['output', 15],
    ]);
  });

  it('is the same from its trace, even redacted, at the original times', async () => {
    const live = await run();
    const long = 2 * 86_400_000; // before the start of this process
    const older = redactTrace(live.trace).map((entry) =>
      entry.kind === 'event' ? { ...entry, event: { ...entry.event, at: entry.event.at - long } } : entry,
    );
    const exported = createTelemetry();
    exported.telemetry.exportTrace(older);
    const timesOf = (spans: readonly ReadableSpan[], shift: number) =>
      spans.map(plain).map(({ startTime, endTime, events, ...rest }) => ({
        ...rest,
        events: events.map(({ name, attributes }) => ({ name, attributes })),
        startTime: [startTime[0] - shift, startTime[1]],
        endTime: [endTime[0] - shift, endTime[1]],
      }));
    expect(timesOf(exported.spans.getFinishedSpans(), 0)).toEqual(timesOf(live.spans.getFinishedSpans(), long / 1_000));
    expect(treeOf(exported.spans.getFinishedSpans())).toEqual(treeOf(live.spans.getFinishedSpans()));
    expect(await exported.points('interlock.guard.verdicts')).toHaveLength(4);
    const apart = createTelemetry();
    apart.telemetry.exportTrace(older, { metrics: false });
    expect(await apart.points('interlock.guard.verdicts')).toEqual([]);
    expect(apart.spans.getFinishedSpans()).toHaveLength(live.spans.getFinishedSpans().length);
  });

  it('is a child of the active span', async () => {
    const { spans, telemetry } = createTelemetry();
    const outer = otelTrace.setSpanContext(context.active(), { traceId: '1'.repeat(32), spanId: '2'.repeat(16), traceFlags: 1 });
    const active = vi.spyOn(context, 'active').mockReturnValue(outer);
    await createAgent([{ text: 'Hi.' }], { onRunEvent: telemetry.onRunEvent }).generate('Hello');
    active.mockRestore();
    const [own] = named(spans.getFinishedSpans(), 'invoke_agent desk');
    expect(own?.parentSpanContext?.spanId).toBe('2'.repeat(16));
    expect(new Set(spans.getFinishedSpans().map((span) => span.spanContext().traceId))).toEqual(new Set(['1'.repeat(32)]));
  });
});

describe('the end of a run', () => {
  const trips: Processor = {
    id: 'trips',
    processOutputStream: async ({ part, abort }) => (part.type === 'text-delta' ? abort(secret) : part),
  };
  const cases: [status: string, steps: ScriptedStep<'v2'>[], config: Config, about: object][] = [
    [
      'tripwire',
      [{ text: 'Well.' }],
      { outputProcessors: [trips] },
      { 'interlock.guard.id': 'trips', 'interlock.guard.phase': 'outputStream' },
    ],
    ['failed', [{ text: 'Well.' }], { inputProcessors: [broken] }, { 'error.type': 'guard/unavailable' }],
    ['failed', [{ error: new TypeError(secret) }], {}, { 'error.type': 'model/call-failed' }],
    ['canceled', [{ text: ['Well.'], hang: true }], {}, {}],
    ['suspended', callThenAnswer, { defaultOptions: { requireToolApproval: true } }, {}],
  ];

  it.each(cases)('ends its spans with the status: %s', async (status, steps, config, about) => {
    const { spans, telemetry, points, everything, open } = createTelemetry();
    const gone = new AbortController();
    const onRunEvent = (event: RunEvent): void => {
      telemetry.onRunEvent(event);
      if (status === 'canceled' && event.type === 'model-call') setImmediate(() => gone.abort());
    };
    await createAgent(steps, { ...config, onRunEvent })
      .generate(secret, { abortSignal: gone.signal })
      .catch(() => undefined);
    const [own] = named(spans.getFinishedSpans(), 'invoke_agent desk');
    expect(own?.attributes).toMatchObject({ 'interlock.run.status': status, ...about });
    expect(own?.status.code).toBe(status === 'failed' ? SpanStatusCode.ERROR : SpanStatusCode.UNSET);
    expect(await points('interlock.run.trips')).toHaveLength(status === 'tripwire' ? 1 : 0);
    expect(await everything()).not.toContain(secret);
    expect(open.size).toBe(0);
  });

  it('a resumed run links to the first part and counts its retries once', async () => {
    const { spans, telemetry, points } = createTelemetry();
    const agent = createAgent([{ text: secret }, ...callThenAnswer], {
      outputProcessors: [strict],
      maxProcessorRetries: 2,
      defaultOptions: { requireToolApproval: true },
      onRunEvent: telemetry.onRunEvent,
    });
    const { runId } = await agent.generate('Hi');
    await agent.approveToolCallGenerate({ runId });
    const [first, second] = named(spans.getFinishedSpans(), 'invoke_agent desk');
    expect(second?.links.map((link) => link.context.spanId)).toEqual([first?.spanContext().spanId]);
    expect([first?.attributes['interlock.run.status'], second?.attributes['interlock.run.status']]).toEqual([
      'suspended',
      'success',
    ]);
    expect(await points('interlock.run.retries')).toMatchObject([{ value: 2 }]);
  });
});
