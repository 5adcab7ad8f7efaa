import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { startBalancer } from './balancer.js';
import type { EngineSpec } from './engine-spec.js';
import { freePorts, type MortalServer } from './servers/mortal-server.js';
import { startPostgresServer } from './servers/postgres-server.js';
import { startRestateServer } from './servers/restate-server.js';

/** An engine, with its outside requirements. */
export interface Site {
  /** The engine for one of the concurrent processes; the tests' own is the last of them. */
  specFor(process: 'first' | 'second' | 'tests'): EngineSpec;
  /** The server that may be killed; undefined if there is none. */
  readonly server?: MortalServer;
  close(): Promise<void>;
}

const openWorkflowSite = async (): Promise<Site> => {
  const folder = await mkdtemp(join(tmpdir(), 'interlock-engines-'));
  return {
    specFor: () => ({ kind: 'openworkflow', path: join(folder, 'runs.db') }),
    close: () => rm(folder, { recursive: true, force: true }),
  };
};

const restateSite = async (): Promise<Site> => {
  const server = await startRestateServer();
  const { ingressUrl, adminUrl } = server;
  const ports = await freePorts(3);
  const balancer = await startBalancer(ports);
  return {
    specFor: (process) => {
      const port = ports[['first', 'second', 'tests'].indexOf(process)];
      return { kind: 'restate', ingressUrl, adminUrl, port, serviceUrl: balancer.url };
    },
    server,
    close: async () => {
      balancer.close();
      await server.stop();
    },
  };
};

const dbosSite = async (): Promise<Site> => {
  const server = await startPostgresServer();
  return {
    specFor: () => ({ kind: 'dbos', systemDatabaseUrl: server.urlOf('runs') }),
    server,
    close: () => server.stop(),
  };
};

/** The durable engines, by name. */
export const sites: Readonly<Record<EngineSpec['kind'], () => Promise<Site>>> = {
  openworkflow: openWorkflowSite,
  restate: restateSite,
  dbos: dbosSite,
};
