import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import { expect, it, vi } from 'vitest';

import { InterlockAgent, memoryEngine } from '../../src/index.js';
import { durableMetrics } from '../../src/otel/index.js';
import { scriptedModel } from '../../src/testing/index.js';

it('reports durable runs as gauges until it is stopped', async () => {
  const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 3_600_000 });
  const meterProvider = new MeterProvider({ readers: [reader] });
  const model = scriptedModel({ steps: () => ({ hang: true }) });
  const base = { id: 'measured', name: 'Measured', instructions: 'Answer.', model };
  const agent = new InterlockAgent({ ...base, durability: memoryEngine(), runQueue: { concurrency: 1 } });
  const runMetrics = vi.spyOn(agent, 'runMetrics');
  const stop = durableMetrics(agent, { meterProvider });
  const runs = ['one', 'two'].map((runId) => agent.generate('Hi', { runId }));
  await expect.poll(() => model.calls.length).toBe(1);
  const read = async () => {
    exporter.reset();
    await meterProvider.forceFlush();
    const found = exporter.getMetrics().flatMap(({ scopeMetrics }) => scopeMetrics.flatMap(({ metrics }) => metrics));
    return Object.fromEntries(found.map(({ descriptor, dataPoints }) => [descriptor.name, dataPoints[0]?.value]));
  };
  const { 'interlock.durable.oldest_age': age, ...counts } = await read();
  expect(counts).toEqual({
    'interlock.durable.queued': 1,
    'interlock.durable.running': 1,
    'interlock.durable.waiting': 0,
    'interlock.durable.recovered': 0,
    'interlock.durable.lost': 0,
  });
  expect(age).toBeGreaterThanOrEqual(0);
  for (const runId of ['one', 'two']) await agent.cancel(runId);
  await Promise.all(runs);
  stop();
  runMetrics.mockClear();
  await read();
  expect(runMetrics).not.toHaveBeenCalled();
  await meterProvider.shutdown();
});
