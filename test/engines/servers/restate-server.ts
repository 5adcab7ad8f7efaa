import { createRequire } from 'node:module';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { freePorts, startMortalServer, type MortalServer } from './mortal-server.js';

export interface RestateServer extends MortalServer {
  readonly ingressUrl: string;
  readonly adminUrl: string;
}

/** A query that every partition answers. */
const countOfRuns: RequestInit = {
  method: 'POST',
  headers: { 'content-type': 'application/json', accept: 'application/json' },
  body: JSON.stringify({ query: 'SELECT count(*) FROM sys_invocation' }),
};

/** A Restate server on loopback, from its npm package; it contacts no other host. */
export const startRestateServer = async (env: NodeJS.ProcessEnv = {}): Promise<RestateServer> => {
  const folder = await mkdtemp(join(tmpdir(), 'interlock-restate-'));
  const [node = 0, ingress = 0, admin = 0] = await freePorts(3);
  const ingressUrl = `http://127.0.0.1:${ingress}`;
  const adminUrl = `http://127.0.0.1:${admin}`;
  const isHealthy = (url: string, init?: RequestInit): Promise<boolean> =>
    fetch(url, { ...init, signal: AbortSignal.timeout(10_000) }).then(
      ({ ok }) => ok,
      () => false,
    );
  const server = await startMortalServer({
    command: createRequire(import.meta.url).resolve(
      `@restatedev/restate-server-${process.platform}-${process.arch}/bin/restate-server`,
    ),
    args: ['--base-dir', folder, '--node-name', 'one'],
    options: {
      cwd: folder,
      env: {
        ...process.env,
        RESTATE_BIND_IP: '127.0.0.1',
        RESTATE_BIND_PORT: String(node),
        RESTATE_INGRESS__BIND_PORT: String(ingress),
        RESTATE_ADMIN__BIND_PORT: String(admin),
        RESTATE_ADMIN__DISABLE_WEB_UI: 'true',
        RESTATE_LISTEN_MODE: 'tcp',
        RESTATE_DISABLE_TELEMETRY: 'true',
        RESTATE_DEFAULT_NUM_PARTITIONS: '4',
        RESTATE_LOG_FILTER: 'warn',
        DO_NOT_TRACK: '1',
        ...env,
      },
    },
    isReady: async () =>
      (await isHealthy(`${adminUrl}/health`)) &&
      (await isHealthy(`${ingressUrl}/restate/health`)) &&
      (await isHealthy(`${adminUrl}/query`, countOfRuns)), // its partitions start after it
  });
  return {
    ...server,
    ingressUrl,
    adminUrl,
    stop: async () => {
      await server.kill(); // it shuts down slowly
      await rm(folder, { recursive: true, force: true });
    },
  };
};
