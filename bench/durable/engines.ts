import { dbos } from '../../src/durable/dbos/index.js';
import { openWorkflow } from '../../src/durable/openworkflow/index.js';
import { restate } from '../../src/durable/restate/index.js';
import { encrypted, memoryEngine } from '../../src/index.js';
import type { Engine } from '../../src/engine.js';
import type { EngineSpec } from '../../test/engines/engine-spec.js';

/** An engine to measure, as data for its processes. */
export interface Subject {
  readonly name: string;
  /** Undefined: the runs live in the process, with an engine that stores nothing, or without one. */
  readonly spec?: EngineSpec;
  readonly isEncrypted?: boolean;
}

/** The names that can be requested, and the server of each; `process` is the agent without an engine. */
export const places = {
  process: undefined,
  memory: undefined,
  openworkflow: 'openworkflow',
  'openworkflow encrypted': 'openworkflow',
  restate: 'restate',
  dbos: 'dbos',
} as const satisfies Readonly<Record<string, EngineSpec['kind'] | undefined>>;

export type SubjectName = keyof typeof places;

export const allNames = Object.keys(places) as SubjectName[];

/** The subjects that need no installed or started server. */
export const atHand = allNames.filter((name) => places[name] === undefined || places[name] === 'openworkflow');

/** Milliseconds until another process takes over the run of a killed one, if the engine does not detect it at once. */
export const leaseMs = 1_000;

const durableEngineOf = (spec: EngineSpec, lease: number): Engine => {
  switch (spec.kind) {
    case 'openworkflow':
      return openWorkflow({ path: spec.path, leaseMs: lease });
    case 'restate': {
      const { ingressUrl, adminUrl, port, serviceUrl } = spec;
      return restate({ ingressUrl, ...(port !== undefined && { adminUrl, listen: { port }, serviceUrl }) });
    }
    case 'dbos':
      return dbos({ systemDatabaseUrl: spec.systemDatabaseUrl, leaseMs: lease });
    default:
      return spec satisfies never;
  }
};

const noSecret = Buffer.alloc(32, 7);

/** Opens the engine; undefined for the agent without one. */
export const engineOf = ({ name, spec, isEncrypted }: Subject, lease = leaseMs): Engine | undefined => {
  if (!spec) return name === 'memory' ? memoryEngine() : undefined;
  const engine = durableEngineOf(spec, lease);
  return isEncrypted ? encrypted(engine, { key: noSecret }) : engine;
};
