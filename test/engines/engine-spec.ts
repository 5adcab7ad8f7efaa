import { dbos } from '../../src/durable/dbos/index.js';
import { openWorkflow } from '../../src/durable/openworkflow/index.js';
import { restate } from '../../src/durable/restate/index.js';
import type { Engine } from '../../src/index.js';

/** How a process finds the engine of the others, as data. */
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

/** How long a run waits after its process was killed, where the engine does not see it at once. */
const leaseMs = 1_000;

/** How many processes may die of a run. */
const maxDeaths = 3;

export const engineOf = (spec: EngineSpec): Engine => {
  switch (spec.kind) {
    case 'openworkflow':
      return openWorkflow({ path: spec.path, leaseMs: 3 * leaseMs, maxDeaths, concurrency: 64 });
    case 'restate': {
      const { ingressUrl, adminUrl, port, serviceUrl } = spec;
      return restate({ ingressUrl, maxDeaths, ...(port && { adminUrl, listen: { port }, serviceUrl }) });
    }
    case 'dbos':
      return dbos({ systemDatabaseUrl: spec.systemDatabaseUrl, leaseMs, maxDeaths });
    default:
      return spec satisfies never;
  }
};
