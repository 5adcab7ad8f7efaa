import { SpanType } from '@mastra/core/observability';
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
  type MetricData,
} from '@opentelemetry/sdk-metrics';
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor, type ReadableSpan } from '@opentelemetry/sdk-trace-base';
import { describe, expect, it } from 'vitest';

import { openTelemetry } from '../../src/otel/index.js';
import { traced } from '../mastra/traced.js';
import { createDisk, mortalEngine } from './mortal-engine.js';
import { approving, scenarios, type Scenario } from './scenarios.js';

const named = (spans: readonly ReadableSpan[], start: string) => spans.filter(({ name }) => name.startsWith(start));

/** The agents named by the metrics of runs, tools and guards. */
const agentsIn = (metrics: readonly MetricData[]) =>
  new Set(
    metrics
      .filter(({ descriptor }) => /^(interlock|gen_ai\.(invoke|execute))/.test(descriptor.name))
      .flatMap(({ dataPoints }) => dataPoints.map(({ attributes }) => attributes['gen_ai.agent.name'])),
  );

const tools = () => (scenarios['tools'] as () => Scenario)();

/** Lets one process start a run and die at a boundary, and another finish it with traces; undefined if the first one finished it. */
const recovered = async (boundary: number) => {
  const disk = createDisk();
  const mortal = mortalEngine(disk, boundary);
  const first = tools().agent({ durability: mortal });
  const finished = first.generate('Please charge me.', { runId: 'one' });
  if (await Promise.race([mortal.died.then(() => false), finished.then(() => true)])) return undefined;
  const { key, at } = mortal.passed.at(-1) ?? {};
  if (key?.endsWith(' end') && at === 'unkept') return undefined; // the run has ended there, and its spans have left
  const spans = new InMemorySpanExporter();
  const tracerProvider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(spans)] });
  const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 3_600_000 });
  const { onRunEvent } = openTelemetry({ tracerProvider, meterProvider: new MeterProvider({ readers: [reader] }) });
  const agent = tools().agent({ durability: mortalEngine(disk), onRunEvent });
  const trace = traced(agent);
  const run = await agent.attach('one');
  await run.getFullOutput();
  await reader.forceFlush();
  const measured = exporter.getMetrics().flatMap(({ scopeMetrics }) => scopeMetrics.flatMap(({ metrics }) => metrics));
  await reader.shutdown();
  return {
    mastra: await trace.spans(),
    otel: spans.getFinishedSpans(),
    measured,
    status: run.status,
    last: mortal.passed.at(-1)?.key,
  };
};

describe('a run that another process recovers', () => {
  it('has spans of what the other process did, at each boundary', { timeout: 60_000 }, async () => {
    const seen = new Set<string>();
    for (let boundary = 0; ; boundary += 1) {
      const result = await recovered(boundary);
      if (!result) break;
      const { mastra, otel, measured, status, last } = result;
      expect(status, last).toBe('success');
      const roots = mastra.filter(({ type }) => type === SpanType.AGENT_RUN);
      expect(
        roots.map(({ endTime }) => endTime !== undefined),
        last,
      ).toEqual([true]);
      expect(
        mastra.filter(({ isEvent, endTime }) => !isEvent && endTime === undefined).map(({ name }) => name),
        last,
      ).toEqual([]);
      expect(
        otel.filter(({ parentSpanContext }) => !parentSpanContext).map(({ attributes }) => attributes['interlock.run.id']),
        last,
      ).toEqual(['one']);
      expect(
        otel.filter(({ parentSpanContext }) => !parentSpanContext).map(({ name }) => name),
        last,
      ).toEqual(['invoke_agent cashier']);
      expect(agentsIn(measured), last).toEqual(new Set(['cashier']));
      expect(JSON.stringify(roots[0]?.output), last).toContain('text');
      expect(JSON.stringify(roots[0]?.input), last).toContain('Please charge me.');
      const count = (wanted: SpanType): number => mastra.filter(({ type }) => type === wanted).length;
      seen.add(
        `${roots[0]?.name.replace("agent run: 'cashier'", '')} ${count(SpanType.MODEL_INFERENCE)} ${count(SpanType.TOOL_CALL)}`.trim(),
      );
      expect(named(otel, 'chat').length, last).toBe(count(SpanType.MODEL_INFERENCE));
    }
    // Calls of the model and of tools that were left: each is in exactly one process.
    expect([...seen]).toEqual([
      '2 2',
      '(recovered) 2 2',
      '(recovered) 1 2',
      '(recovered) 1 1',
      '(recovered) 1 0',
      '(recovered) 0 0',
    ]);
  });
});

it.each(['this process', 'another process'])(
  'a run that %s resumes is one trace, and each segment has one span',
  async (where) => {
    const disk = createDisk();
    const scenario = approving();
    const engine = mortalEngine(disk);
    const agents = [scenario.agent({ durability: engine })];
    const trace = traced(...agents);
    await agents[0]?.generate('Please charge me.', { runId: 'one' });
    const segments = [trace];
    for (const last of [false, true]) {
      await trace.spans(); // the engine has stored the segment
      if (where === 'another process') {
        agents.unshift(scenario.agent({ durability: mortalEngine(disk) }));
        segments.push(traced(agents[0]));
      }
      const [agent] = agents;
      const [waiting] = (await agent?.listSuspendedRuns())?.runs ?? [];
      const answer = { toolCallId: waiting?.toolCalls[0]?.toolCallId };
      const result = await (await agent?.resume('one', { approved: true }, answer))?.getFullOutput();
      expect(result?.status).toBe(last ? 'success' : 'suspended');
    }
    const spans = (await Promise.all(segments.map((segment) => segment.spans()))).flat();
    const runs = spans.filter(({ type }) => type === SpanType.AGENT_RUN);
    expect(runs.map(({ name }) => name)).toEqual([
      "agent run: 'cashier'",
      "agent run: 'cashier' (resumed)",
      "agent run: 'cashier' (resumed)",
    ]);
    expect(runs.slice(1).map(({ parentSpanId }) => parentSpanId)).toEqual(runs.slice(0, -1).map(({ id }) => id));
    expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(1);
    expect(spans.filter(({ isEvent, endTime }) => !isEvent && !endTime)).toEqual([]);
    expect(spans.filter(({ type }) => type === SpanType.TOOL_CALL)).toHaveLength(2);
  },
);
