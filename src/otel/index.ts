export { openTelemetry, type OpenTelemetryOptions, type RunTelemetry } from './open-telemetry.js';
export { durableMetrics, type MeasuredAgent, type MeasuredRuns } from './durable-metrics.js';
