export { openTelemetry, type OpenTelemetryOptions, type RunTelemetry } from './open-telemetry.js';
