import { dbos } from '../../src/durable/dbos/index.js';
import { openWorkflow } from '../../src/durable/openworkflow/index.js';
import { restate } from '../../src/durable/restate/index.js';
import type { Engine } from '../../src/engine.js';

/** The settings with which a process opens the shared engine, as data. */
export type EngineSpec =
  | { readonly kind: 'openworkflow'; readonly path: string }
  | {
      readonly kind: 'restate';
      readonly ingressUrl: string;
      readonly adminUrl: string;
      readonly port?: number;
      readonly serviceUrl?: string;
    }
  | { readonly kind: 'dbos'; readonly systemDatabaseUrl: string };

/** Milliseconds that a run waits after its process was killed, if the engine does not detect it at once. */
const leaseMs = 3_000;

/** `maxDeaths`: the number of processes that may die of a run; `patienceMs`: how long a call waits for the server. */
export const engineOf = (spec: EngineSpec, maxDeaths = 3, patienceMs = 60_000): Engine => {
  switch (spec.kind) {
    case 'openworkflow':
      return openWorkflow({ path: spec.path, leaseMs, maxDeaths, concurrency: 64 });
    case 'restate': {
      const { ingressUrl, adminUrl, port, serviceUrl } = spec;
      return restate({ ingressUrl, maxDeaths, patienceMs, ...(port && { adminUrl, listen: { port }, serviceUrl }) });
    }
    case 'dbos':
      return dbos({ systemDatabaseUrl: spec.systemDatabaseUrl, leaseMs, maxDeaths, patienceMs });
    default:
      return spec satisfies never;
  }
};
