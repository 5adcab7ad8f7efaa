import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const cli = join(import.meta.dirname, '../node_modules/mastra/dist/index.js');

const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
};

const answers = (url: string): Promise<boolean> =>
  fetch(url).then(
    ({ ok }) => ok,
    () => false,
  );

/** Mastra's own Studio, as its CLI serves it, for a server. */
export const startStudio = async (serverUrl: string) => {
  const port = await freePort();
  const args = [cli, 'studio', '--port', String(port), '--server-host', '127.0.0.1', '--server-port', new URL(serverUrl).port];
  const studio = spawn(process.execPath, args, { stdio: 'ignore', env: { ...process.env, MASTRA_TELEMETRY_DISABLED: '1' } });
  const ended = once(studio, 'exit');
  const url = `http://localhost:${port}`;
  while (studio.exitCode === null && !(await answers(url))) await sleep(100);
  if (studio.exitCode !== null) throw new Error(`Studio ended with ${studio.exitCode}.`);
  return {
    url,
    close: async () => {
      studio.kill();
      await ended;
    },
  };
};
