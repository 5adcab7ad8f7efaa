import { metrics, type ObservableGauge } from '@opentelemetry/api';
import { checkIntegration } from '../integration.js';
import { libraryName } from '../library.js';
import { attribute } from './names.js';
import type { OpenTelemetryOptions } from './open-telemetry.js';

/** The part of an agent that its metrics need. */
interface MeasuredAgent {
  readonly id: string;
  runMetrics(): Promise<MeasuredRuns>;
}

/** Numbers of `RunMetrics`. */
type MeasuredRuns = Readonly<Record<'queued' | 'running' | 'waiting' | 'recovered' | 'lost' | 'oldestAgeMs', number>> & {
  readonly journalBytes?: number;
};

const gauges = {
  queued: { name: 'interlock.durable.queued', unit: '{run}', description: 'Durable runs in the queue.' },
  running: { name: 'interlock.durable.running', unit: '{run}', description: 'Durable runs in progress.' },
  waiting: { name: 'interlock.durable.waiting', unit: '{run}', description: 'Suspended durable runs that wait for input.' },
  recovered: { name: 'interlock.durable.recovered', unit: '{run}', description: 'Durable runs that this process recovered.' },
  lost: { name: 'interlock.durable.lost', unit: '{run}', description: 'Durable runs that the engine gave up.' },
  oldestAgeMs: { name: 'interlock.durable.oldest_age', unit: 'ms', description: 'Age of the oldest unfinished run.' },
  journalBytes: { name: 'interlock.durable.journal_size', unit: 'By', description: 'Size of the engine storage.' },
} as const satisfies Record<keyof MeasuredRuns, object>;

type Measured = keyof MeasuredRuns;

/**
 * Reports the durable runs of an agent as OpenTelemetry gauges, read whenever the application's reader collects. Returns a
 * function that stops it.
 *
 * @example
 * const stop = durableMetrics(agent);
 */
export const durableMetrics = (
  agent: MeasuredAgent,
  { meterProvider }: Pick<OpenTelemetryOptions, 'meterProvider'> = {},
): (() => void) => {
  checkIntegration('@opentelemetry/api');
  const [library = '', version] = libraryName.split('@');
  const meter = (meterProvider ?? metrics).getMeter(library, version);
  const made = new Map<Measured, ObservableGauge>();
  for (const [key, { name, ...about }] of Object.entries(gauges))
    made.set(key as Measured, meter.createObservableGauge(name, about));
  const observe: Parameters<typeof meter.addBatchObservableCallback>[0] = async (result) => {
    const runs = await agent.runMetrics();
    for (const [key, gauge] of made) {
      const value = runs[key];
      if (value !== undefined) result.observe(gauge, value, { [attribute.agent]: agent.id });
    }
  };
  const all = [...made.values()];
  meter.addBatchObservableCallback(observe, all);
  return () => meter.removeBatchObservableCallback(observe, all);
};
