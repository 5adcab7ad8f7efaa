import { metrics, trace, type MeterProvider, type TracerProvider } from '@opentelemetry/api';
import type { RunEvent } from '../../schemas/index.js';
import { checkIntegration } from '../integration.js';
import type { Trace } from '../trace/collect-traces.js';
import { libraryName } from '../trace/library-version.js';
import { traceOfKind } from '../trace/trace-of-kind.js';
import { createRunMetrics } from './run-metrics.js';
import { createRunSpans } from './run-spans.js';

/** Where telemetry goes. */
export interface OpenTelemetryOptions {
  /** Default: the application's, as it is registered with `@opentelemetry/api`; where there is none, spans cost nothing and go nowhere. */
  readonly tracerProvider?: TracerProvider;
  /** Default: the application's, likewise. */
  readonly meterProvider?: MeterProvider;
}

/** Runs as OpenTelemetry sees them. */
export interface RunTelemetry {
  /** To be given to agents or calls: a run becomes spans and metrics while it goes on. */
  readonly onRunEvent: (event: RunEvent) => void;
  /**
   * A recorded run, redacted or not: spans with the times that it had, and metrics, which are counted when this is called. Leave the metrics out for
   * runs that were counted when they ran. Default: both.
   */
  exportTrace(recorded: Trace, options?: { readonly metrics?: boolean }): void;
}

/**
 * Runs as OpenTelemetry spans and metrics, in the words of its conventions for generative AI. No content is told, nor what guards say of it.
 *
 * @example
 * const telemetry = openTelemetry();
 * const agent = new InterlockAgent({ ...config, onRunEvent: telemetry.onRunEvent });
 */
export const openTelemetry = ({ tracerProvider, meterProvider }: OpenTelemetryOptions = {}): RunTelemetry => {
  checkIntegration('@opentelemetry/api');
  const [name = '', version] = libraryName.split('@');
  const tracer = (tracerProvider ?? trace).getTracer(name, version);
  const meter = (meterProvider ?? metrics).getMeter(name, version);
  const tellSpans = createRunSpans(tracer);
  const tellMetrics = createRunMetrics(meter);
  return {
    onRunEvent: (event) => {
      tellSpans(event);
      tellMetrics(event);
    },
    exportTrace: (recorded, { metrics: isCounted = true } = {}) => {
      // Apart from runs under way, which may have its id.
      const listeners = [createRunSpans(tracer), ...(isCounted ? [createRunMetrics(meter)] : [])];
      for (const { event } of traceOfKind(recorded, 'event')) for (const tell of listeners) tell(event);
    },
  };
};
