export { openTelemetry, type OpenTelemetryOptions, type RunTelemetry } from './open-telemetry.js';
export { durableMetrics } from './durable-metrics.js';
