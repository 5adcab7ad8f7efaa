import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { startBalancer } from './balancer.js';
import type { EngineSpec } from './engine-spec.js';
import { startLink } from './link.js';
import { freePorts, type MortalServer } from './servers/mortal-server.js';
import { startPostgresServer } from './servers/postgres-server.js';
import { startRestateServer } from './servers/restate-server.js';

/** A way between processes and the server that can be lost. */
export interface Way {
  cut(): void;
  /** Requests arrive, and their answers are lost. */
  deafen?(): void;
  mend(): void;
}

/** An engine, with its outside requirements. */
export interface Site {
  /** The engine for one of the concurrent processes; the tests' own is the last of them. */
  specFor(process: 'first' | 'second' | 'tests'): EngineSpec;
  /** The server that may be killed; undefined if there is none. */
  readonly server?: MortalServer;
  /** The ways to the server and back; none for a file. The tests' own process has others. */
  readonly ways: readonly Way[];
  close(): Promise<void>;
}

const openWorkflowSite = async (): Promise<Site> => {
  const folder = await mkdtemp(join(tmpdir(), 'interlock-engines-'));
  return {
    specFor: () => ({ kind: 'openworkflow', path: join(folder, 'runs.db') }),
    ways: [],
    close: () => rm(folder, { recursive: true, force: true }),
  };
};

const restateSite = async (): Promise<Site> => {
  const server = await startRestateServer();
  const { ingressUrl, adminUrl } = server;
  const ports = await freePorts(3);
  const balancer = await startBalancer(ports);
  const link = await startLink(Number(new URL(ingressUrl).port));
  return {
    specFor: (process) => {
      const port = ports[['first', 'second', 'tests'].indexOf(process)];
      const url = process === 'tests' ? ingressUrl : `http://127.0.0.1:${link.port}`;
      return { kind: 'restate', ingressUrl: url, adminUrl, port, serviceUrl: balancer.url };
    },
    server,
    ways: [link, balancer],
    close: async () => {
      link.close();
      balancer.close();
      await server.stop();
    },
  };
};

const dbosSite = async (): Promise<Site> => {
  const server = await startPostgresServer();
  const url = new URL(server.urlOf('runs'));
  const link = await startLink(Number(url.port));
  url.port = String(link.port);
  return {
    specFor: (process) => ({ kind: 'dbos', systemDatabaseUrl: process === 'tests' ? server.urlOf('runs') : url.href }),
    server,
    ways: [link],
    close: async () => {
      link.close();
      await server.stop();
    },
  };
};

/** The durable engines, by name. */
export const sites: Readonly<Record<EngineSpec['kind'], () => Promise<Site>>> = {
  openworkflow: openWorkflowSite,
  restate: restateSite,
  dbos: dbosSite,
};
